package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// PlaceError is an error about a place in a value.
type PlaceError struct {
	// Path leads to the place, as in components[1].replicas.
	Path string
	Err  error
}

// Error returns the path and what is wrong there.
func (e *PlaceError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *PlaceError) Unwrap() error { return e.Err }

// InField returns err as one about a field, or about the place in the field that it names; nil stays nil.
func InField(name string, err error) error {
	if err != nil && (name == "" || strings.ContainsAny(name, ".[]")) {
		name = "[" + strconv.Quote(name) + "]"
	}
	return in(name, err)
}

// InElement is InField for an element of a list.
func InElement(i int, err error) error {
	if err == nil {
		return nil
	}
	return in("["+strconv.Itoa(i)+"]", err)
}

func in(path string, err error) error {
	if err == nil {
		return nil
	}
	inner, ok := err.(*PlaceError) //nolint:errorlint // only one that was not wrapped continues the path
	if !ok {
		return &PlaceError{Path: path, Err: err}
	}
	if inner.Path[0] != '[' {
		path += "."
	}
	return &PlaceError{Path: path + inner.Path, Err: inner.Err}
}

// want returns the error of a value that is not what it should be.
func want(wanted string, got any) error {
	return fmt.Errorf("want %s, got %s", wanted, Describe(got))
}

// Describe returns a plain value in words, for an error, as value.Describe does. Fields are an object.
func Describe(v any) string {
	if _, ok := v.(Fields); ok {
		return "an object"
	}
	return value.Describe(v)
}

// Nearest returns the one of names that name is likely to be a misspelling of, as value.Nearest does.
func Nearest(name string, names []string) string { return value.Nearest(name, names) }

// list returns value as a list; nil for nil. An empty object is an empty list.
func list(value any) ([]any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case map[string]any:
		if len(v) == 0 {
			return []any{}, nil
		}
	case Fields:
		if len(v) == 0 {
			return []any{}, nil
		}
	}
	return nil, want("a list", value)
}

func decodeList[T any](value any, decode func(any) (T, error)) ([]T, error) {
	elements, err := list(value)
	if err != nil || elements == nil {
		return nil, err
	}
	out := make([]T, len(elements))
	for i, element := range elements {
		if out[i], err = decode(element); err != nil {
			return nil, InElement(i, err)
		}
	}
	return out, nil
}

// listOf is decodeList for a field.
func listOf[T any](decode func(any) (T, error)) func(any) ([]T, error) {
	return func(value any) ([]T, error) { return decodeList(value, decode) }
}

// text returns value as a string; "" for nil.
func text(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return "", want("a string", value)
}

func whole(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		return v, nil
	case float64:
		// 2^63 is a float64, 2^63-1 is not.
		if v == math.Trunc(v) && v >= math.MinInt64 && v < math.MaxInt64 {
			return int64(v), nil
		}
	}
	return 0, want("a whole number", value)
}

func count(value any) (int32, error) {
	n, err := whole(value)
	if err != nil {
		return 0, err
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return 0, want("a whole number of 32 bits", n)
	}
	return int32(n), nil
}

func quantity(given any) (resource.Quantity, error) {
	var text string
	switch v := given.(type) {
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI), nil
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
		if v == math.Trunc(v) && math.Abs(v) < math.MaxInt64 {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
	case string:
		text = v
	default:
		return resource.Quantity{}, want("a quantity", given)
	}
	return value.ParseQuantity(text)
}
