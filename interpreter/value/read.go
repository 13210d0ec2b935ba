package value

import (
	"math"
	"strings"
)

// Map returns the object at field of m; nil when there is none.
func Map(m map[string]any, field string) (map[string]any, error) {
	v := m[field]
	if v == nil {
		return nil, nil
	}
	out, ok := v.(map[string]any)
	if !ok {
		return nil, Wrong(field, "an object", v)
	}
	return out, nil
}

// MapAt returns the object that path leads to; nil when it or one on the way is not there.
func MapAt(m map[string]any, path ...string) (map[string]any, error) {
	for i, field := range path {
		v := m[field]
		if v == nil {
			return nil, nil
		}
		next, ok := v.(map[string]any)
		if !ok {
			return nil, Wrong(strings.Join(path[:i+1], "."), "an object", v)
		}
		m = next
	}
	return m, nil
}

// List returns the list at field of m; nil when there is none.
func List(m map[string]any, field string) ([]any, error) {
	v := m[field]
	if v == nil {
		return nil, nil
	}
	out, ok := v.([]any)
	if !ok {
		return nil, Wrong(field, "a list", v)
	}
	return out, nil
}

// Each calls visit with each element of the list at field of m; the elements are objects. A null element is visited as
// nil. It stops at the first error, and puts the element's path before it.
func Each(m map[string]any, field string, visit func(map[string]any) error) error {
	list, err := List(m, field)
	if err != nil {
		return err
	}
	for i, v := range list {
		element, ok := v.(map[string]any)
		if !ok && v != nil {
			return InElement(field, i, Wrong("", "an object", v))
		}
		if err := visit(element); err != nil {
			return InElement(field, i, err)
		}
	}
	return nil
}

// String returns the string at field of m; "" when there is none.
func String(m map[string]any, field string) (string, error) {
	v := m[field]
	if v == nil {
		return "", nil
	}
	out, ok := v.(string)
	if !ok {
		return "", Wrong(field, "a string", v)
	}
	return out, nil
}

// StringAt returns the string at field of the object at parent of m; "" when either is not there.
func StringAt(m map[string]any, parent, field string) (string, error) {
	inner, err := Map(m, parent)
	if err != nil || inner == nil {
		return "", err
	}
	out, err := String(inner, field)
	if err != nil {
		return "", In(parent, err)
	}
	return out, nil
}

// Bool returns the boolean at field of m; false when there is none.
func Bool(m map[string]any, field string) (bool, error) {
	v := m[field]
	if v == nil {
		return false, nil
	}
	out, ok := v.(bool)
	if !ok {
		return false, Wrong(field, "true or false", v)
	}
	return out, nil
}

// Int returns the whole number at field of m, and whether there is one.
func Int(m map[string]any, field string) (n int64, ok bool, err error) {
	v := m[field]
	if v == nil {
		return 0, false, nil
	}
	if n, ok = Whole(v); !ok {
		return 0, false, Wrong(field, "a whole number", v)
	}
	return n, true, nil
}

// Whole returns v as an int64 and whether it is a whole number that fits: an int64, or a float64 that an int64 holds
// exactly.
func Whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		if v == math.Trunc(v) && v >= math.MinInt64 && v < math.MaxInt64 {
			return int64(v), true
		}
	}
	return 0, false
}

// Count returns the number at field of m, from 0 to the greatest int32, and whether there is one.
func Count(m map[string]any, field string) (n int32, ok bool, err error) {
	wide, ok, err := Int(m, field)
	if err != nil || !ok {
		return 0, false, err
	}
	if wide < 0 || wide > math.MaxInt32 {
		return 0, false, Wrong(field, "a number from 0 to 2147483647", wide)
	}
	return int32(wide), true, nil
}
