package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Misfit is something in a value that does not fit a Go type.
type Misfit struct {
	// Path leads to it from the value.
	Path Path
	// Unknown tells that it is a field that the type does not have.
	Unknown bool
	// Err says what is wrong with it, without the path.
	Err error
}

// Error returns, for example, `spec.retension: unknown field, did you mean "retention"?`.
func (m *Misfit) Error() string {
	if len(m.Path) == 0 {
		return m.Err.Error()
	}
	return m.Path.String() + ": " + m.Err.Error()
}

// Unwrap returns what is wrong.
func (m *Misfit) Unwrap() error { return m.Err }

// Misfits returns what in v does not fit the type t as JSON is decoded into it, in the order of the fields' names: fields
// that t does not have and values of another type. v is a value as Document.Decode returns it.
func Misfits(v any, t reflect.Type) []*Misfit {
	var c fitting
	c.check(v, t, nil)
	return c.misfits
}

// fitting collects misfits.
type fitting struct {
	misfits []*Misfit
}

func (f *fitting) fail(path Path, err error) {
	f.misfits = append(f.misfits, &Misfit{Path: path, Err: err})
}

func (f *fitting) check(v any, t reflect.Type, path Path) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if v == nil {
		return
	}
	if into, ok := reflect.TypeAssert[json.Unmarshaler](reflect.New(t)); ok { // a time, an amount
		data, err := json.Marshal(v)
		if err == nil {
			err = into.UnmarshalJSON(data)
		}
		if err != nil {
			f.fail(path, err)
		}
		return
	}
	want, fits := "", true
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		var m map[string]any
		want = "an object"
		if m, fits = v.(map[string]any); fits {
			f.checkMap(m, t, path)
		}
	case reflect.Slice:
		var l []any
		want = "a list"
		if l, fits = v.([]any); fits {
			for i, element := range l {
				f.check(element, t.Elem(), path.With(i))
			}
		}
	case reflect.String:
		want = "a string"
		_, fits = v.(string)
	case reflect.Bool:
		want = "true or false"
		_, fits = v.(bool)
	case reflect.Int32, reflect.Int64:
		want = "a whole number"
		var n int64
		n, fits = value.Whole(v)
		fits = fits && !reflect.Zero(t).OverflowInt(n)
	}
	if !fits {
		f.fail(path, fmt.Errorf("want %s, got %s%s", want, Describe(v), inQuotes(want, v)))
	}
}

// inQuotes returns how to mend a value that YAML reads as another one than a string; empty when that is not it.
func inQuotes(want string, v any) string {
	switch v.(type) {
	case bool, int64, float64:
		if want == "a string" {
			return ": put it in quotes"
		}
	}
	return ""
}

// checkMap checks the values of a map or, when t is a struct, of its fields.
func (f *fitting) checkMap(m map[string]any, t reflect.Type, path Path) {
	var fields map[string]reflect.Type
	if t.Kind() == reflect.Struct {
		fields = jsonFields(t)
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		of, ok := fields[key]
		switch {
		case fields == nil:
			f.check(m[key], t.Elem(), path.With(key))
		case ok:
			f.check(m[key], of, path.With(key))
		default:
			message := "unknown field"
			if near := value.Nearest(key, slices.Sorted(maps.Keys(fields))); near != "" {
				message += fmt.Sprintf(", did you mean %q?", near)
			}
			f.misfits = append(f.misfits, &Misfit{Path: path.With(key), Unknown: true, Err: errors.New(message)})
		}
	}
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
