package admission_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {old: {type: integer}, size: {type: integer}}}}}}
  - name: v2
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {new: {type: integer}, size: {type: integer}}}}}}
`

func TestRuleForSeveralVersions(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	schemas, err := admission.ReadSchemas(admission.File{Name: "crd.yaml", Data: []byte(widgets)})
	require.NoError(t, err)
	for _, tc := range []struct{ reason, target, expression, want string }{
		{"a field of both", "example.com/*", "object.spec.size", ""},
		{"a field of one, read as optional", "example.com/*", "object.spec.?new.orValue(1)", ""},
		{"a field of one, in a path", "example.com/*", "kube.get(object, 'spec.old', 1)", ""},
		{"a field of one, read as if it were always there", "example.com/*", "object.spec.new", "object.spec has no field new"},
		{"a field of none", "example.com/*", "object.spec.?neww.orValue(1)", "object.spec has no field neww"},
		{"a field of another version", "example.com/v1", "object.spec.?new.orValue(1)", "object.spec has no field new"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			rule := strings.NewReplacer("TARGET", tc.target, "EXPRESSION", tc.expression).Replace(`
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: TARGET, kind: Widget}
  customizations: {replicaResource: {celExpression: "EXPRESSION"}}
`)
			cs, err := customizations.Decode("rules.yaml", []byte(rule))
			require.NoError(t, err)
			problems := admission.Checker{Engines: engines, Schemas: schemas}.Customization(cs[0])
			if tc.want == "" {
				assert.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].Message, tc.want)
		})
	}
}

func TestKindsWithoutASchemaAreNamed(t *testing.T) {
	schemas, err := admission.ReadSchemas(admission.File{Name: "crd.yaml", Data: []byte(widgets)})
	require.NoError(t, err)
	var rules strings.Builder
	for name, target := range map[string]string{"a": "{apiVersion: example.com/v3, kind: Widget}", "b": "{apiVersion: example.com/*, kind: Widget}", "c": "{apiVersion: v1, kind: Pod}"} {
		rules.WriteString("---\napiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: " +
			name + "}\nspec: {target: " + target + ", customizations: {}}\n")
	}
	file := admission.File{Name: "rules.yaml", Data: []byte(rules.String())}
	assert.Equal(t, []string{"example.com/v3 Widget", "v1 Pod"}, admission.Checker{Schemas: schemas}.Files(t.Context(), file).Unchecked)
	assert.Nil(t, admission.Checker{}.Files(t.Context(), file).Unchecked)
}

func TestMisspeltKinds(t *testing.T) {
	schemas, err := admission.ReadSchemas(admission.File{Name: "crd.yaml", Data: []byte(widgets)})
	require.NoError(t, err)
	for _, tc := range []struct{ reason, apiVersion, kind, want string }{
		{"as it is", "example.com/v1", "Widget", ""},
		{"kinds begin with capitals", "example.com/v1", "widget", "example.com/v1 has no kind widget: did you mean Widget?"},
		{"nor are they plurals", "example.com/*", "Widgets", "example.com/* has no kind Widgets: did you mean Widget?"},
		{"there may be more kinds than are known", "example.com/v1", "Gadgeteer", ""},
		{"another group may have what it likes", "example.org/v1", "widget", ""},
		{"every kind is none", "example.com/v1", "*", ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			cs, err := customizations.Decode("rules.yaml", []byte("apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\n"+
				"metadata: {name: widgets}\nspec: {target: {apiVersion: "+tc.apiVersion+", kind: \""+tc.kind+"\"}, customizations: {}}\n"))
			require.NoError(t, err)
			var found []string
			for _, p := range (admission.Checker{Schemas: schemas}).Customization(cs[0]) {
				if p.Field == "spec.target.kind" {
					assert.Equal(t, script.Warning, p.Severity)
					found = append(found, p.Message)
				}
			}
			if tc.want == "" {
				assert.Empty(t, found)
			} else {
				assert.Equal(t, []string{tc.want}, found)
			}
		})
	}
}
