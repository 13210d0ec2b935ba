package customizations

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/manifest"
)

// check reports what in v does not fit the Go type t: fields that t does not have, and values of another type. path is
// v's path.
func (d *decoder) check(v any, t reflect.Type, path manifest.Path) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if v == nil {
		return
	}
	if into, ok := reflect.TypeAssert[json.Unmarshaler](reflect.New(t)); ok { // a time
		data, err := json.Marshal(v)
		if err == nil {
			err = into.UnmarshalJSON(data)
		}
		if err != nil {
			d.fail(path, err)
		}
		return
	}
	want, fits := "", true
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		var m map[string]any
		want = "a map"
		if m, fits = v.(map[string]any); fits {
			d.checkMap(m, t, path)
		}
	case reflect.Slice:
		var l []any
		want = "a list"
		if l, fits = v.([]any); fits {
			for i, element := range l {
				d.check(element, t.Elem(), path.With(i))
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
		_, fits = value.Whole(v)
	}
	if !fits {
		d.misfit(path, want, v)
	}
}

// misfit reports a value that is not what is wanted.
func (d *decoder) misfit(path manifest.Path, want string, v any) {
	remedy := ""
	switch v.(type) {
	case bool, int64, float64:
		if want == "a string" {
			remedy = ": put it in quotes"
		}
	}
	d.fail(path, fmt.Errorf("want %s, got %s%s", want, manifest.Describe(v), remedy))
}

// checkMap checks the values of a map or, when t is a struct, of its fields.
func (d *decoder) checkMap(m map[string]any, t reflect.Type, path manifest.Path) {
	var fields map[string]reflect.Type
	if t.Kind() == reflect.Struct {
		fields = jsonFields(t)
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		of, ok := fields[key]
		switch {
		case fields == nil:
			d.check(m[key], t.Elem(), path.With(key))
		case ok:
			d.check(m[key], of, path.With(key))
		default:
			message := "unknown field"
			if near := nearest(key, fields); near != "" {
				message += fmt.Sprintf(", did you mean %q?", near)
			}
			d.fail(path.With(key), errors.New(message))
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
