package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

const thingSchema = `
required: [status]
properties:
  spec:
    required: [replicas, when, template]
    properties:
      replicas: {type: integer}
      when: {type: string, nullable: true}
      retries: {type: integer, default: 3}
      paused: {type: boolean}
      mode: {type: string, enum: [Fast, Slow]}
      size: {type: integer, enum: [1, 2]}
      limits: {type: object, additionalProperties: {type: string}}
      extra: {x-kubernetes-preserve-unknown-fields: true, type: object, properties: {known: {type: string}}}
      template: {$ref: template}
      wrapped: {allOf: [{$ref: template}], default: {}}
      pod: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}
  status: {type: object, properties: {readyReplicas: {type: integer}, phase: {type: string}}}
`

func thing(t *testing.T) *script.Schema {
	t.Helper()
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(thingSchema), &raw))
	return script.NewSchema(raw, func(string) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
	})
}

func TestSchemaOptional(t *testing.T) {
	object := thing(t)
	spec, _ := object.Field("spec")
	metadata, _ := object.Field("metadata")
	limits, _ := spec.Field("limits")
	pod, _ := spec.Field("pod")
	for _, tc := range []struct {
		reason string
		of     *script.Schema
		field  string
		want   bool
	}{
		{"required", spec, "replicas", false},
		{"required, but it may be null", spec, "when", true},
		{"neither required nor with a default", spec, "paused", true},
		{"a default", spec, "retries", false},
		{"a default beside a reference", spec, "wrapped", false},
		{"a required reference", spec, "template", false},
		{"an entry of a map", limits, "cpu", true},
		{"what is not known", spec, "nothing", false},
		{"nothing is known", nil, "a", false},
		{"every object has metadata", object, "metadata", false},
		{"an object without a spec means nothing", object, "spec", false},
		{"a status is there when it is required", object, "status", false},
		{"every object in a cluster has a name", metadata, "name", false},
		{"and not always labels", metadata, "labels", true},
		{"an object in an object", pod, "metadata", false},
		{"of any object the metadata is known", script.AnyObject, "metadata", false},
		{"and the status is not", script.AnyObject, "status", false},
	} {
		t.Run(tc.reason, func(t *testing.T) { assert.Equal(t, tc.want, tc.of.Optional(tc.field)) })
	}
}

func TestSchemaReported(t *testing.T) {
	object := thing(t)
	own, _ := object.Field("status")
	items := script.InputSchema(interpreter.InputItems, object).Element()
	reported, ok := items.Field("status")
	require.True(t, ok)
	for _, tc := range []struct {
		reason, field string
		own, reported bool
	}{
		{"a field of the kind", "readyReplicas", true, true},
		{"what Karmada adds", "generation", false, true},
		{"what Karmada adds to compare with the template", "resourceTemplateGeneration", false, true},
		{"a field of the rule's own", "votes", false, true},
		{"nearly a field of the kind", "readyReplica", false, false},
		{"nearly a field of the kind", "Pahse", false, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, ok := own.Field(tc.field)
			assert.Equal(t, tc.own, ok, "in the object's status")
			_, ok = reported.Field(tc.field)
			assert.Equal(t, tc.reported, ok, "in a reported one")
		})
	}
	assert.Nil(t, script.AnyObject.Reported(), "nothing is known about the status of any object")
	var none *script.Schema
	assert.Nil(t, none.Reported())
	_, ok = own.Field("votes")
	assert.False(t, ok, "the object's own schema is as it was")
}

func TestSchemaValuesAndForms(t *testing.T) {
	spec, _ := thing(t).Field("spec")
	for field, want := range map[string]struct {
		form   script.Form
		values []string
	}{
		"mode": {script.FormText, []string{"Fast", "Slow"}}, "size": {script.FormNumber, nil}, "limits": {script.FormObject, nil},
		"paused": {script.FormBoolean, nil}, "template": {script.FormObject, nil}, "wrapped": {script.FormObject, nil},
	} {
		got, ok := spec.Field(field)
		require.True(t, ok)
		assert.Equal(t, want.form, got.Form(), field)
		assert.Equal(t, want.values, got.Values(), field)
	}
	template, _ := spec.Field("template")
	wrapped, _ := spec.Field("wrapped")
	name, _ := template.Field("name")
	assert.True(t, name.Same(script.TextSchema))
	assert.False(t, template.Same(nil))
	assert.False(t, wrapped.Same(spec))
	assert.Equal(t, "x has no field nam: did you mean name?", template.NoField("x", "nam"))
	assert.Equal(t, "x has no field other: want one of name", template.NoField("x", "other"))
}
