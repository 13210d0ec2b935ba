package observability

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/webhook"
)

// Sizes are where a collector of metrics finds how much there is of what the process keeps. Each function is called when
// the metrics are read, from any goroutine.
type Sizes struct {
	// Rules returns what is compiled, by the link of the chain that it belongs to.
	Rules func() map[string]customizations.Stats
	// Webhooks returns how it stands with the places where webhooks are.
	Webhooks func() []webhook.EndpointStats
	// Objects returns how many objects caches hold, by cluster and kind.
	Objects func() map[string]map[schema.GroupVersionKind]int
}

// sizes is the collector of Sizes.
type sizes struct {
	from Sizes

	customizations, rules, sourceBytes    *prometheus.Desc
	states, created, discarded            *prometheus.Desc
	connections, calls, failures, breaker *prometheus.Desc
	objects                               *prometheus.Desc
}

// NewSizes returns a collector of what from tells.
func NewSizes(from Sizes) prometheus.Collector {
	metric := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &sizes{
		from:           from,
		customizations: metric("dragoman_customizations", "Customizations in force, by link of the chain.", "link"),
		rules: metric("dragoman_rules",
			"Rules in force by language and state: ready, failed to compile, or waiting to be compiled when first asked.", "link", "language", "state"),
		sourceBytes: metric("dragoman_rules_source_bytes", "Length of the scripts of all rules in force.", "link", "language"),
		states: metric("dragoman_script_states",
			"Interpreter states that scripts run in: in use, or idle until the next run or the garbage collector takes them.", "link", "language", "state"),
		created:     metric("dragoman_script_states_created_total", "Interpreter states that were made.", "link", "language"),
		discarded:   metric("dragoman_script_states_discarded_total", "Interpreter states that were thrown away after a run that failed.", "link", "language"),
		connections: metric("dragoman_webhook_connections", "Open connections to interpreter webhooks.", "url"),
		calls:       metric("dragoman_webhook_calls_in_flight", "Questions that interpreter webhooks have not answered yet.", "url"),
		failures:    metric("dragoman_webhook_consecutive_failures", "Calls of an interpreter webhook that failed since the last one that did not.", "url"),
		breaker:     metric("dragoman_webhook_breaker_open", "1 while an interpreter webhook is left alone because its calls failed.", "url"),
		objects:     metric("dragoman_cache_objects", "Objects that the caches of the controllers hold, by cluster.", "cluster", "group", "version", "kind"),
	}
}

// Describe sends the metrics that there can be.
func (s *sizes) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		s.customizations, s.rules, s.sourceBytes, s.states, s.created, s.discarded,
		s.connections, s.calls, s.failures, s.breaker, s.objects,
	} {
		to <- d
	}
}

// Collect asks for every size.
func (s *sizes) Collect(to chan<- prometheus.Metric) {
	send := func(kind prometheus.ValueType, d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	gauge := func(d *prometheus.Desc, value int, labels ...string) {
		send(prometheus.GaugeValue, d, float64(value), labels...)
	}
	for link, stats := range s.from.Rules() {
		gauge(s.customizations, stats.Customizations, link)
		for language, n := range stats.Rules {
			gauge(s.rules, n.Ready, link, string(language), "ready")
			gauge(s.rules, n.Failed, link, string(language), "failed")
			gauge(s.rules, n.Waiting, link, string(language), "waiting")
			gauge(s.sourceBytes, int(n.SourceBytes), link, string(language))
		}
		for language, pool := range stats.Pools {
			gauge(s.states, int(pool.InUse), link, string(language), "in use")
			gauge(s.states, int(pool.Idle), link, string(language), "idle")
			send(prometheus.CounterValue, s.created, float64(pool.Created), link, string(language))
			send(prometheus.CounterValue, s.discarded, float64(pool.Discarded), link, string(language))
		}
	}
	for _, e := range s.from.Webhooks() {
		gauge(s.connections, e.Connections, e.URL)
		gauge(s.calls, e.Calls, e.URL)
		gauge(s.failures, e.Failures, e.URL)
		open := 0
		if e.LeftAlone {
			open = 1
		}
		gauge(s.breaker, open, e.URL)
	}
	for cluster, kinds := range s.from.Objects() {
		for kind, n := range kinds {
			gauge(s.objects, n, cluster, kind.Group, kind.Version, kind.Kind)
		}
	}
}
