package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/openapi"
)

// refPrefix begins the references inside an API server's document.
const refPrefix = "#/components/schemas/"

// objectMeta is the definition that tells an object that is stored from lists, options and the like.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// A document is the OpenAPI of one group and version.
type document struct {
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

// reduce returns the snapshot of what a server of that version says in its documents: the kinds that have metadata, and what
// their definitions refer to.
func reduce(version string, documents [][]byte) (openapi.File, error) {
	file := openapi.File{Version: version, Definitions: map[string]map[string]any{}}
	all := map[string]map[string]any{}
	for _, data := range documents {
		var d document
		if err := json.Unmarshal(data, &d); err != nil {
			return file, err
		}
		maps.Copy(all, d.Components.Schemas)
	}
	for name, definition := range all {
		if kind, ok := kindOf(name, definition); ok {
			file.Kinds = append(file.Kinds, kind)
			if err := define(file.Definitions, name, all); err != nil {
				return file, err
			}
		}
	}
	if len(file.Kinds) == 0 {
		return file, errors.New("want definitions of kinds, got none")
	}
	slices.SortFunc(file.Kinds, func(a, b openapi.Kind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	return file, nil
}

// kindOf returns the kind that a definition is of, if it is that of an object with metadata of its own.
func kindOf(name string, definition map[string]any) (openapi.Kind, bool) {
	kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
	properties, _ := definition["properties"].(map[string]any)
	metadata, _ := properties["metadata"].(map[string]any)
	if len(kinds) != 1 || reference(metadata) != objectMeta {
		return openapi.Kind{}, false
	}
	gvk, _ := kinds[0].(map[string]any)
	text := func(key string) string {
		value, _ := gvk[key].(string)
		return value
	}
	return openapi.Kind{Group: text("group"), Version: text("version"), Kind: text("kind"), Definition: name}, true
}

// reference returns the name of the definition that a schema refers to, empty for none. A reference with a description or a
// default of its own is wrapped in allOf.
func reference(schema map[string]any) string {
	if all, _ := schema["allOf"].([]any); len(all) == 1 {
		if wrapped, ok := all[0].(map[string]any); ok {
			schema = wrapped
		}
	}
	ref, _ := schema["$ref"].(string)
	return strings.TrimPrefix(ref, refPrefix)
}

// define adds to definitions that of a name, and those that it refers to.
func define(definitions map[string]map[string]any, name string, all map[string]map[string]any) error {
	if definitions[name] != nil {
		return nil
	}
	definition := all[name]
	definitions[name] = map[string]any{} // it may refer to itself
	reduced, err := structure(definition, func(ref string) error {
		if all[ref] == nil {
			return fmt.Errorf("want a definition of %s, which it refers to, got none", ref)
		}
		return define(definitions, ref, all)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	definitions[name] = reduced
	return nil
}

// saysDefault matches what descriptions say of the values that the server sets where there is none.
var saysDefault = regexp.MustCompile(`\b[Dd]efaults to "?((?:[1-9A-Z]|0[0-7])\w*|true\b)`)

// defaultOf returns the default of a field, nil for none. A field with one is in every object that the server has stored: a
// structure is always written, {}, and what the server's code sets, only descriptions tell.
func defaultOf(field map[string]any) any {
	if value := field["default"]; value != nil {
		return value
	}
	description, _ := field["description"].(string)
	if field["additionalProperties"] != nil {
		return nil // requests of resources, "defaults to Limits if that is specified"
	}
	if found := saysDefault.FindStringSubmatch(description); found != nil {
		return found[1]
	}
	return nil
}

// structure returns what a schema says of fields and the types of values, and calls refer for the definitions it refers to.
func structure(schema map[string]any, refer func(name string) error) (map[string]any, error) {
	if ref := reference(schema); ref != "" {
		return map[string]any{"$ref": ref}, refer(ref)
	}
	reduced := map[string]any{}
	for _, key := range []string{"type", "required", "x-kubernetes-preserve-unknown-fields"} {
		if value, ok := schema[key]; ok {
			reduced[key] = value
		}
	}
	// Numbers or strings: quantities and ports.
	if either, _ := schema["oneOf"].([]any); len(either) == 2 && schema["properties"] == nil {
		delete(reduced, "type")
		reduced["x-kubernetes-int-or-string"] = true
	}
	for _, key := range []string{"items", "additionalProperties"} {
		part, ok := schema[key].(map[string]any)
		if !ok {
			continue
		}
		value, err := structure(part, refer)
		if err != nil {
			return nil, err
		}
		reduced[key] = value
	}
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return reduced, nil
	}
	fields := make(map[string]any, len(properties))
	for name, value := range properties {
		part, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("property %s: want a schema, got %v", name, value)
		}
		field, err := structure(part, refer)
		if err != nil {
			return nil, err
		}
		if value := defaultOf(part); value != nil {
			field["default"] = value
		}
		fields[name] = field
	}
	reduced["properties"] = fields
	return reduced, nil
}
