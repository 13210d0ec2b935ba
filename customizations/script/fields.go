package script

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Fields is an object that is made to be decoded: Decode takes it where it takes a map[string]any, and it costs less to
// make. No two fields have the same name.
type Fields []Field

// Field is a field of an object.
type Field struct {
	Name  string
	Value any
}

// object is an object that is decoded: a map or Fields.
type object struct {
	entries map[string]any
	fields  Fields
}

// objectOf returns value as an object; false for nil. An empty list is an empty object: a script may not be able to tell.
func objectOf(value any) (object, bool, error) {
	switch v := value.(type) {
	case nil:
		return object{}, false, nil
	case map[string]any:
		return object{entries: v}, v != nil, nil
	case Fields:
		return object{fields: v}, true, nil
	case []any:
		if len(v) == 0 {
			return object{}, true, nil
		}
	}
	return object{}, false, want("an object", value)
}

// required is objectOf, with nil an error.
func required(value any) (object, error) {
	o, ok, err := objectOf(value)
	if err == nil && !ok {
		err = want("an object", nil)
	}
	return o, err
}

// mapOf returns value, which is no Fields, as an object; nil for nil.
func mapOf(value any) (map[string]any, error) {
	o, ok, err := objectOf(value)
	if ok && o.entries == nil {
		return map[string]any{}, nil
	}
	return o.entries, err
}

// get returns the value of a field; nil when there is none.
func (o *object) get(name string) any {
	for i := range o.fields {
		if o.fields[i].Name == name {
			return o.fields[i].Value
		}
	}
	return o.entries[name]
}

func (o *object) size() int { return len(o.fields) + len(o.entries) }

// each calls do for every field, and returns the error of the one with the least name.
func (o *object) each(do func(name string, value any) error) error {
	var first string
	var failed error
	visit := func(name string, value any) {
		if failed != nil && name > first {
			return
		}
		if err := do(name, value); err != nil {
			first, failed = name, InField(name, err)
		}
	}
	for i := range o.fields {
		visit(o.fields[i].Name, o.fields[i].Value)
	}
	for name, value := range o.entries {
		visit(name, value)
	}
	return failed
}

// known tells which field is none of names.
func (d Decoder) known(o *object, names ...string) error {
	if d.Lenient {
		return nil
	}
	return o.each(func(name string, _ any) error {
		if slices.Contains(names, name) {
			return nil
		}
		return fmt.Errorf("unknown field: want one of %s", strings.Join(names, ", "))
	})
}

// textField is a field that holds a string, and where to put it.
type textField struct {
	name string
	into *string
}

// texts sets the strings of fields that are there.
func (o *object) texts(fields ...textField) (err error) {
	for _, f := range fields {
		if value := o.get(f.name); value != nil {
			if *f.into, err = text(value); err != nil {
				return InField(f.name, err)
			}
		}
	}
	return nil
}

// field returns what decode makes of a field.
func field[T any](o *object, name string, decode func(any) (T, error)) (T, error) {
	out, err := decode(o.get(name))
	return out, InField(name, err)
}

func resources(value any) (corev1.ResourceList, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	out := make(corev1.ResourceList, o.size())
	return out, o.each(func(name string, value any) (err error) {
		if value != nil {
			out[corev1.ResourceName(name)], err = quantity(value)
		}
		return err
	})
}

func labels(value any) (map[string]string, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	out := make(map[string]string, o.size())
	return out, o.each(func(name string, value any) (err error) {
		out[name], err = text(value)
		return err
	})
}
