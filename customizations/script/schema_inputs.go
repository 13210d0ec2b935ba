package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// The schemas of plain values.
var (
	TextSchema    = &Schema{raw: map[string]any{"type": "string"}}
	NumberSchema  = &Schema{raw: map[string]any{"type": "number"}}
	BooleanSchema = &Schema{raw: map[string]any{"type": "boolean"}}

	listSchema   = &Schema{raw: map[string]any{"type": "array"}}
	labelsSchema = &Schema{raw: map[string]any{"type": "object", "additionalProperties": TextSchema.raw}}
)

// AnyObject is the schema of all objects: of their metadata.
var AnyObject = NewSchema(nil, nil)

// ObjectOf returns the schema of maps with the given fields. A nil schema is a field about which nothing is known.
func ObjectOf(fields map[string]*Schema, required ...string) *Schema {
	properties := map[string]any{}
	s := &Schema{raw: map[string]any{"type": "object", "properties": properties}}
	for name, field := range fields {
		if field == nil {
			field = &Schema{}
		}
		properties[name] = field.raw
		if field.definitions != nil {
			s.definitions = field.definitions
		}
	}
	names := make([]any, len(required))
	for i, name := range required {
		names[i] = name
	}
	s.raw["required"] = names
	return s
}

// ListOf returns the schema of lists of element; of any lists when it is nil.
func ListOf(element *Schema) *Schema {
	if element == nil {
		return listSchema
	}
	return &Schema{raw: map[string]any{"type": "array", "items": element.raw}, definitions: element.definitions}
}

// InputSchema returns the schema of an input of operations on objects of the given schema; nil for an input that there is
// not.
func InputSchema(in interpreter.Input, object *Schema) *Schema {
	switch in {
	case interpreter.InputObject, interpreter.InputObserved:
		return object
	case interpreter.InputItems:
		return itemsOf(object)
	case interpreter.InputContext:
		return placementSchema
	case interpreter.InputReplicas:
		return NumberSchema
	}
	return nil
}

// Reported returns the schema of the statuses that members report of objects of s. Besides what the objects have there,
// rules may put into them what they like, such as the generation; only a name that is nearly one of the schema's is taken
// for a mistake.
func (s *Schema) Reported() *Schema {
	status, _ := s.Field("status")
	if status.resolved() == nil {
		return nil
	}
	raw := maps.Clone(status.resolved())
	raw[reported] = true
	return status.part(raw)
}

// reported marks the schema of a reported status.
const reported = "x-dragoman-reported"

// extra returns what is known about a field of a reported status that the objects' own status has not.
func (s *Schema) extra(name string) (*Schema, bool) {
	if name == "generation" || name == "resourceTemplateGeneration" {
		return NumberSchema, true
	}
	return nil, !slices.ContainsFunc(s.Fields(), func(other string) bool {
		return value.Distance(strings.ToLower(name), strings.ToLower(other)) <= 2
	})
}

// itemsOf returns the schema of what the members report of objects of s.
func itemsOf(s *Schema) *Schema {
	status := s.Reported()
	return ListOf(ObjectOf(map[string]*Schema{
		"clusterName": TextSchema, "status": status, "applied": BooleanSchema, "appliedMessage": TextSchema, "health": TextSchema,
	}, "clusterName"))
}

var (
	metadataSchema = ObjectOf(map[string]*Schema{
		"name": TextSchema, "generateName": TextSchema, "namespace": TextSchema, "selfLink": TextSchema, "uid": TextSchema, "resourceVersion": TextSchema,
		"generation": NumberSchema, "creationTimestamp": TextSchema, "deletionTimestamp": TextSchema, "deletionGracePeriodSeconds": NumberSchema,
		"labels": labelsSchema, "annotations": labelsSchema, "finalizers": ListOf(TextSchema), "managedFields": listSchema,
		"ownerReferences": ListOf(ObjectOf(map[string]*Schema{
			"apiVersion": TextSchema, "kind": TextSchema, "name": TextSchema, "uid": TextSchema, "controller": BooleanSchema, "blockOwnerDeletion": BooleanSchema,
		}, "apiVersion", "kind", "name", "uid")),
	}, "name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp")

	placementSchema = ObjectOf(map[string]*Schema{
		"cluster": TextSchema,
		"targets": ListOf(ObjectOf(map[string]*Schema{
			"name": TextSchema, "replicas": NumberSchema,
			"components": ListOf(ObjectOf(map[string]*Schema{"name": TextSchema, "replicas": NumberSchema}, "name", "replicas")),
		}, "name", "replicas")),
	})
)
