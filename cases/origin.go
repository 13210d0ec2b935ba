package cases

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
)

// origin asks the case's question once more, watching every step, and returns the "file:line" of the script that most
// likely made the value of a field: the last executed line that names the field. It is "" when no line does, or the
// script's place is not known.
func origin(ctx context.Context, rules interpreter.Interpreter, c *Case, diff Diff) string {
	leaf := diff.Field.Leaf()
	if leaf == "" {
		return ""
	}
	names := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(leaf) + `(\W|$)`)
	found := ""
	ctx = interpreter.WithTrace(c.Context(ctx), &interpreter.Trace{
		Step: func(step interpreter.Step) {
			if step.Line > 0 && names.MatchString(step.Text) {
				if at := lineOfScript(step.Source, step.Line); at != "" {
					found = at
				}
			}
		},
	})
	again := Result{Case: c}
	ask(ctx, rules, &again)
	return found
}

// lineOfScript returns the "file:line" of a line of a rule's script, from 1.
func lineOfScript(source interpreter.Source, line int) string {
	i := strings.LastIndex(source.Position, ":")
	if i < 0 {
		return ""
	}
	first, err := strconv.Atoi(source.Position[i+1:])
	if err != nil {
		return ""
	}
	return source.Position[:i+1] + strconv.Itoa(first+line-1)
}
