package lua_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestProblems compares what is said about every script in testdata/problems.txt.
func TestProblems(t *testing.T) {
	compareCases(t, "testdata/problems.txt", func(op interpreter.Operation, text string) string { return said(t, op, text) })
}

// compareCases compares what is said about every script in a golden file, which holds "### reason", a line with the
// operation, the script, and between "---" lines what is said.
func compareCases(t *testing.T, golden string, said func(op interpreter.Operation, text string) string) {
	t.Helper()
	data, err := os.ReadFile(golden)
	require.NoError(t, err)
	cases := strings.Split("\n"+string(data), "\n### ")
	var out strings.Builder
	if head := strings.TrimSpace(cases[0]); head != "" {
		out.WriteString(head + "\n\n")
	}
	for _, c := range cases[1:] {
		text, want, _ := strings.Cut(strings.TrimSpace(c), "\n---\n")
		reason, rest, _ := strings.Cut(text, "\n")
		name, body, _ := strings.Cut(rest, "\n")
		op, err := interpreter.ParseOperation(name)
		require.NoError(t, err, reason)
		got := said(op, body)
		fmt.Fprintf(&out, "### %s\n---\n%s\n\n", text, got)
		if !*update {
			t.Run(reason, func(t *testing.T) { assert.Equal(t, strings.TrimSpace(want), got) })
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(strings.TrimSpace(out.String())+"\n"), 0o600))
	}
}

// said returns what loading and running a script says.
func said(t *testing.T, op interpreter.Operation, text string) string {
	t.Helper()
	rule, warnings, err := shared.Compile(&script.Source{Customization: "flink", Operation: op, Language: script.Lua, Text: text})
	var out []string
	for _, w := range warnings {
		out = append(out, "warning: "+w.Error())
	}
	if err == nil {
		req := &interpreter.Request{Operation: op, Object: object(t, "flink"), ObservedObject: object(t, "flink"), DesiredReplicas: 3}
		require.NoError(t, req.Complete())
		_, err = rule(t.Context(), req)
	}
	if err != nil {
		out = append(out, err.Error())
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "\n")
}

func TestProblemInAFile(t *testing.T) {
	_, _, err := shared.Compile(&script.Source{
		Customization: "flink", Operation: interpreter.InterpretHealth, Language: script.Lua, File: "flink.yaml", Line: 12,
		Text: "function InterpretHealth(obj)\n  return obj..\nend",
	})
	assert.EqualError(t, err, "flink.yaml:14:1: syntax error near \"end\"\n | end\n | ^")
}

func TestErrorsHaveCauses(t *testing.T) {
	cause := errors.New("the reason")
	e := lua.New(script.Limits{}, []kube.Function{{Name: "fail", Result: kube.Any, Call: func(*kube.Call, []any) (any, error) { return nil, cause }}})
	rule := compiled(t, e, source(interpreter.InterpretHealth, inHealth(`require("kube").fail()`)))
	_, err := rule(t.Context(), health(t))
	require.ErrorIs(t, err, cause)
	require.ErrorContains(t, err, "test.healthInterpretation:2: kube.fail: the reason")

	rule = compiled(t, e, source(interpreter.InterpretHealth, inHealth(`pcall(require("kube").fail) error("another")`)))
	_, err = rule(t.Context(), health(t))
	require.NotErrorIs(t, err, cause)
	require.ErrorContains(t, err, "another")
}

// TestDeadlines holds that a run ends with its caller's context, and with its own time.
func TestDeadlines(t *testing.T) {
	clock := time.Unix(0, 0)
	tick := func() time.Time { clock = clock.Add(time.Millisecond); return clock }
	e := lua.NewTimed(script.Limits{Steps: 1 << 40, Timeout: 10 * time.Millisecond}, nil, tick)
	rule := compiled(t, e, source(interpreter.InterpretHealth, inHealth("while true do end")))
	_, err := rule(t.Context(), health(t))
	var over *interpreter.BudgetError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, interpreter.BudgetTime, over.Budget)
	require.EqualError(t, err, "test.healthInterpretation:2: over its time budget of 10ms\n | while true do end")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = rule(ctx, health(t))
	require.ErrorIs(t, err, context.Canceled, "before it begins")

	e = lua.New(script.Limits{Steps: 1 << 40, Timeout: time.Hour}, nil)
	rule = compiled(t, e, source(interpreter.InterpretHealth, inHealth("print() while true do end")))
	ctx, cancel = context.WithCancel(t.Context())
	ctx = interpreter.WithTrace(ctx, &interpreter.Trace{Printed: func(interpreter.Source, string) { cancel() }})
	_, err = rule(ctx, health(t))
	require.ErrorIs(t, err, context.Canceled, "while it goes on")
}

// TestLimitsAreExact holds that a run stops with the very instruction that is too many, and costs the same every time.
func TestLimitsAreExact(t *testing.T) {
	spentBy := func(e *lua.Engine) (interpreter.Usage, error) {
		var spent interpreter.Usage
		ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Spent: func(_ interpreter.Source, u interpreter.Usage) { spent = u }})
		_, err := compiled(t, e, source(interpreter.InterpretHealth, inHealth(`local s = "" for i = 1, 10 do s = s .. i .. tostring(obj.spec) end`)))(ctx, health(t))
		return spent, err
	}
	want, err := spentBy(newEngine())
	require.NoError(t, err)
	require.Positive(t, want.Steps)
	require.Positive(t, want.Bytes)
	for _, short := range []script.Limits{{Steps: want.Steps - 1}, {Memory: want.Bytes - 1}} {
		_, err := spentBy(lua.New(short, nil))
		var over *interpreter.BudgetError
		require.ErrorAs(t, err, &over)
	}
	exact := lua.New(script.Limits{Steps: want.Steps, Memory: want.Bytes, Timeout: time.Minute}, nil)
	for range 3 {
		got, err := spentBy(exact)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestTinyLimits holds that no limit is too small to be held, wherever a run first meets it.
func TestTinyLimits(t *testing.T) {
	for _, q := range corpus(t) {
		for _, limits := range []script.Limits{
			{Steps: 1}, {Steps: 20}, {Memory: 1}, {Memory: 600}, {Memory: 5000}, {Depth: 1}, {Depth: 2}, {Timeout: time.Nanosecond},
		} {
			generous := compiled(t, shared, q.src)
			_, err := generous(t.Context(), q.req)
			require.NoError(t, err)
			rule, _, err := lua.New(limits, kube.Functions()).Compile(q.src)
			if err == nil {
				_, err = rule(t.Context(), q.req)
			}
			if err == nil {
				continue // It needs as little.
			}
			var over *interpreter.BudgetError
			require.ErrorAs(t, err, &over, "%s with %+v", q.name, limits)
		}
	}
}

// TestFunctionOfTheLibrary holds that a script may name a function of the library as its own.
func TestFunctionOfTheLibrary(t *testing.T) {
	_, err := compiled(t, shared, source(interpreter.InterpretHealth, "InterpretHealth = type"))(t.Context(), health(t))
	require.EqualError(t, err, `test.healthInterpretation: health.state: want one of [Healthy Progressing Degraded Suspended Missing Unknown], got "table"`)
}
