package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/openapi"
)

const again = "make update writes it again"

// TestCommitted holds the file to what this command writes, as far as that can be told without a server.
func TestCommitted(t *testing.T) {
	packed, err := os.ReadFile("../../openapi/kubernetes.json.gz")
	require.NoError(t, err)
	assert.Less(t, len(packed), 100_000)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	var file openapi.File
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&file))
	assert.Equal(t, clusters.KubernetesVersion, file.Version, again)
	var encoded bytes.Buffer
	require.NoError(t, json.NewEncoder(&encoded).Encode(file))
	assert.Equal(t, encoded.String(), string(text), again)

	used := map[string]bool{}
	for _, kind := range file.Kinds {
		used[kind.Definition] = true
	}
	for name, definition := range file.Definitions {
		for key := range definition {
			assert.Contains(t, []string{"type", "required", "properties", "items", "additionalProperties", "x-kubernetes-int-or-string"}, key, name)
		}
		references(definition, func(ref string) {
			used[ref] = true
			assert.Contains(t, file.Definitions, ref, "%s refers to it", name)
		})
	}
	assert.Len(t, used, len(file.Definitions), "definitions that nothing refers to; "+again)
}

// references calls found for every $ref in value.
func references(value any, found func(ref string)) {
	switch value := value.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok {
			found(ref)
		}
		for _, part := range value {
			references(part, found)
		}
	case []any:
		for _, part := range value {
			references(part, found)
		}
	}
}

func TestReduce(t *testing.T) {
	documents := [][]byte{[]byte(`{"components": {"schemas": {
		"example.v1.Widget": {
			"description": "A widget.", "type": "object", "required": ["spec"],
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}],
			"properties": {
				"apiVersion": {"type": "string", "description": "..."},
				"metadata": {"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}], "default": {}},
				"spec": {"$ref": "#/components/schemas/example.v1.WidgetSpec"}}},
		"example.v1.WidgetSpec": {
			"type": "object", "properties": {
				"children": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/example.v1.WidgetSpec"}], "default": {}}},
				"port": {"$ref": "#/components/schemas/example.v1.Port", "description": "A port. Defaults to 80."},
				"replicas": {"type": "integer", "description": "How many. Defaults to 1."},
				"offset": {"type": "integer", "description": "Where. Defaults to 0, which is not written."},
				"owner": {"type": "string", "default": "nobody"},
				"template": {"allOf": [{"$ref": "#/components/schemas/example.v1.WidgetSpec"}], "default": {}},
				"sizes": {"type": "object", "description": "Defaults to Limits, if there are any.", "additionalProperties": {"type": "integer", "format": "int32"}},
				"raw": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
		"example.v1.WidgetList": {
			"type": "object",
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "WidgetList"}],
			"properties": {"metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}}},
		"example.v1.Unused": {"type": "object"}}}}`),
		[]byte(`{"components": {"schemas": {
		"example.v1.Port": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
		"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}}}}}}`),
	}
	want := `{
		"version": "v1.2.3",
		"kinds": [{"group": "example.com", "version": "v1", "kind": "Widget", "definition": "example.v1.Widget"}],
		"definitions": {
			"example.v1.Widget": {"type": "object", "required": ["spec"], "properties": {
				"apiVersion": {"type": "string"},
				"metadata": {"$ref": "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "default": {}},
				"spec": {"$ref": "example.v1.WidgetSpec"}}},
			"example.v1.WidgetSpec": {"type": "object", "properties": {
				"children": {"type": "array", "items": {"$ref": "example.v1.WidgetSpec"}},
				"port": {"$ref": "example.v1.Port", "default": "80"},
				"replicas": {"type": "integer", "default": "1"},
				"offset": {"type": "integer"},
				"owner": {"type": "string", "default": "nobody"},
				"template": {"$ref": "example.v1.WidgetSpec", "default": {}},
				"sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
				"raw": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
			"example.v1.Port": {"x-kubernetes-int-or-string": true},
			"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}}}}}`
	var first []byte
	for range 10 { // maps have no order
		file, err := reduce("v1.2.3", documents)
		require.NoError(t, err)
		got, err := json.Marshal(file)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
		packed, err := pack(file)
		require.NoError(t, err)
		if first == nil {
			first = packed
		}
		require.Equal(t, first, packed)
		slices.Reverse(documents)
	}
}

func TestReduceRefuses(t *testing.T) {
	for _, tc := range []struct{ reason, document, want string }{
		{"no JSON", `{`, "unexpected end of JSON input"},
		{"no kinds", `{}`, "want definitions of kinds, got none"},
		{
			"a reference that leads nowhere",
			`{"components": {"schemas": {"Widget": {
				"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Widget"}],
				"properties": {"metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}}}}}`,
			"Widget: want a definition of io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta, which it refers to, got none",
		},
		{
			"a property that is no schema",
			`{"components": {"schemas": {
				"Widget": {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Widget"}],
					"properties": {"metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}},
				"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"properties": {"name": "string"}}}}}`,
			"Widget: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta: property name: want a schema, got string",
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := reduce("v1.2.3", [][]byte{[]byte(tc.document)})
			require.EqualError(t, err, tc.want)
		})
	}
}
