package observability_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/webhook"
)

// some are sizes of everything.
var some = observability.Sizes{
	Rules: func() map[string]customizations.Stats {
		return map[string]customizations.Stats{"customizations": {
			Customizations: 2,
			Rules:          map[script.Language]customizations.RuleStats{script.Lua: {Ready: 3, Failed: 1, Waiting: 4, SourceBytes: 500}},
			Pools:          map[script.Language]script.Pool{script.Lua: {InUse: 5, Idle: 6, Created: 17, Discarded: 2}},
		}}
	},
	Webhooks: func() []webhook.EndpointStats {
		return []webhook.EndpointStats{{URL: "https://hook", Connections: 7, Calls: 8, Failures: 9, LeftAlone: true}, {URL: "https://other"}}
	},
	Objects: func() map[string]map[schema.GroupVersionKind]int {
		return map[string]map[schema.GroupVersionKind]int{"member1": {{Group: "apps", Version: "v1", Kind: "Deployment"}: 10}}
	},
}

func TestSizes(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(observability.NewSizes(some)))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems, "names are as Prometheus wants them")
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 11)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP dragoman_cache_objects Objects that the caches of the controllers hold, by cluster.
# TYPE dragoman_cache_objects gauge
dragoman_cache_objects{cluster="member1",group="apps",kind="Deployment",version="v1"} 10
# HELP dragoman_rules Rules in force by language and state: ready, failed to compile, or waiting to be compiled when first asked.
# TYPE dragoman_rules gauge
dragoman_rules{language="lua",link="customizations",state="failed"} 1
dragoman_rules{language="lua",link="customizations",state="ready"} 3
dragoman_rules{language="lua",link="customizations",state="waiting"} 4
# HELP dragoman_script_states Interpreter states that scripts run in: in use, or idle until the next run or the garbage collector takes them.
# TYPE dragoman_script_states gauge
dragoman_script_states{language="lua",link="customizations",state="idle"} 6
dragoman_script_states{language="lua",link="customizations",state="in use"} 5
# HELP dragoman_webhook_breaker_open 1 while an interpreter webhook is left alone because its calls failed.
# TYPE dragoman_webhook_breaker_open gauge
dragoman_webhook_breaker_open{url="https://hook"} 1
dragoman_webhook_breaker_open{url="https://other"} 0
`), "dragoman_cache_objects", "dragoman_rules", "dragoman_script_states", "dragoman_webhook_breaker_open"))
}
