package webhook

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// applyPatch returns what the JSON patch makes of the object, which it leaves alone and shares no memory with. What the
// patch does not touch comes back as it was.
//
// Additions, replacements and removals in what is there, all that the difference of two objects consists of, are made in
// place in a copy. Everything else is the library's: the other operations, and every patch that does not apply.
func applyPatch(object map[string]any, patch []byte) (map[string]any, error) {
	parsed, err := parseJSON(patch)
	if err != nil {
		return nil, fmt.Errorf("want a list of operations (RFC 6902): %w", err)
	}
	operations, ok := parsed.([]any)
	switch {
	case parsed == nil: // a list that was never made, as Go writes it; the library takes it for an empty one
		return value.CopyMap(object), nil
	case !ok:
		return nil, fmt.Errorf("want a list of operations (RFC 6902), got %s", describe(parsed))
	case len(operations) > maxPatchOperations:
		return nil, fmt.Errorf("want at most %d operations, got %d", maxPatchOperations, len(operations))
	}
	if content, ok := applyInPlace(value.CopyMap(object), operations); ok {
		return content, nil
	}
	return applyByLibrary(object, patch)
}

func applyByLibrary(object map[string]any, patch []byte) (map[string]any, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, fmt.Errorf("want a list of operations (RFC 6902): %w", err)
	}
	data, err := appendJSON(nil, object)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.AccumulatedCopySizeLimit = maxPatchCopies
	patched, err := operations.ApplyWithOptions(data, options)
	if err != nil {
		return nil, err
	}
	parsed, err := parseJSON(patched)
	if err != nil {
		return nil, err
	}
	content, ok := parsed.(map[string]any)
	if !ok {
		return nil, errors.New("want it to leave an object, got " + describe(parsed))
	}
	return content, nil
}

// applyInPlace applies operations to object, and tells whether it could.
func applyInPlace(object map[string]any, operations []any) (map[string]any, bool) {
	for _, operation := range operations {
		o, ok := operation.(map[string]any)
		if !ok {
			return nil, false
		}
		op, _ := o["op"].(string)
		path, _ := o["path"].(string)
		value, hasValue := o["value"]
		if op != "remove" && !hasValue || !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
			return nil, false
		}
		if _, ok := applyAt(object, op, path[1:], value); !ok {
			return nil, false
		}
	}
	return object, true
}

// applyAt applies one operation at a path below container, and returns the container, which is another slice when the
// length of a list changed. The path has no slash in front.
func applyAt(container any, op, path string, value any) (any, bool) {
	token, rest, inner := strings.Cut(path, "/")
	switch c := container.(type) {
	case map[string]any:
		name := pointerUnescaper.Replace(token)
		old, exists := c[name]
		if inner {
			changed, ok := applyAt(old, op, rest, value)
			if ok {
				c[name] = changed
			}
			return c, ok
		}
		switch {
		case op == "add", op == "replace" && exists:
			c[name] = value
		case op == "remove" && exists:
			delete(c, name)
		default:
			return c, false
		}
		return c, true
	case []any:
		i, ok := index(token)
		if !ok || i > len(c) || i == len(c) && (inner || op != "add") {
			return c, false
		}
		if inner {
			changed, ok := applyAt(c[i], op, rest, value)
			c[i] = changed
			return c, ok
		}
		switch op {
		case "add":
			return slices.Insert(c, i, value), true
		case "replace":
			c[i] = value
			return c, true
		case "remove":
			return slices.Delete(c, i, i+1), true
		}
	}
	return container, false
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// index reads an index as RFC 6901 has it.
func index(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == token
}
