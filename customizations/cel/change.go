package cel

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// apply returns object with change, the result of an expression: a map is merged into it, a list is a list of patch
// operations. The object is only read, and the result shares no memory with it; it takes over that of change.
func (r *run) apply(object map[string]any, change any) (map[string]any, error) {
	switch change := change.(type) {
	case map[string]any:
		return merge(object, change), nil
	case []any:
		return r.patch(object, change)
	default:
		return nil, fmt.Errorf("want a map to merge into the object, or a list of patch operations, got %s", script.Describe(change))
	}
}

// merge returns target with patch merged into it, as RFC 7386 has it: maps merge, null deletes, anything else replaces.
func merge(target, patch map[string]any) map[string]any {
	out := make(map[string]any, len(target)+len(patch))
	for key, v := range target {
		if _, ok := patch[key]; !ok {
			out[key] = value.Copy(v)
		}
	}
	for key, change := range patch {
		switch change := change.(type) {
		case nil:
		case map[string]any:
			inner, _ := target[key].(map[string]any)
			out[key] = merge(inner, change)
		default:
			out[key] = change
		}
	}
	return out
}

// operation is one operation of a patch (RFC 6902).
type operation struct {
	name       string
	path, from []string
	value      any
}

// patch returns object with the operations of list carried out, one after the other.
func (r *run) patch(object map[string]any, list []any) (map[string]any, error) {
	var document any = object
	if len(list) > 0 {
		document = value.CopyMap(object)
	}
	for i, element := range list {
		op, err := parseOperation(element)
		if err == nil {
			document, err = r.carryOut(document, op)
		}
		if err != nil {
			return nil, script.InField("patch", script.InElement(i, err))
		}
	}
	out, ok := document.(map[string]any)
	switch {
	case !ok:
		return nil, fmt.Errorf("want an object after the patch, got %s", script.Describe(document))
	case len(list) == 0:
		out = value.CopyMap(out)
	}
	return out, nil
}

func parseOperation(v any) (op operation, err error) {
	m, ok := v.(map[string]any)
	if !ok {
		return op, fmt.Errorf(`want a patch operation such as {"op": "remove", "path": "/spec/replicas"}, got %s`, script.Describe(v))
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains([]string{"op", "path", "from", "value"}, key) {
			return op, fmt.Errorf("%s: unknown field: want one of op, path, from, value", key)
		}
	}
	if op.name, ok = m["op"].(string); !ok {
		return op, fmt.Errorf("op: want the name of an operation, got %s", script.Describe(m["op"]))
	}
	if op.path, err = parsePointer(m["path"]); err != nil {
		return op, fmt.Errorf("path: %w", err)
	}
	switch op.name {
	case "add", "replace", "test":
		if op.value, ok = m["value"]; !ok {
			return op, fmt.Errorf("value: want one for %s, got none", op.name)
		}
	case "move", "copy":
		if op.from, err = parsePointer(m["from"]); err != nil {
			return op, fmt.Errorf("from: %w", err)
		}
	case "remove":
	default:
		return op, fmt.Errorf("op: want one of add, remove, replace, move, copy, test, got %q", op.name)
	}
	return op, nil
}

