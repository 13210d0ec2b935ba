package cel

import (
	"maps"
	"slices"
)

// Schema is what is known about a value: a part of the OpenAPI schema of a kind, as a CustomResourceDefinition or the API
// server's own document has it. A nil Schema knows nothing.
type Schema struct {
	raw         map[string]any
	definitions func(ref string) map[string]any
	// root tells that the value is a whole object, with apiVersion, kind and metadata.
	root bool
}

// NewSchema returns the Schema of the objects of a kind. openAPI is the decoded schema; it must not be modified
// afterwards. definitions returns what a $ref of it refers to, nil for nothing; it may be nil when there are none.
func NewSchema(openAPI map[string]any, definitions func(ref string) map[string]any) *Schema {
	return &Schema{raw: openAPI, definitions: definitions, root: true}
}

// form is what a value can be told to be from its schema.
type form string

const (
	formAny     form = ""
	formObject  form = "an object"
	formList    form = "a list"
	formText    form = "a string"
	formNumber  form = "a number"
	formBoolean form = "true or false"
)

// resolved returns the schema behind references; nil for none.
func (s *Schema) resolved() map[string]any {
	if s == nil {
		return nil
	}
	raw := s.raw
	for range 16 { // references to references
		ref, ok := raw["$ref"].(string)
		if !ok {
			// OpenAPI v3 wraps a reference that has a default or a description of its own.
			if all, _ := raw["allOf"].([]any); len(all) == 1 && raw["type"] == nil && raw["properties"] == nil {
				if raw, ok = all[0].(map[string]any); ok {
					continue
				}
			}
			break
		}
		if s.definitions == nil {
			return nil
		}
		raw = s.definitions(ref)
	}
	return raw
}

// form returns what values of the schema are.
func (s *Schema) form() form {
	raw := s.resolved()
	if s == nil || raw["x-kubernetes-int-or-string"] == true || raw["format"] == "int-or-string" {
		return formAny
	}
	switch raw["type"] {
	case "object":
		return formObject
	case "array":
		return formList
	case "string":
		return formText
	case "integer", "number":
		return formNumber
	case "boolean":
		return formBoolean
	}
	if s.root || raw["properties"] != nil {
		return formObject
	}
	return formAny
}

// field returns the schema of a field, and whether there can be a field of that name.
func (s *Schema) field(name string) (*Schema, bool) {
	if s == nil {
		return nil, true
	}
	raw := s.resolved()
	if s.root || raw["x-kubernetes-embedded-resource"] == true {
		switch name {
		case "apiVersion", "kind":
			return textSchema, true
		case "metadata":
			return metadataSchema, true
		}
	}
	properties, _ := raw["properties"].(map[string]any)
	if property, ok := properties[name].(map[string]any); ok {
		return s.part(property), true
	}
	if values, ok := raw["additionalProperties"].(map[string]any); ok {
		return s.part(values), true
	}
	return nil, s.open()
}

// open tells whether there may be fields that the schema does not name.
func (s *Schema) open() bool {
	raw := s.resolved()
	properties, _ := raw["properties"].(map[string]any)
	switch {
	case len(properties) == 0, raw["x-kubernetes-preserve-unknown-fields"] == true:
		return true
	}
	switch additional := raw["additionalProperties"].(type) {
	case bool:
		return additional
	case map[string]any:
		return true
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if branches, ok := raw[key].([]any); ok && slices.ContainsFunc(branches, describesFields) {
			return true
		}
	}
	return false
}

// describesFields tells whether a branch of anyOf and the like adds fields.
func describesFields(branch any) bool {
	m, _ := branch.(map[string]any)
	return m["properties"] != nil || m["$ref"] != nil
}

// fields returns the names of the fields, sorted.
func (s *Schema) fields() []string {
	properties, _ := s.resolved()["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	if s.root {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// element returns the schema of a list's elements, or of a map's values.
func (s *Schema) element() *Schema {
	raw := s.resolved()
	for _, key := range []string{"items", "additionalProperties"} {
		if part, ok := raw[key].(map[string]any); ok {
			return s.part(part)
		}
	}
	return nil
}

func (s *Schema) part(raw map[string]any) *Schema {
	return &Schema{raw: raw, definitions: s.definitions}
}

func newObject(fields map[string]*Schema) *Schema {
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
	return s
}

func listOf(element *Schema) *Schema {
	if element == nil {
		return listSchema
	}
	return &Schema{raw: map[string]any{"type": "array", "items": element.raw}, definitions: element.definitions}
}

var (
	textSchema    = &Schema{raw: map[string]any{"type": "string"}}
	numberSchema  = &Schema{raw: map[string]any{"type": "number"}}
	booleanSchema = &Schema{raw: map[string]any{"type": "boolean"}}
	listSchema    = &Schema{raw: map[string]any{"type": "array"}}
	labelsSchema  = &Schema{raw: map[string]any{"type": "object", "additionalProperties": textSchema.raw}}

	metadataSchema = newObject(map[string]*Schema{
		"name": textSchema, "generateName": textSchema, "namespace": textSchema, "selfLink": textSchema, "uid": textSchema, "resourceVersion": textSchema,
		"generation": numberSchema, "creationTimestamp": textSchema, "deletionTimestamp": textSchema, "deletionGracePeriodSeconds": numberSchema,
		"labels": labelsSchema, "annotations": labelsSchema, "finalizers": listOf(textSchema), "managedFields": listSchema,
		"ownerReferences": listOf(newObject(map[string]*Schema{
			"apiVersion": textSchema, "kind": textSchema, "name": textSchema, "uid": textSchema, "controller": booleanSchema, "blockOwnerDeletion": booleanSchema,
		})),
	})

	placementSchema = newObject(map[string]*Schema{
		"cluster": textSchema,
		"targets": listOf(newObject(map[string]*Schema{
			"name": textSchema, "replicas": numberSchema,
			"components": listOf(newObject(map[string]*Schema{"name": textSchema, "replicas": numberSchema})),
		})),
	})
)

// anyObject is the schema of all objects: of their metadata.
var anyObject = NewSchema(nil, nil)

// itemsOf returns the schema of what the members report of objects of s.
func itemsOf(s *Schema) *Schema {
	status, _ := s.field("status")
	return listOf(newObject(map[string]*Schema{
		"clusterName": textSchema, "status": status, "applied": booleanSchema, "appliedMessage": textSchema, "health": textSchema,
	}))
}
