package webhook

import (
	"encoding/json"
	"fmt"
	"math"
)

// fields are those of a JSON object that is being taken apart. The first one that is wrong ends it: nothing is read after
// it, and what the problem points to says which it was. A field that is null is one that is not there.
type fields struct {
	values  map[string]any // plain
	path    string         // what the names are prefixed with in errors
	problem *error
}

func newFields(values map[string]any) *fields {
	return &fields{values: values, problem: new(error)}
}

// err returns what is wrong; nil for nothing so far.
func (f *fields) err() error { return *f.problem }

// get returns the value of a field, or nil when there is none or something was wrong before.
func (f *fields) get(name string) any {
	if *f.problem != nil {
		return nil
	}
	return f.values[name]
}

func (f *fields) has(name string) bool { return f.get(name) != nil }

func (f *fields) fail(name, format string, args ...any) {
	if *f.problem == nil {
		*f.problem = fmt.Errorf("%s%s: %w", f.path, name, fmt.Errorf(format, args...))
	}
}

// fieldOf returns the value of a field, which has to be a T, in words want.
func fieldOf[T any](f *fields, name, want string) (T, bool) {
	got := f.get(name)
	v, ok := got.(T)
	if !ok && got != nil {
		f.fail(name, "want %s, got %s", want, describe(got))
	}
	return v, ok
}

// text reads a string; without one, to stays as it is. So do the others.
func text[S ~string](f *fields, name string, to *S) {
	if v, ok := fieldOf[string](f, name, "a string"); ok {
		*to = S(v)
	}
}

func (f *fields) boolean(name string, to *bool) {
	if v, ok := fieldOf[bool](f, name, "a boolean"); ok {
		*to = v
	}
}

func (f *fields) number(name string, to *int32) {
	switch v := f.get(name).(type) {
	case nil:
	case int64:
		if v < math.MinInt32 || v > math.MaxInt32 {
			f.fail(name, "want a whole number of 32 bits, got %d", v)
			return
		}
		*to = int32(v)
	case float64:
		f.fail(name, "want a whole number of 32 bits, got %v", v)
	default:
		f.fail(name, "want a number, got %s", describe(v))
	}
}

// object returns the object of a field; nil without one.
func (f *fields) object(name string) map[string]any {
	v, _ := fieldOf[map[string]any](f, name, "an object")
	return v
}

// within returns the fields of an object in a field; nil without one.
func (f *fields) within(name string) *fields {
	v := f.object(name)
	if v == nil {
		return nil
	}
	return &fields{values: v, path: f.path + name + ".", problem: f.problem}
}

// each calls visit with the fields of each object of a list, and tells whether there is a list.
func (f *fields) each(name string, visit func(i, length int, element *fields)) bool {
	list, ok := fieldOf[[]any](f, name, "a list")
	for i, v := range list {
		object, ok := v.(map[string]any)
		if !ok {
			f.fail(fmt.Sprintf("%s[%d]", name, i), "want an object, got %s", describe(v))
			break
		}
		visit(i, len(list), &fields{values: object, path: fmt.Sprintf("%s%s[%d].", f.path, name, i), problem: f.problem})
	}
	return ok
}

// structured reads a value of a Go type of the API.
func structured[T any](f *fields, name string, to *T) {
	v := f.get(name)
	if v == nil {
		return
	}
	data, err := appendJSON(nil, v)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		f.fail(name, "%w", err)
	}
}

// describe says in words what a plain value is.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	default:
		return "a number"
	}
}
