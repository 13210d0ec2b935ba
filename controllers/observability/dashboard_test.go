package observability_test

import (
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

// The dashboard asks for metrics that there are.
func TestDashboard(t *testing.T) {
	registry := prometheus.NewRegistry()
	metrics, err := observability.NewMetrics(registry)
	require.NoError(t, err)
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), metrics.Link("customizations"))}
	_, _, err = client.InterpretReplica(t.Context(), widget())
	require.NoError(t, err)
	families, err := registry.Gather()
	require.NoError(t, err)
	known := map[string]bool{}
	for _, f := range families {
		known[f.GetName()] = true
	}
	dashboard, err := os.ReadFile("../../deploy/grafana/dragoman.json")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, name := range regexp.MustCompile(`dragoman_[a-z_]+`).FindAllString(string(dashboard), -1) {
		name = strings.TrimSuffix(name, "_bucket")
		used[name] = true
		assert.True(t, known[name], "%s is a metric", name)
	}
	assert.Equal(t, known, used, "every metric is shown")
}
