package manifest

import (
	"fmt"
	"strings"
)

// Error is something wrong at a place in a file.
type Error struct {
	// File is the file's name; empty when the data is of no file. Line and Column are the place, from 1, or 0 where it is
	// not known.
	File         string
	Line, Column int
	// Field is the path of the field that is wrong; empty when it is the file or the document, or when Err names the field.
	Field string
	// Err says what is wrong; never nil.
	Err error
}

// Error returns, for example, `rules.yaml:12:7: spec.customizations.retension: unknown field, did you mean "retention"?`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
		b.WriteString(": ")
	}
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
