package cel_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestProblems compares the errors of the expressions in testdata/problems.txt with those that stand below each.
func TestProblems(t *testing.T) {
	const file, arrow = "testdata/problems.txt", "\n=> "
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	engine := newEngine(t, script.Limits{Timeout: time.Minute}) // a busy machine must not change the error
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimPrefix(string(data), "== "), "\n== ") {
		title, rest, _ := strings.Cut(block, "\n")
		text, want, _ := strings.Cut(rest, arrow)
		text = strings.TrimRight(text, "\n")
		name, reason, found := strings.Cut(title, ": ")
		require.True(t, found, "a block without a reason: %s", title)
		op, err := interpreter.ParseOperation(name)
		require.NoError(t, err)
		var got string
		t.Run(reason, func(t *testing.T) {
			got = strings.ReplaceAll(problemOf(t, engine, op, text), "\n", arrow)
			if !*update {
				assert.Equal(t, strings.TrimRight(want, "\n"), got)
			}
		})
		out.WriteString("== " + title + "\n" + text + arrow + got + "\n\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o600))
	}
}

func problemOf(t *testing.T, engine script.Engine, op interpreter.Operation, text string) string {
	t.Helper()
	rule, _, err := engine.Compile(source(op, text))
	if err != nil {
		var problems script.Problems
		require.ErrorAs(t, err, &problems)
		return "load: " + err.Error()
	}
	_, err = rule(t.Context(), request(op))
	require.Error(t, err)
	var problem *script.Problem
	require.ErrorAs(t, err, &problem)
	return "run: " + err.Error()
}
