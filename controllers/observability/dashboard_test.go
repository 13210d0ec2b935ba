package observability_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/interpreter"
)

// metricNames returns the metrics that there are.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	registry := prometheus.NewRegistry()
	metrics, err := observability.NewMetrics(registry)
	require.NoError(t, err)
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), metrics.Link("customizations"))}
	_, _, err = client.InterpretReplica(t.Context(), widget())
	require.NoError(t, err)
	require.NoError(t, registry.Register(observability.NewSizes(some)))
	families, err := registry.Gather()
	require.NoError(t, err)
	known := map[string]bool{}
	for _, f := range families {
		known[f.GetName()] = true
	}
	return known
}

// The dashboard shows every metric, and the documentation has them all in its table.
func TestMetricsAreShown(t *testing.T) {
	known := metricNames(t)
	for _, file := range []string{"../../deploy/grafana/dragoman.json", "../../docs/observability.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		used := map[string]bool{}
		for _, name := range regexp.MustCompile(`dragoman_[a-z_]+`).FindAllString(string(text), -1) {
			used[strings.TrimSuffix(name, "_bucket")] = true
		}
		assert.Equal(t, known, used, file)
	}
}

// A Prometheus knows other programs with a workqueue, and several installations: the dashboard shows those that were chosen.
func TestPanelsAreAboutTheJob(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana/dragoman.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	functions := strings.NewReplacer("histogram_quantile", "", "$__rate_interval", "")
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			metrics := regexp.MustCompile(`[a-z]+_[a-z_]+(\{.*?\})?`).FindAllString(functions.Replace(target.Expr), -1)
			for _, metric := range metrics {
				assert.Contains(t, metric, `{job=~"$job"`, panel.Title)
			}
			assert.NotEmpty(t, metrics, panel.Title)
		}
	}
}
