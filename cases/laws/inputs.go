package laws

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// inputs are what a question is asked with, as plain values by the names that interpreter.Input has for them. Changing
// them is how new questions are made.
type inputs map[string]any

const (
	inputObject   = string(interpreter.InputObject)
	inputObserved = string(interpreter.InputObserved)
	inputReplicas = string(interpreter.InputReplicas)
	inputItems    = string(interpreter.InputItems)
)

// inputsOf returns the inputs of a case's question. They share no memory with it.
func inputsOf(c *cases.Case) inputs {
	req := c.Request()
	out := inputs{}
	for _, in := range c.Operation.Info().Inputs {
		out[string(in)] = runtime.DeepCopyJSONValue(script.EncodeInput(req, in))
	}
	return out
}

func (q inputs) clone() inputs { return runtime.DeepCopyJSON(q) }

// request returns the question op with these inputs. It shares their memory. An error means that nobody could ask it.
func (q inputs) request(op interpreter.Operation) (*interpreter.Request, error) {
	req := &interpreter.Request{Operation: op}
	for _, name := range op.Info().Inputs {
		if err := script.DecodeInput(req, name, q[string(name)]); err != nil {
			return nil, err
		}
	}
	return req, req.Complete()
}

// object returns the object that the question is about.
func (q inputs) object() map[string]any { return q.at(inputObject) }

func (q inputs) at(name string) map[string]any {
	m, _ := q[name].(map[string]any)
	return m
}

// items returns the members' reports; nil when there is no list.
func (q inputs) items() []any {
	list, _ := q[inputItems].([]any)
	return list
}

// with returns other inputs: these with value in place of the input called name.
func (q inputs) with(name string, value any) inputs {
	out := q.clone()
	out[name] = runtime.DeepCopyJSONValue(value)
	return out
}

// identity are the fields of an object that make it the object it is.
var identity = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// isFixed tells whether the value at path must stay for the question to make sense.
func isFixed(path manifest.Path) bool {
	switch name, _ := path[0].(string); {
	case len(path) == 1:
		return true
	case name == inputObject || name == inputObserved:
		key, _ := path[1].(string)
		if len(path) == 2 {
			return identity[key]
		}
		field, _ := path[2].(string)
		return len(path) == 3 && key == "metadata" && (field == "name" || field == "namespace" || field == "uid")
	case name == inputItems:
		return len(path) == 3 && path[2] == "clusterName"
	default:
		return true
	}
}

// visit calls f with every value of the inputs, outer ones first, the keys of maps sorted. When f returns false the
// values inside are left out.
func (q inputs) visit(f func(path manifest.Path, value any) bool) {
	for _, name := range slices.Sorted(maps.Keys(q)) {
		visit(manifest.Path{name}, q[name], f)
	}
}

func visit(path manifest.Path, value any, f func(manifest.Path, any) bool) {
	if !f(path, value) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(path.With(key), v[key], f)
		}
	case []any:
		for i, element := range v {
			visit(path.With(i), element, f)
		}
	}
}

// get returns the value at path, and whether there is one.
func get(value any, path manifest.Path) (any, bool) {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			inner, ok := m[s]
			if !ok {
				return nil, false
			}
			value = inner
		case int:
			list, ok := value.([]any)
			if !ok || s >= len(list) {
				return nil, false
			}
			value = list[s]
		}
	}
	return value, true
}

// edit calls change with the value that holds the last step of path, and puts what it returns in its place. It tells
// whether there is such a value.
func edit(value any, path manifest.Path, change func(parent any, step any) any) (any, bool) {
	if len(path) == 1 {
		out := change(value, path[0])
		return out, out != nil
	}
	switch s := path[0].(type) {
	case string:
		m, ok := value.(map[string]any)
		if !ok {
			return value, false
		}
		inner, ok := edit(m[s], path[1:], change)
		if ok {
			m[s] = inner
		}
		return m, ok
	case int:
		list, ok := value.([]any)
		if !ok || s >= len(list) {
			return value, false
		}
		inner, ok := edit(list[s], path[1:], change)
		if ok {
			list[s] = inner
		}
		return list, ok
	}
	return value, false
}

// set puts value at path, whose parent must be there. It tells whether it was.
func (q inputs) set(path manifest.Path, value any) bool {
	_, ok := edit(map[string]any(q), path, func(parent, step any) any {
		switch p := parent.(type) {
		case map[string]any:
			if key, ok := step.(string); ok {
				p[key] = value
				return p
			}
		case []any:
			if i, ok := step.(int); ok && i < len(p) {
				p[i] = value
				return p
			}
		}
		return nil
	})
	return ok
}

// remove takes out the value at path. It tells whether there was one.
func (q inputs) remove(path manifest.Path) bool {
	if _, ok := get(map[string]any(q), path); !ok {
		return false
	}
	_, ok := edit(map[string]any(q), path, func(parent, step any) any {
		switch p := parent.(type) {
		case map[string]any:
			delete(p, step.(string)) //nolint:forcetypeassert // get has found it
			return p
		case []any:
			i := step.(int) //nolint:forcetypeassert // get has found it
			return slices.Delete(slices.Clone(p), i, i+1)
		}
		return nil
	})
	return ok
}

// anywhere returns path with every index of a list made the same: the field that it is, wherever it stands.
func anywhere(path manifest.Path) string {
	out := make(manifest.Path, len(path))
	for i, step := range path {
		if _, isIndex := step.(int); isIndex {
			step = manifest.Element("")
		}
		out[i] = step
	}
	return out.String()
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// isEmpty tells whether a value says no more than that nothing is there: null, zero, false, "", {} and [].
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return reflect.ValueOf(value).IsZero()
	}
}
