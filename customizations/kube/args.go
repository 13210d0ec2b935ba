package kube

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Check tells how args do not fit f's parameters, and returns them, changed in place where there is room for it, with one
// element for each parameter at least. The error names the function and the parameter. Engines call it before Call.
func (f *Function) Check(args []any) ([]any, error) {
	if len(args) > len(f.Params) && !f.Variadic {
		return nil, fmt.Errorf("kube.%s: want %s, got %d", f.Name, f.arity(), len(args))
	}
	for i, p := range f.Params {
		if i < len(args) || p.Optional || f.repeats(i) {
			continue
		}
		return nil, fmt.Errorf("kube.%s: want %s, got %d", f.Name, f.arity(), len(args))
	}
	out := slices.Grow(args, max(len(f.Params)-len(args), 0))
	for i, arg := range args {
		p := f.Params[min(i, len(f.Params)-1)]
		fitting, ok := p.Type.fit(arg)
		if !ok && (arg != nil || !p.Optional) {
			return nil, fmt.Errorf("kube.%s: %w", f.Name, value.Wrong(p.Name, p.Type.words(), arg))
		}
		out[i] = fitting
	}
	for len(out) < len(f.Params) && !f.repeats(len(out)) {
		out = append(out, nil)
	}
	return out, nil
}

// repeats tells whether the parameter at index i may be given any number of times.
func (f *Function) repeats(i int) bool { return f.Variadic && i == len(f.Params)-1 }

func (f *Function) arity() string {
	least := 0
	for i, p := range f.Params {
		if !p.Optional && !f.repeats(i) {
			least = i + 1
		}
	}
	switch most := len(f.Params); {
	case f.Variadic:
		return fmt.Sprintf("at least %s", count(least))
	case least == most:
		return count(most)
	default:
		return fmt.Sprintf("%d to %s", least, count(most))
	}
}

func count(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// fit returns v as a value of type t, and whether it is one. An empty object is an empty list and the other way round,
// since an empty table of Lua's may be either.
func (t Type) fit(v any) (any, bool) {
	var ok bool
	switch t {
	case Any:
		ok = true
	case String:
		_, ok = v.(string)
	case Int:
		_, ok = v.(int64)
	case Double:
		ok = isNumber(v)
	case Bool:
		_, ok = v.(bool)
	case Map:
		if l, isList := v.([]any); isList && len(l) == 0 {
			return map[string]any{}, true
		}
		_, ok = v.(map[string]any)
	case List:
		if m, isMap := v.(map[string]any); isMap && len(m) == 0 {
			return []any{}, true
		}
		_, ok = v.([]any)
	}
	return v, ok
}

func (t Type) words() string {
	switch t {
	case String:
		return "a string"
	case Int:
		return "a whole number"
	case Double:
		return "a number"
	case Bool:
		return "true or false"
	case Map:
		return "an object"
	case List:
		return "a list"
	default:
		return "a value"
	}
}

// at returns the value that a path of field names, joined with dots, leads to; nil when it or one on the way is absent.
func at(v any, path string) (any, error) {
	rest := path
	for rest != "" {
		if v == nil {
			return nil, nil
		}
		m, ok := v.(map[string]any)
		if !ok {
			if l, isList := v.([]any); isList && len(l) == 0 {
				return nil, nil // an empty table of Lua's, which may be either
			}
			return nil, value.Wrong(strings.TrimSuffix(strings.TrimSuffix(path, rest), "."), "an object", v)
		}
		var field string
		field, rest, _ = strings.Cut(rest, ".")
		v = m[field]
	}
	return v, nil
}

// object returns an argument that Check found to be an object; nil for nil.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// list returns an argument that Check found to be a list; nil for nil.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// text returns an argument that Check found to be a string; "" for nil.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// names returns a list of strings as such; field names the list in errors.
func names(field string, values []any) ([]string, error) {
	out := make([]string, len(values))
	for i, v := range values {
		name, ok := v.(string)
		if !ok {
			return nil, value.InElement(field, i, value.Wrong("", "a string", v))
		}
		out[i] = name
	}
	return out, nil
}

// textOrList returns a text as a list of it, and a list of texts as such.
func textOrList(field string, v any) ([]string, error) {
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		return names(field, v)
	}
	return nil, value.Wrong(field, "a string or a list of strings", v)
}

// charge takes n bytes from the memory budget of the run, if it has one.
func (c *Call) charge(n int) error {
	if c.Charge == nil {
		return nil
	}
	return c.Charge(n)
}