// parsePointer reads a JSON pointer (RFC 6901).
func parsePointer(v any) ([]string, error) {
	text, ok := v.(string)
	if !ok || text != "" && text[0] != '/' {
		return nil, fmt.Errorf(`want a path such as "/spec/replicas", got %s`, script.Describe(v))
	}
	if text == "" {
		return nil, nil
	}
	tokens := strings.Split(text[1:], "/")
	for i, token := range tokens {
		rest := strings.ReplaceAll(strings.ReplaceAll(token, "~0", ""), "~1", "")
		if strings.Contains(rest, "~") {
			return nil, fmt.Errorf("%q: want ~0 for ~ and ~1 for /", text)
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens, nil
}

// pointer is parsePointer's inverse.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return strconv.Quote(b.String())
}

func (r *run) carryOut(document any, op operation) (any, error) {
	switch op.name {
	case "add":
		return r.add(document, op.path, op.value)
	case "remove":
		_, out, err := r.remove(document, op.path)
		return out, err
	case "replace":
		return r.replace(document, op.path, op.value)
	case "move":
		if len(op.path) > len(op.from) && slices.Equal(op.path[:len(op.from)], op.from) {
			return nil, fmt.Errorf("path: want a place outside of %s, which is moved, got %s", pointer(op.from), pointer(op.path))
		}
		value, out, err := r.remove(document, op.from)
		if err != nil {
			return nil, err
		}
		return r.add(out, op.path, value)
	case "copy":
		value, err := get(document, op.from)
		if err != nil {
			return nil, err
		}
		return r.add(document, op.path, r.copyValue(value))
	default:
		value, err := get(document, op.path)
		if err != nil {
			return nil, err
		}
		if !sameValue(value, op.value) {
			return nil, fmt.Errorf("test: %s is %s: want %s", pointer(op.path), script.Describe(value), script.Describe(op.value))
		}
		return document, nil
	}
}

// get returns the value at path.
func get(document any, path []string) (any, error) {
	for i, token := range path {
		switch d := document.(type) {
		case map[string]any:
			value, ok := d[token]
			if !ok {
				return nil, absent(path[:i+1])
			}
			document = value
		case []any:
			n, err := index(token, len(d)-1, path[:i+1])
			if err != nil {
				return nil, err
			}
			document = d[n]
		default:
			return nil, noContainer(path[:i], document)
		}
	}
	return document, nil
}

// within returns document with the container at path[:len(path)-1] changed by change, which is given the container.
func within(document any, path []string, change func(container any) (any, error)) (any, error) {
	container, err := get(document, path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	changed, err := change(container)
	if err != nil {
		return nil, err
	}
	if len(path) == 1 {
		return changed, nil
	}
	// A map is changed in place; a list may be a new one, which its own container has to hold.
	if list, ok := changed.([]any); ok {
		return within(document, path[:len(path)-1], func(outer any) (any, error) {
			token := path[len(path)-2]
			switch o := outer.(type) {
			case map[string]any:
				o[token] = list
			case []any:
				n, err := index(token, len(o)-1, path[:len(path)-1])
				if err != nil {
					return nil, err
				}
				o[n] = list
			}
			return outer, nil
		})
	}
	return document, nil
}

func (r *run) add(document any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	token := path[len(path)-1]
	return within(document, path, func(container any) (any, error) {
		switch c := container.(type) {
		case map[string]any:
			r.charge(1, bytesEntry)
			c[token] = value
			return c, nil
		case []any:
			n := len(c)
			if token != "-" {
				var err error
				if n, err = index(token, len(c), path); err != nil {
					return nil, err
				}
			}
			r.charge(stepsFor(int64(len(c))), bytesElement*int64(len(c)+1))
			return slices.Insert(c, n, value), nil
		default:
			return nil, noContainer(path[:len(path)-1], container)
		}
	})
}

func (r *run) remove(document any, path []string) (removed, out any, err error) {
	if len(path) == 0 {
		return nil, nil, errors.New("path: want a place in the object, got the whole object")
	}
	token := path[len(path)-1]
	out, err = within(document, path, func(container any) (any, error) {
		switch c := container.(type) {
		case map[string]any:
			var ok bool
			if removed, ok = c[token]; !ok {
				return nil, absent(path)
			}
			delete(c, token)
			return c, nil
		case []any:
			n, err := index(token, len(c)-1, path)
			if err != nil {
				return nil, err
			}
			removed = c[n]
			r.charge(stepsFor(int64(len(c))), 0)
			return slices.Delete(c, n, n+1), nil
		default:
			return nil, noContainer(path[:len(path)-1], container)
		}
	})
	return removed, out, err
}

func (r *run) replace(document any, path []string, value any) (any, error) {
	if _, err := get(document, path); err != nil || len(path) == 0 {
		return value, err
	}
	token := path[len(path)-1]
	return within(document, path, func(container any) (any, error) {
		switch c := container.(type) {
		case map[string]any:
			c[token] = value
		case []any:
			n, err := index(token, len(c)-1, path)
			if err != nil {
				return nil, err
			}
			c[n] = value
		}
		return container, nil
	})
}

// index reads the index of an element, at most last.
func index(token string, last int, path []string) (int, error) {
	n, err := strconv.Atoi(token)
	if err != nil || n < 0 || token != strconv.Itoa(n) {
		return 0, fmt.Errorf("%s: want the index of an element of the list, got %q", pointer(path), shorten(token))
	}
	if n > last {
		return 0, fmt.Errorf("%s: want at most %d, got %d: the list is no longer", pointer(path), last, n)
	}
	return n, nil
}

func absent(path []string) error {
	return fmt.Errorf("%s: there is nothing at this path", pointer(path))
}

func noContainer(path []string, v any) error {
	return fmt.Errorf("%s: want a map or a list, got %s", pointer(path), script.Describe(v))
}

// sameValue tells whether two plain values are equal; numbers are compared by value.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case int64:
		if f, ok := b.(float64); ok {
			return f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 && int64(f) == a
		}
	case float64:
		if _, ok := b.(int64); ok {
			return sameValue(b, a)
		}
	}
	return a == b
}
