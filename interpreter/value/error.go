package value

import (
	"fmt"
	"reflect"
	"strconv"
)

// Error says that a value is not what was wanted.
type Error struct {
	// Path is the field, such as spec.containers[1].image.
	Path string
	// Want and Got are what was wanted and what was there, in words.
	Want, Got string
}

// Error returns, for example, "spec.replicas: want a whole number, got \"3\"".
func (e *Error) Error() string {
	return e.Path + ": want " + e.Want + ", got " + e.Got
}

// Wrong returns the error that field holds v where want was wanted.
func Wrong(field, want string, v any) error {
	return &Error{Path: field, Want: want, Got: Describe(v)}
}

// In returns err with path before the path that it names; nil stays nil.
func In(path string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*Error) //nolint:errorlint // one that is wrapped is about something else than a field of path
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	if e.Path != "" && e.Path[0] != '[' {
		path += "."
	}
	return &Error{Path: path + e.Path, Want: e.Want, Got: e.Got}
}

// InElement returns err with field[index] before the path that it names; nil stays nil.
func InElement(field string, index int, err error) error {
	if err == nil {
		return nil
	}
	return In(field+"["+strconv.Itoa(index)+"]", err)
}

// Describe returns v in words, for an error: a scalar as it is written unless it is long, anything else by its type.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		if len(v) > 60 {
			return "a string of " + strconv.Itoa(len(v)) + " bytes"
		}
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	default:
		return fmt.Sprintf("a %T", v)
	}
}
