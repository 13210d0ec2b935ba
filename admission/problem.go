package admission

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// Problem is something wrong, or doubtful, at a place.
type Problem struct {
	// Severity is script.Error or script.Warning.
	Severity script.Severity
	// File is the file; empty when the object came from an API server. Line and Column are the place, from 1; 0 where it is
	// not known.
	File         string
	Line, Column int
	// Object names the object, as "Kind name"; empty when the file holds none that could be read.
	Object string
	// Field is the path of the field; empty when it is the object.
	Field string
	// Message says what is wrong and how to mend it.
	Message string
	// Snippet is the line of the script with a caret below; empty when there is none.
	Snippet string
}

// Error returns the problem in one line and, below it, the snippet:
//
//	rules.yaml:12:7: ResourceInterpreterCustomization flink: spec.customizations.retention: unexpected symbol
func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
		b.WriteString(": ")
	}
	if p.Severity == script.Warning {
		b.WriteString("warning: ")
	}
	for _, part := range []string{p.Object, p.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	b.WriteString(p.Message)
	if p.Snippet != "" {
		b.WriteString("\n" + p.Snippet)
	}
	return b.String()
}

// HasErrors tells whether one of problems is more than a warning.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == script.Error })
}

// sorted sorts problems by place and removes those that say the same.
func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Field, b.Field),
		)
	})
	return slices.Compact(problems)
}

// fileProblems returns the problems that an error of reading a file holds.
func fileProblems(err error) []Problem {
	var problems []Problem
	for _, err := range unjoin(err) {
		p := Problem{Severity: script.Error, Message: err.Error()}
		if at, ok := errors.AsType[*manifest.Error](err); ok {
			p.File, p.Line, p.Column, p.Field, p.Message = at.File, at.Line, at.Column, at.Field, at.Err.Error()
		}
		problems = append(problems, p)
	}
	return problems
}

func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, err := range joined.Unwrap() {
			errs = append(errs, unjoin(err)...)
		}
		return errs
	}
	return []error{err}
}

// scriptProblem returns p as a Problem of a customization.
func scriptProblem(p *script.Problem) Problem {
	out := Problem{
		Severity: p.Severity,
		Object:   customizations.Kind + " " + p.Source.Customization,
		Field:    "spec.customizations." + p.Source.Operation.Info().Field,
		Message:  p.Message,
		Line:     p.Line,
		Column:   p.Column,
	}
	_, out.Snippet, _ = strings.Cut(p.Error(), "\n")
	if p.Source.File != "" {
		out.File, out.Line = p.Source.File, p.Source.Line
		if p.Line > 0 && p.Source.Line > 0 {
			out.Line = p.Source.FileLine(p.Line)
		}
	}
	return out
}

// objectProblem returns a problem of a field of an object in a file.
func objectProblem(o *manifest.Object, severity script.Severity, field, format string, args ...any) Problem {
	path, err := manifest.ParsePath(field)
	if err != nil {
		path = nil
	}
	return Problem{
		Severity: severity,
		File:     o.Document.File,
		Line:     o.LineOf(path),
		Object:   strings.TrimSpace(o.GetKind() + " " + o.GetName()),
		Field:    field,
		Message:  fmt.Sprintf(format, args...),
	}
}
