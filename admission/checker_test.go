package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// TestFound has what is passed over in files that nobody has named, and what is not.
func TestFound(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	const rule = "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: a}\n" +
		"spec: {target: {apiVersion: apps/v1, kind: Deployment}, customizations: {replicaResource: {celExpression: '1'}}}\n"
	for _, tc := range []struct {
		reason, text string
		skipped      bool
		problem      string
	}{
		{"a suite", "apiVersion: dragoman.io/v1alpha1\nkind: InterpreterTestSuite\n", true, ""},
		{"a case has no kind", "operation: Retain\n", true, ""},
		{"another object", "apiVersion: apps/v1\nkind: Deployment\n", true, ""},
		{"a list of other objects", "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]\n", true, ""},
		{"values of a chart", "replicas: 1\n", true, ""},
		{"no object at all", "[1]\n", true, ""},
		{"nothing", "# nothing\n", true, ""},
		{"a rule among others", rule + "---\nkind: Pod\napiVersion: v1\n", false, ""},
		{"a list with a rule is a list of rules", "kind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: Pod}, {apiVersion: config.karmada.io/v1alpha1, kind: ResourceInterpreterCustomization}]\n", false, "want a ResourceInterpreterCustomization or ResourceInterpreterWebhookConfiguration, got a Pod of v1"},
		{"a kind of our group that there is not", "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomisation\n", false, "got a ResourceInterpreterCustomisation"},
		{"a rule of a group that there is not", "apiVersion: config.karmada.io.example/v1\nkind: ResourceInterpreterCustomization\n", false, "got a ResourceInterpreterCustomization of config.karmada.io.example/v1"},
		{"what cannot be read may be a rule", "a: [\n", false, "does not parse"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			files := []admission.File{{Name: "named.yaml", Data: []byte(rule)}, {Name: "found.yaml", Data: []byte(tc.text), Found: true}}
			files[0].Data = []byte("apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\n")
			report := admission.Checker{Engines: engines}.Files(t.Context(), files...)
			assert.Equal(t, tc.skipped, len(report.Skipped) == 1)
			var messages string
			for _, p := range report.Problems {
				messages += p.Error()
			}
			if tc.problem == "" {
				assert.Empty(t, messages)
			} else {
				assert.Contains(t, messages, tc.problem)
			}

			named := files[1]
			named.Found = false
			report = admission.Checker{Engines: engines}.Files(t.Context(), named)
			assert.Empty(t, report.Skipped)
			assert.Equal(t, tc.skipped || tc.problem != "" || tc.reason == "a rule among others", len(report.Problems) > 0, "who names a file means it")
		})
	}
}

func TestNothingFound(t *testing.T) {
	files := []admission.File{{Name: "a.yaml", Data: []byte("a: 1\n"), Found: true}, {Name: "b.yaml", Found: true}}
	report := admission.Checker{}.Files(t.Context(), files...)
	assert.Equal(t, []string{"a.yaml", "b.yaml"}, report.Skipped)
	require.Len(t, report.Problems, 1)
	assert.Equal(t, "a.yaml: want a ResourceInterpreterCustomization or ResourceInterpreterWebhookConfiguration, found none in this file and 1 more", report.Problems[0].Error())
}

func TestDefinitionsFound(t *testing.T) {
	other := admission.File{Name: "other.yaml", Data: []byte("kind: Kustomization\n---\na: 1\n---\nkind: Pod\napiVersion: v1\n"), Found: true}
	schemas, err := admission.ReadSchemas(other, admission.File{Name: "crd.yaml", Data: []byte(widgets), Found: true})
	require.NoError(t, err)
	assert.Len(t, schemas, 2)
	_, err = admission.ReadSchemas(other)
	require.ErrorContains(t, err, "want a CustomResourceDefinition, got none")
	other.Found = false
	_, err = admission.ReadSchemas(other)
	require.ErrorContains(t, err, "other.yaml:1: apiVersion: want one")
}
