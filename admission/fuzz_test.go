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
		head + "    statusAggregation:\n      luaScript: |\n        function AggregateStatus(o, items)\n          for _, i in ipairs(items) do o.status.ready = i.status.raedy + o.spec.replcas end\n          o.kind = nil\n          return o\n        end\n",
		"apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{name: a.b.c, failurePolicy: Ignore}]\n",
		"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nspec: {jobManager: {resource: {memory: 1024m}}}\n",
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterCustomization}, {apiVersion: v1, kind: Pod}]\n",
	} {
		f.Add([]byte(text))
	}
	schemas, err := ReadSchemas(File{Name: "crd.yaml", Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
		"spec:\n  group: apps\n  names: {kind: Deployment}\n  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {properties: {" +
		"spec: {type: object, properties: {replicas: {type: integer}}}, status: {type: object, properties: {ready: {type: integer}}}}}}\n")})
	require.NoError(f, err)
	checker := Checker{Engines: engines, Portable: true, Schemas: schemas}
	f.Fuzz(func(t *testing.T, data []byte) {
		checker.Files(t.Context(), File{Name: "f", Data: data, Found: true})
		report := checker.Files(t.Context(), File{Name: "f", Data: data})
		for _, p := range report.Problems {
			assert.Equal(t, "f", p.File)
			assert.NotEmpty(t, p.Message)
			assert.NotEmpty(t, p.Severity)
			assert.NotEmpty(t, p.Error())
		}
	})
}
