package script

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
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

// Form is what a value can be told to be from its schema, in words.
type Form string

// The forms. FormAny is that of values that can be several things, or of which nothing is known.
const (
	FormAny     Form = ""
	FormObject  Form = "an object"
	FormList    Form = "a list"
	FormText    Form = "a string"
	FormNumber  Form = "a number"
	FormBoolean Form = "true or false"
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

// Form returns what values of the schema are.
func (s *Schema) Form() Form {
	raw := s.resolved()
	if s == nil || raw["x-kubernetes-int-or-string"] == true || raw["format"] == "int-or-string" {
		return FormAny
	}
	switch raw["type"] {
	case "object":
		return FormObject
	case "array":
		return FormList
	case "string":
		return FormText
	case "integer", "number":
		return FormNumber
	case "boolean":
		return FormBoolean
	}
	if s.root || raw["properties"] != nil {
		return FormObject
	}
	return FormAny
}

// Field returns the schema of a field, nil when nothing is known about it, and whether there can be a field of that name.
func (s *Schema) Field(name string) (*Schema, bool) {
	if s == nil {
		return nil, true
	}
	raw := s.resolved()
	if s.root || raw["x-kubernetes-embedded-resource"] == true {
		switch name {
		case "apiVersion", "kind":
			return TextSchema, true
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
	if raw[reported] == true && !s.open() {
		return s.extra(name)
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

// Fields returns the names of the fields that the schema has, sorted.
func (s *Schema) Fields() []string {
	properties, _ := s.resolved()["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	if s.root {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Element returns the schema of a list's elements, or of a map's values; nil when nothing is known about them.
func (s *Schema) Element() *Schema {
	raw := s.resolved()
	for _, key := range []string{"items", "additionalProperties"} {
		if part, ok := raw[key].(map[string]any); ok {
			return s.part(part)
		}
	}
	return nil
}

// Optional tells whether a value of the schema may be without a field that the schema has: one that is not required, or
// may be null, and has no default. Apart from that, a whole object always has what every object in a cluster has, and a
// spec. Where the schema is open it says nothing, and the answer is false.
func (s *Schema) Optional(name string) bool {
	raw := s.resolved()
	if s == nil || (s.root || raw["x-kubernetes-embedded-resource"] == true) && slices.Contains([]string{"apiVersion", "kind", "metadata", "spec"}, name) {
		return false
	}
	properties, _ := raw["properties"].(map[string]any)
	property, ok := properties[name].(map[string]any)
	if !ok {
		_, isMap := raw["additionalProperties"].(map[string]any)
		return isMap
	}
	resolved := s.part(property).resolved()
	if property["default"] != nil || resolved["default"] != nil {
		return false
	}
	required, _ := raw["required"].([]any)
	return !slices.Contains(required, any(name)) || property["nullable"] == true || resolved["nullable"] == true
}

// Values returns the texts that a value can be, in their order; nil when it can be any.
func (s *Schema) Values() []string {
	enum, _ := s.resolved()["enum"].([]any)
	var values []string
	for _, value := range enum {
		text, ok := value.(string)
		if !ok {
			return nil
		}
		values = append(values, text)
	}
	return values
}

// Same tells whether two schemas surely are of the same values.
func (s *Schema) Same(other *Schema) bool {
	if s == nil || other == nil {
		return false
	}
	if f := s.Form(); f != FormObject && f != FormList && f != FormAny {
		return f == other.Form()
	}
	return s == other || reflect.ValueOf(s.raw).Pointer() == reflect.ValueOf(other.raw).Pointer()
}

// ErrOptional is the cause of a problem with a field that is read as one that may be absent: another version of the kind
// may have it.
var ErrOptional = errors.New("the field is read as one that may be absent")

// NoField returns the message that where, a value of the schema, has no field called name, with what was probably meant.
func (s *Schema) NoField(where, name string) string {
	message := fmt.Sprintf("%s has no field %s", where, name)
	names := s.Fields()
	if near := Nearest(name, names); near != "" {
		message += fmt.Sprintf(": did you mean %s?", near)
	} else if len(names) <= 12 {
		message += ": want one of " + strings.Join(names, ", ")
	}
	return message
}

func (s *Schema) part(raw map[string]any) *Schema {
	return &Schema{raw: raw, definitions: s.definitions}
}
