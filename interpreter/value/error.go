package value

import (
	"fmt"
	"strconv"
)

// Error says that a value is not what was wanted.
type Error struct {
	// Path is the field, such as spec.containers[1].image.
	Path string
	// Want and Got are what was wanted and what was there, in words.
	Want, Got string
}

// Error returns, for example, "spec.replicas: want a whole number, got the string \"3\"".
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

// Describe returns v in words, for an error: its type, and the value itself where that is short.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		if len(v) > 60 {
			return "a string of " + strconv.Itoa(len(v)) + " bytes"
		}
		return "the string " + strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprintf("a %T", v)
	}
}
