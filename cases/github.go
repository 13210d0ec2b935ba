package cases

import (
	"fmt"
	"io"
	"strings"
)

// GitHub writes what failed as annotations of a GitHub workflow: one command for each case or gate, with its place.
func GitHub(w io.Writer, results []Result) error {
	var b strings.Builder
	for i := range results {
		r := &results[i]
		level := "error"
		switch r.Outcome {
		case Passed:
			continue
		case WithoutExpectation:
			level = "notice"
		}
		b.WriteString(Annotation(level, r.Case.File, max(r.Case.Line, 1), 0, r.title(), strings.Join(r.lines(), "\n")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Annotation returns the command, with its end of line, that makes a GitHub workflow show a message at a place: level is
// error, warning or notice; line and column count from 1, and 0 leaves them out.
func Annotation(level, file string, line, column int, title, message string) string {
	var place strings.Builder
	if file != "" {
		fmt.Fprintf(&place, "file=%s,", annotationProperty(file))
	}
	if line > 0 {
		fmt.Fprintf(&place, "line=%d,", line)
	}
	if column > 0 {
		fmt.Fprintf(&place, "col=%d,", column)
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n", level, place.String(), annotationProperty(title), annotationText(message))
}

// annotationText escapes the message of a workflow command.
func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// annotationProperty escapes a property of a workflow command.
func annotationProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
