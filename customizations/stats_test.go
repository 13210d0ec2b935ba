package customizations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

func TestStats(t *testing.T) {
	const text = `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: a}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    healthInterpretation: {celExpression: "true"}
    replicaResource: {celExpression: "1 +"}
    statusReflection: {luaScript: "function ReflectStatus(o) return {} end"}
`
	found, err := customizations.Decode("a.yaml", []byte(text))
	require.NoError(t, err)
	for _, lazy := range []bool{false, true} {
		engines, err := customizations.Engines(script.Limits{})
		require.NoError(t, err)
		empty := customizations.New(customizations.Options{Link: "customizations", Engines: engines, Lazy: lazy})
		assert.Equal(t, map[script.Language]customizations.RuleStats{script.Lua: {}, script.CEL: {}}, empty.Stats().Rules)
		set := empty.With(found...)
		if lazy {
			assert.Equal(t, customizations.RuleStats{Waiting: 2, SourceBytes: 7}, set.Stats().Rules[script.CEL], "counting compiles nothing")
			require.NotEmpty(t, set.Problems("a"))
		}
		stats := set.Stats()
		assert.Equal(t, 1, stats.Customizations)
		assert.Equal(t, customizations.RuleStats{Ready: 1, Failed: 1, SourceBytes: 7}, stats.Rules[script.CEL])
		assert.Equal(t, customizations.RuleStats{Ready: 1, SourceBytes: 39}, stats.Rules[script.Lua])
		assert.Equal(t, int64(1), stats.Pools[script.Lua].Created, "the script was tried")
		assert.NotContains(t, stats.Pools, script.CEL)
		stats.Add(stats)
		assert.Equal(t, 2, stats.Rules[script.CEL].Failed)
		assert.Empty(t, set.Without("a").Stats().Customizations)
	}
}
