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
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n",
			level, annotationProperty(r.Case.File), max(r.Case.Line, 1), annotationProperty(r.title()),
			annotationText(strings.Join(r.lines(), "\n")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotationText escapes the message of a workflow command.
func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// annotationProperty escapes a property of a workflow command.
func annotationProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
