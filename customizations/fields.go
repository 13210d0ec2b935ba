package customizations

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// check reports what in node does not fit the Go type t: fields that t does not have, keys that appear twice, values of
// another shape. path is node's path.
func (d *decoder) check(node *yaml.Node, t reflect.Type, path string) {
	node = resolve(node)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if node.ShortTag() == "!!null" || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if d.isKind(node, yaml.MappingNode, path) {
			d.checkStruct(node, t, path)
		}
	case reflect.Map:
		if d.isKind(node, yaml.MappingNode, path) {
			d.eachKey(node, path, func(key, child *yaml.Node) { d.check(child, t.Elem(), join(path, key.Value)) })
		}
	case reflect.Slice:
		if d.isKind(node, yaml.SequenceNode, path) {
			for i, child := range node.Content {
				d.check(child, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
			}
		}
	case reflect.String:
		if d.isKind(node, yaml.ScalarNode, path) && node.ShortTag() != "!!str" {
			d.fail(node, path, fmt.Errorf("want a string, got %s: put it in quotes", node.Value))
		}
	default:
		d.isKind(node, yaml.ScalarNode, path)
	}
}

func (d *decoder) isKind(node *yaml.Node, kind yaml.Kind, path string) bool {
	if node.Kind == kind {
		return true
	}
	d.fail(node, path, fmt.Errorf("want %s, got %s", nodeKind(&yaml.Node{Kind: kind}), nodeKind(node)))
	return false
}

func (d *decoder) checkStruct(node *yaml.Node, t reflect.Type, path string) {
	fields := jsonFields(t)
	d.eachKey(node, path, func(key, child *yaml.Node) {
		if field, ok := fields[key.Value]; ok {
			d.check(child, field, join(path, key.Value))
			return
		}
		message := "unknown field"
		if near := nearest(key.Value, fields); near != "" {
			message += fmt.Sprintf(", did you mean %q?", near)
		}
		d.fail(key, join(path, key.Value), errors.New(message))
	})
}

// eachKey calls f for each key of a mapping, those merged with << included, and reports keys that appear twice.
func (d *decoder) eachKey(node *yaml.Node, path string, f func(key, child *yaml.Node)) {
	seen := make(map[string]bool, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, child := node.Content[i], node.Content[i+1]
		if key.ShortTag() == "!!merge" {
			if merged := resolve(child); merged.Kind == yaml.MappingNode {
				d.eachKey(merged, path, f)
			}
			continue
		}
		if seen[key.Value] {
			d.fail(key, join(path, key.Value), errors.New("appears twice"))
			continue
		}
		seen[key.Value] = true
		f(key, child)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// jsonFields returns the types of t's fields by JSON name, those of embedded structs included.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (options == "inline" || field.Anonymous):
			maps.Copy(fields, jsonFields(field.Type))
		case name != "":
			fields[name] = field.Type
		}
	}
	return fields
}

// nearest returns the name of fields that is most like name, or empty when none is much like it.
func nearest(name string, fields map[string]reflect.Type) string {
	best, bestDistance := "", max(2, len(name)/3)+1
	for field := range fields {
		distance := editDistance(strings.ToLower(name), strings.ToLower(field))
		if distance < bestDistance || distance == bestDistance && field < best {
			best, bestDistance = field, distance
		}
	}
	return best
}

// editDistance is the number of insertions, deletions and replacements that make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, replaced)
		}
	}
	return slices.Max(row[len(b):])
}

// value returns the value of key in a mapping, those merged with << included, or nil.
func value(node *yaml.Node, key string) *yaml.Node {
	node = resolve(node)
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		switch k := node.Content[i]; {
		case k.ShortTag() == "!!merge":
			merged = node.Content[i+1]
		case k.Value == key:
			return resolve(node.Content[i+1])
		}
	}
	if merged != nil {
		return value(merged, key)
	}
	return nil
}

func resolve(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// text returns the text of a scalar; empty for none.
func text(node *yaml.Node) string {
	if node = resolve(node); node == nil || node.ShortTag() == "!!null" {
		return ""
	}
	return node.Value
}

func orElse(node, otherwise *yaml.Node) *yaml.Node {
	if node == nil {
		return otherwise
	}
	return node
}

func nodeKind(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}
