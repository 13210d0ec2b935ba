package admission

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// FuzzFiles holds that no file crashes or hangs the checker, and that every problem says something about the file.
func FuzzFiles(f *testing.F) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(f, err)
	const head = "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: a}\nspec:\n" +
		"  target: {apiVersion: apps/v1, kind: Deployment}\n  customizations:\n"
	for _, text := range []string{
		"", "a", "[]", "{}", "kind: Pod", "---\n---\n",
		head + "    replicaResource: {celExpression: 'object.spec.replicas'}\n",
		head + "    replicaResource: {celExpression: '((((('}\n    retention: {luaScript: 'function Retain(a, b) return a end'}\n",
		head + "    healthInterpretation:\n      luaScript: |\n        function InterpretHealth(o)\n          while true do end\n        end\n        while true do end\n",
		head + "    healthInterpretation:\n      luaScript: 'local kube = require(\"kube\") function InterpretHealth(o) return kube.next() end'\n",
		head + "    retention: {}\n---\n" + head + "    retention: {luaScript: x, celExpression: y}\n",
		"apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{name: a.b.c, failurePolicy: Ignore}]\n",
		"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nspec: {jobManager: {resource: {memory: 1024m}}}\n",
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterCustomization}, {apiVersion: v1, kind: Pod}]\n",
	} {
		f.Add([]byte(text))
	}
	checker := Checker{Engines: engines, Portable: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		report := checker.Files(t.Context(), File{Name: "f", Data: data})
		for _, p := range report.Problems {
			assert.Equal(t, "f", p.File)
			assert.NotEmpty(t, p.Message)
			assert.NotEmpty(t, p.Severity)
			assert.NotEmpty(t, p.Error())
		}
	})
}
