package override

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    policyv1alpha1.OverriderOperator `json:"op"`
	Path  string                           `json:"path"`
	Value json.RawMessage                  `json:"value,omitempty"`
}

// patch applies operations to a JSON document. Numbers that are not touched keep every digit.
func patch(document []byte, operations []operation) ([]byte, error) {
	encoded, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	decoded, err := jsonpatch.DecodePatch(encoded)
	if err != nil {
		return nil, err
	}
	return decoded.Apply(document)
}

// plaintext applies JSON patch operations to the object.
func (t *target) plaintext(overriders []policyv1alpha1.PlaintextOverrider) error {
	operations := make([]operation, len(overriders))
	for i, o := range overriders {
		operations[i] = operation{Op: o.Operator, Path: o.Path, Value: o.Value.Raw}
	}
	document, err := json.Marshal(t.object.Object)
	if err != nil {
		return err
	}
	if document, err = patch(document, operations); err != nil {
		return err
	}
	changed := map[string]any{}
	if err := utiljson.Unmarshal(document, &changed); err != nil {
		return err
	}
	t.object = &unstructured.Unstructured{Object: changed}
	return nil
}

// field changes the document that a field holds as text.
func (t *target) field(o *policyv1alpha1.FieldOverrider) error {
	decode, encode, given := jsonDocument, jsonText, o.JSON
	if len(o.YAML) > 0 {
		decode, encode, given = yaml.YAMLToJSONStrict, yaml.JSONToYAML, o.YAML
	}
	if len(given) == 0 {
		return nil
	}
	operations := make([]operation, len(given))
	for i, g := range given {
		operations[i] = operation{Op: g.Operator, Path: g.SubPath, Value: g.Value.Raw}
	}
	return t.editText(o.FieldPath, func(text string) (string, error) {
		document, err := decode([]byte(text))
		if err != nil {
			return "", err
		}
		if document, err = patch(document, operations); err != nil {
			return "", err
		}
		changed, err := encode(document)
		return string(changed), err
	})
}

func jsonDocument(text []byte) ([]byte, error) {
	if !json.Valid(text) {
		return nil, fmt.Errorf("want a JSON document, got %.40q", text)
	}
	return text, nil
}

func jsonText(document []byte) ([]byte, error) { return document, nil }

// editText replaces the string at a JSON pointer by what edit makes of it. No string there is an error.
func (t *target) editText(pointer string, edit func(string) (string, error)) error {
	segments := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	var parent any = t.object.Object
	for i, segment := range segments {
		at := "/" + strings.Join(segments[:i+1], "/")
		value, set, ok := child(parent, unescapePointer(segment))
		if !ok {
			return fmt.Errorf("%s: want a value, got none", at)
		}
		if i < len(segments)-1 {
			parent = value
			continue
		}
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("%s: want a string, got %T", at, value)
		}
		changed, err := edit(text)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		set(changed)
	}
	return nil
}

// child returns the value of a key or an index, and a function that replaces it.
func child(parent any, key string) (value any, set func(any), ok bool) {
	switch p := parent.(type) {
	case map[string]any:
		v, present := p[key]
		return v, func(v any) { p[key] = v }, present
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(p) {
			return nil, nil, false
		}
		return p[i], func(v any) { p[i] = v }, true
	}
	return nil, nil, false
}

func unescapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

func joinPointer(path []string) string {
	escaped := make([]string, len(path))
	for i, s := range path {
		escaped[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
	}
	return strings.Join(escaped, "/")
}
