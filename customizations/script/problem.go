package script

import (
	"fmt"
	"strings"
)

// Severity tells errors from warnings.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is something wrong at a place in a script. It is an error.
type Problem struct {
	// Severity is Error or Warning.
	Severity Severity
	// Source is the script; never nil.
	Source *Source
	// Line and Column are the place, from 1; 0 when it is not known.
	Line, Column int
	// Message says what is wrong and how to mend it, in one line.
	Message string
	// Err is the cause, when there is one for errors.Is and errors.As to find.
	Err error
}

// Error returns the place, the message and, when the place is known, the line with a caret under the column:
//
//	flink.healthInterpretation:3:12: undefined variable "stauts"
//	 | return stauts.phase == "Running"
//	 |        ^
func (p *Problem) Error() string {
	var b strings.Builder
	switch {
	case p.Line == 0 && p.Source.File != "" && p.Source.Line > 0:
		fmt.Fprintf(&b, "%s: %s: %s", p.Source.Position(1), p.Source.Name(), p.Message)
	case p.Line == 0:
		fmt.Fprintf(&b, "%s: %s", p.Source.Name(), p.Message)
	case p.Column == 0:
		fmt.Fprintf(&b, "%s: %s", p.Source.Position(p.Line), p.Message)
	default:
		fmt.Fprintf(&b, "%s:%d: %s", p.Source.Position(p.Line), p.Column, p.Message)
	}
	if line, ok := p.text(); ok {
		fmt.Fprintf(&b, "\n | %s", line)
		if p.Column > 0 {
			fmt.Fprintf(&b, "\n | %s^", indent(line, p.Column-1))
		}
	}
	return b.String()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

const maxSnippet = 160

func (p *Problem) text() (string, bool) {
	if p.Line == 0 {
		return "", false
	}
	lines := strings.Split(p.Source.Text, "\n")
	if p.Line > len(lines) {
		return "", false
	}
	line := strings.TrimRight(lines[p.Line-1], "\r")
	return line, len(line) <= maxSnippet
}

// indent returns white space as wide as the first n bytes of line, so that a caret behind it stands under byte n.
func indent(line string, n int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= n {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	for i := len(line); i < n; i++ {
		b.WriteByte(' ')
	}
	return b.String()
}

// Problems is several problems. It is an error when it is not empty.
type Problems []*Problem

// Error returns the problems' texts, one below the other.
func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, problem := range p {
		texts[i] = problem.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns each problem.
func (p Problems) Unwrap() []error {
	errs := make([]error, len(p))
	for i, problem := range p {
		errs[i] = problem
	}
	return errs
}
