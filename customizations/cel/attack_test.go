package cel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// nested returns "open(x1, open(x2, ... body))" with n bindings of a name to what bind makes of the one before.
func tower(n int, first string, bind func(before string) string, body func(last string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cel.bind(v0, %s, ", first)
	for i := range n {
		fmt.Fprintf(&b, "cel.bind(v%d, %s, ", i+1, bind(fmt.Sprintf("v%d", i)))
	}
	b.WriteString(body(fmt.Sprintf("v%d", n)))
	b.WriteString(strings.Repeat(")", n+1))
	return b.String()
}

func twice(operator string) func(string) string {
	return func(v string) string { return v + operator + v }
}

func pair(v string) string { return "[" + v + "," + v + "]" }

func wrap(format string) func(string) string {
	return func(v string) string { return fmt.Sprintf(format, v) }
}

const (
	// loops is 10^9 rounds of nothing.
	loops = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))"
	big   = `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`
)

// attacks are expressions that ask for more than anybody has. What an unguarded engine does with them is in the reason.
var attacks = []struct {
	name, reason, text string
	// budget is what stops it; empty for one that is stopped by an error, or does no harm.
	budget interpreter.Budget
	err    string
}{
	{
		"nested-replace", "8 KB of source ask for 3.2 GB in one block, and the process dies",
		`{"a": "` + strings.Repeat("a", 2000) + `".replace("a", "` + strings.Repeat("b", 1000) + `").replace("b", "` + strings.Repeat("c", 1600) + `")}`,
		"", "budget",
	},
	{"string-doubling", "2^40 bytes in 40 steps", tower(40, big, twice("+"), wrap(`{"a": %s}`)), "", "budget"},
	{"list-doubling", "2^40 elements in 40 steps: cel-go joins lists when they are read", tower(40, "[1]", twice("+"), wrap(`{"a": %s.size()}`)), "", "budget"},
	{"list-doubling-read", "the same, read", tower(30, "[1]", twice("+"), wrap(`{"a": %s.all(x, x == 1)}`)), "", "budget"},
	{"bytes-doubling", "2^40 bytes", tower(40, "b'aaaaaaaaaaaaaaaa'", twice("+"), wrap(`{"a": %s}`)), "", "budget"},
	{"shared-result", "40 lists, each holding the one before twice, are 2^40 nodes once they are copied out", tower(40, "[1]", pair, wrap(`{"a": %s}`)), "", "budget"},
	{"shared-equal", "comparing two such lists takes 2^40 comparisons, for which CEL counts 2", tower(40, "[1]", pair, wrap(`{"a": %[1]s == %[1]s}`)), interpreter.BudgetSteps, ""},
	{"shared-in", "the same by in", tower(40, "[1]", pair, wrap(`{"a": %[1]s in [%[1]s]}`)), interpreter.BudgetSteps, ""},
	{"shared-distinct", "the same by distinct", tower(40, "[1]", pair, wrap(`{"a": [%[1]s, %[1]s].distinct().size()}`)), interpreter.BudgetSteps, ""},
	{"shared-sets", "the same by sets", tower(40, "[1]", pair, wrap(`{"a": sets.contains([%[1]s], [%[1]s])}`)), interpreter.BudgetSteps, ""},
	{"shared-index", "the same by indexOf", tower(40, "[1]", pair, wrap(`{"a": [%[1]s].indexOf(%[1]s)}`)), interpreter.BudgetSteps, ""},
	{"shared-flatten", "the same by flatten", tower(40, "[1]", pair, wrap(`{"a": %s.flatten(50).size()}`)), interpreter.BudgetSteps, ""},
	{"shared-format", "the same by format", tower(40, "[1]", pair, wrap(`{"a": "%%s".format([%s])}`)), interpreter.BudgetSteps, ""},
	{"shared-map-equal", "the same with maps", tower(40, "{'a': 1}", wrap("{'a': %[1]s, 'b': %[1]s}"), wrap(`{"a": %[1]s == %[1]s}`)), interpreter.BudgetSteps, ""},
	{"shared-optional", "the same behind an optional value", tower(40, "[1]", pair, wrap(`{"a": optional.of(%[1]s) == optional.of(%[1]s)}`)), interpreter.BudgetSteps, ""},
	{"loops", "10^9 rounds", `{"a": ` + loops + `}`, interpreter.BudgetSteps, ""},
	{"loops-behind-or", "an interrupt that || absorbs", `{"a": ` + loops + ` || true}`, interpreter.BudgetSteps, ""},
	{"loops-behind-and", "an interrupt that && absorbs", `{"a": false && true || ` + loops + ` && false}`, interpreter.BudgetSteps, ""},
	{"loops-in-exists", "an interrupt that exists absorbs", `{"a": [1, 2].exists(x, ` + loops + ` || x == 2)}`, interpreter.BudgetSteps, ""},
	{"loops-in-branch", "an interrupt in a condition", `{"a": ` + loops + ` ? 1 : 2}`, interpreter.BudgetSteps, ""},
	{"list-of-lists", "10^6 lists of 1000", `{"a": lists.range(1000).map(a, lists.range(1000).map(b, lists.range(1000)))}`, "", "budget"},
	{"maps", "10^6 maps", `{"a": lists.range(1000).map(a, lists.range(1000).map(b, {"x": b, "y": a}))}`, "", "budget"},
	{"transform", "10^6 entries of maps", `{"a": lists.range(1000).transformMap(i, a, lists.range(1000).transformMap(j, b, b)).size()}`, "", "budget"},
	{"strings-in-a-loop", "10^6 strings of 1000 bytes", `{"a": lists.range(1000).map(a, lists.range(1000).map(b, "` + strings.Repeat("x", 1000) + `" + string(b)))}`, "", "budget"},
	{"range", "2^62 elements", `{"a": lists.range(4611686018427387904)}`, interpreter.BudgetSteps, ""},
	{"range-10M", "10^7 elements are 320 MB", `{"a": lists.range(10000000).size()}`, interpreter.BudgetSteps, ""},
	{"join", "1000 times 64 KB", tower(10, big, twice("+"), wrap(`{"a": lists.range(1000).map(i, %s).join(",")}`)), "", "budget"},
	{"join-separator", "10^4 separators of 64 KB", tower(10, big, twice("+"), wrap(`{"a": lists.range(10000).map(i, "").join(%s)}`)), "", "budget"},
	{"split", "a string of 1 MB into letters", tower(14, big, twice("+"), wrap(`{"a": %s.split("")}`)), "", "budget"},
	{"split-repeat", "a hundred times", tower(8, big, twice("+"), wrap(`{"a": lists.range(100).map(i, %s.split("").size())}`)), "", "budget"},
	{"format-precision", "a number with 10^9 digits", `{"a": "%.1000000000f".format([1.0])}`, "", "precision"},
	{"format-width", "1000 numbers with 100 digits", `{"a": lists.range(100000).map(i, "%.100f".format([1.0])).size()}`, "", "budget"},
	{"format-repeat", "64 KB a thousand times", tower(10, big, twice("+"), wrap(`{"a": lists.range(1000).map(i, "%%s".format([%s])).size()}`)), "", "budget"},
	{"quote", "each byte becomes two", tower(17, `"\n\n\n\n\n\n\n\n"`, twice("+"), wrap(`{"a": lists.range(100).map(i, strings.quote(%s)).size()}`)), "", "budget"},
	{"runes", "reversing a string takes four bytes for each", tower(16, big, twice("+"), wrap(`{"a": lists.range(100).map(i, %s.reverse().size())}`)), "", "budget"},
	{"size", "counting the runes of 1 MB is one step to CEL", tower(14, big, twice("+"), wrap(`{"a": lists.range(100000).map(i, %s.size()).size()}`)), interpreter.BudgetSteps, ""},
	{"index-of", "4 MB against 64 KB, letter by letter", tower(15, big, twice("+"), wrap(`{"a": %[1]s.indexOf(%[1]s + "b")}`)), "", "budget"},
	{"contains", "the same by contains", tower(15, big, twice("+"), wrap(`{"a": %[1]s.contains("b" + %[1]s)}`)), "", "budget"},
	{"regex-nesting", "3 million states are 128 MB", `{"a": "x".matches("` + strings.Repeat("(a{1000})", 100) + `")}`, "", "states"},
	{"regex-repeat", "nested repetitions", `{"a": "x".matches("((((a{10}){10}){10}){10}){10}")}`, "", "regular expression"},
	{"regex-classes", "classes of thousands of letters", `{"a": "x".matches("(?i)` + strings.Repeat(`[\\pL\\pN]`, 80) + `")}`, "", "states"},
	{"regex-long", "a pattern of 32 KB", `{"a": "x".matches("` + strings.Repeat("a", 32<<10) + `")}`, "", "at most 1024"},
	{"regex-built", "a pattern that is no constant, compiled 10^5 times", `{"a": lists.range(100000).map(i, "x".matches("a{500}" + string(i))).size()}`, "", "budget"},
	{"regex-backtracking", "what takes 2^60 steps where regular expressions backtrack", tower(10, big, twice("+"), wrap(`{"a": %s.matches("(a*)*(a*)*(a*)*b")}`)), "", ""},
	{"regex-replace", "each of 4096 bytes becomes a copy of all", tower(6, big, twice("+"), wrap(`{"a": regex.replace(%s, "(a+)", "`+strings.Repeat(`\\1`, 2000)+`")}`)), "", "budget"},
	{"regex-replace-empty", "an empty match at each byte", tower(12, big, twice("+"), wrap(`{"a": regex.replace(%s, "", "`+strings.Repeat("x", 100)+`")}`)), "", "budget"},
	{"regex-find-all", "a match for each byte", tower(16, big, twice("+"), wrap(`{"a": %s.findAll("")}`)), "", "budget"},
	{"regex-extract-all", "a match for each byte", tower(16, big, twice("+"), wrap(`{"a": regex.extractAll(%s, "(a)")}`)), "", "budget"},
	{"sort", "sorting 10^6", `{"a": lists.range(10000).map(i, 10000 - i).sort().size()}`, interpreter.BudgetSteps, ""},
	{"sort-by", "the same by a key", `{"a": lists.range(10000).sortBy(i, 0 - i).size()}`, interpreter.BudgetSteps, ""},
	{"distinct", "10^8 comparisons", `{"a": lists.range(10000).distinct().size()}`, interpreter.BudgetSteps, ""},
	{"sets", "10^8 comparisons", `{"a": sets.equivalent(lists.range(10000), lists.range(10000))}`, interpreter.BudgetSteps, ""},
	{"in", "10^8 comparisons", `{"a": lists.range(10000).all(i, i in lists.range(10000))}`, "", "budget"},
	{"quantity-exponent", "a quantity with a huge exponent", `{"a": quantity("1e2147483647").add(quantity("1e-2147483647")).isInteger()}`, "", "exponent"},
	{"quantity-sum", "quantities of different scales", `{"a": quantity("1e18").add(quantity("1n")).isGreaterThan(quantity("1E"))}`, "", ""},
	{"parse-error", "an error message that quotes 4 MB", tower(16, big, twice("+"), wrap(`{"a": lists.range(100).exists(i, int(%s) == 1)}`)), "", "budget"},
	{"quantity-error", "the same by a quantity", tower(16, big, twice("+"), wrap(`{"a": lists.range(100).exists(i, quantity(%s).isInteger())}`)), "", "budget"},
	{"keys", "keys of 1 MB", tower(14, big, twice("+"), wrap(`{"a": lists.range(10000).exists(i, %[1]s in {%[1]s + "b": 1})}`)), "", "budget"},
}

func TestAttacks(t *testing.T) {
	limits := script.Limits{}.WithDefaults()
	engine := newEngine(t, script.Limits{Timeout: time.Minute})
	neighbor := compile(t, engine, interpreter.InterpretHealth, `object.spec.replicas == 3`)
	for _, tc := range attacks {
		t.Run(tc.name, func(t *testing.T) {
			attack(t, engine, limits, interpreter.InterpretStatus, tc.text, tc.budget, tc.err)
			resp, err := neighbor(t.Context(), request(interpreter.InterpretHealth))
			require.NoError(t, err)
			assert.Equal(t, interpreter.Healthy, resp.Health.State)
		})
	}
}

func TestPatchAttacks(t *testing.T) {
	limits := script.Limits{}.WithDefaults()
	engine := newEngine(t, script.Limits{Timeout: time.Minute})
	doubling := func(n int) string {
		var b strings.Builder
		b.WriteString(`[{"op": "add", "path": "/a", "value": [1]}`)
		for range n {
			b.WriteString(`, {"op": "copy", "from": "/a", "path": "/a/0"}`)
		}
		return b.String() + "]"
	}
	attack(t, engine, limits, interpreter.ReviseReplica, doubling(40), "", "budget")
	attack(t, engine, limits, interpreter.ReviseReplica,
		`[{"op": "add", "path": "/a", "value": lists.range(10000)}] + lists.range(10000).map(i, {"op": "add", "path": "/a/0", "value": i})`,
		"", "budget")
}

// attack runs text, and proves that neither compiling nor running it took more than it may.
func attack(
	t *testing.T, engine *cel.Engine, limits script.Limits, op interpreter.Operation, text string,
	budget interpreter.Budget, message string,
) {
	t.Helper()
	var usage interpreter.Usage
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Spent: func(_ interpreter.Source, u interpreter.Usage) { usage = u },
	})
	var err error
	allocated := allocation(func() {
		var rule interpreter.Rule
		if rule, _, err = engine.Compile(source(op, text)); err == nil {
			_, err = rule(ctx, request(op))
		}
	})
	if message == "" && budget == "" {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, message)
	}
	if budget != "" {
		var over *interpreter.BudgetError
		require.ErrorAs(t, err, &over)
		assert.Equal(t, budget, over.Budget, err)
	}
	if err != nil {
		assert.Less(t, len(err.Error()), 10_000, "the error itself is not an attack")
	}
	assert.LessOrEqual(t, usage.Steps, limits.Steps)
	assert.LessOrEqual(t, usage.Bytes, limits.Memory)
	assert.Less(t, allocated, uint64(2*limits.Memory+32<<20), "allocated for a budget of %d, of which %d were counted", limits.Memory, usage.Bytes)
	t.Logf("%d steps, %d bytes counted, %d allocated: %.200v", usage.Steps, usage.Bytes, allocated, err)
}

// allocation returns how many bytes f allocates, freed ones included.
func allocation(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestInterrupts proves that a caller that goes away stops a run at once, whatever the expression does with errors. The
// steps are without limit, so that nothing else would.
func TestInterrupts(t *testing.T) {
	engine := newEngine(t, script.Limits{Steps: 1 << 60, Memory: 1 << 60, Timeout: time.Hour})
	for _, tc := range []struct{ reason, text string }{
		{"a plain loop", loops},
		{"|| absorbs errors", loops + " || true"},
		{"&& absorbs errors", "!(" + loops + " && false)"},
		{"all absorbs errors", "[1, 2].all(x, " + loops + " && x == 1)"},
		{"exists absorbs errors", "[1, 2].exists(x, " + loops + " || x == 2)"},
		{"a condition", loops + " ? true : false"},
		{"a fallback", "optional.none().orValue(" + loops + ")"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			rule := compile(t, engine, interpreter.InterpretHealth, tc.text)
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := errors.New("the caller has gone")
			// The clock of the run is the only thing that asks for Done or Err: the third time, the caller has gone.
			_, err := rule(&leaving{Context: ctx, after: 3, leave: func() { cancel(gone) }}, request(interpreter.InterpretHealth))
			require.ErrorIs(t, err, gone)
			require.ErrorContains(t, err, "interrupted")
		})
	}
}

// leaving is a context that is canceled when its Err is asked for the nth time.
type leaving struct {
	context.Context
	after int
	leave func()
}

func (l *leaving) Err() error {
	if l.after--; l.after == 0 {
		l.leave()
	}
	return l.Context.Err()
}

func TestTimeout(t *testing.T) {
	engine := newEngine(t, script.Limits{Steps: 1 << 60, Memory: 1 << 60, Timeout: time.Millisecond})
	_, err := compile(t, engine, interpreter.InterpretHealth, loops)(t.Context(), request(interpreter.InterpretHealth))
	var over *interpreter.BudgetError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, interpreter.BudgetTime, over.Budget)
	assert.Equal(t, "1ms", over.Limit)
}

// TestHostileSources proves that no source makes compiling it expensive.
func TestHostileSources(t *testing.T) {
	repeat := strings.Repeat
	engine := newEngine(t, script.Limits{})
	compile(t, engine, interpreter.InterpretHealth, "true") // what is built once
	for _, tc := range []struct{ name, text, err string }{
		{"too-long", repeat("a", script.MaxSource+1), "want at most 65536"},
		{"empty", " \n", "empty"},
		{"not-text", "true || '\xff'", "not valid UTF-8"},
		{"parentheses", repeat("(", 60_000), "brackets are open"},
		{"brackets", repeat("[", 30_000) + repeat("]", 30_000), "brackets are open"},
		{"braces", repeat("{1:", 15_000), "brackets are open"},
		{"calls", repeat("size(", 12_000), "brackets are open"},
		{"the-most-brackets", repeat("[", 63) + repeat("]", 63) + " == []", ""},
		{"the-most-braces", repeat("{1:", 63) + "1" + repeat("}", 63) + " == {}", ""},
		{"the-most-binds", tower(60, "[1]", pair, wrap("%s == []")), ""},
		{"the-most-maps", repeat("[1].map(x,", 60) + "1" + repeat(")", 60) + "== []", ""},
		{"opt-map", "object.?a" + repeat(".optMap(y, y)", 100) + ".orValue(true)", ""},
		{"opt-map-too-long", "object.?a" + repeat(".optMap(y, y)", 1000) + ".orValue(true)", "nested too deeply"},
		{"opt-flat-map", "object.?a" + repeat(".optFlatMap(y, y.?x)", 50) + ".orValue(true)", ""},
		{"not", repeat("!", 60_000) + "true", ""},
		{"minus", repeat("-", 60_000) + "1 == 1", ""},
		{"minus-spaced", repeat("- ", 30_000) + "1 == 1", ""},
		{"plus", "1" + repeat("+1", 30_000), "nested too deeply"},
		{"and", "true" + repeat("&&true", 3_000), ""},
		{"and-or", "true" + repeat("&&true||true", 4_000), ""},
		{"dots", "object" + repeat(".a", 30_000), "nested too deeply"},
		{"indices", "object" + repeat("[0]", 20_000), "nested too deeply"},
		{"branches", repeat("true?true:", 6_000) + "true", "nested too deeply"},
		{"equal", "1" + repeat("==1", 20_000), "nested too deeply"},
		{"wide-list", "[" + repeat("1,", 30_000) + "1] == []", "more than 20000 parts"},
		{"wide-map", "{" + repeat("'a':1,", 10_000) + "'b':1} == {}", "more than 20000 parts"},
		{"hash", repeat("#", 60_000), "unexpected"},
		{"quotes", repeat("'", 60_001), "unexpected"},
		{"commas", repeat(",", 60_000), "unexpected"},
		{"words", repeat("a b ", 15_000), "unexpected"},
		{"question-marks", repeat("?", 60_000), "unexpected"},
		{"closing", repeat(")", 60_000), "unexpected"},
		{"undeclared", "a" + repeat("&&a", 9_000), "there is no variable a"},
		{"comments", repeat("//\n", 20_000) + "true", ""},
		{"string", "'" + repeat("a", 60_000) + "' == ''", ""},
		{"escapes", "'" + repeat(`\u0041`, 10_000) + "' == ''", ""},
		{"fold-range", "lists.range(1000000000).size() == 1", ""},
		{"fold-replace", `"` + repeat("a", 20_000) + `".replace("a", "` + repeat("b", 20_000) + `") == ""`, ""},
		{"fold-regex", `"` + repeat("a", 20_000) + `".matches("(a*)*b")`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var err error
			allocated := allocation(func() { _, _, err = engine.Compile(source(interpreter.InterpretHealth, tc.text)) })
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				var problems script.Problems
				require.ErrorAs(t, err, &problems)
				require.ErrorContains(t, err, tc.err)
			}
			assert.Less(t, allocated, uint64(160<<20))
			t.Logf("%d KB: %.150v", allocated>>10, err)
		})
	}
}

func source(op interpreter.Operation, text string) *script.Source {
	return &script.Source{Link: "customizations", Customization: "test", Operation: op, Language: script.CEL, Text: text}
}

func compile(t testing.TB, engine *cel.Engine, op interpreter.Operation, text string) interpreter.Rule {
	t.Helper()
	rule, warnings, err := engine.Compile(source(op, text))
	require.NoError(t, err)
	require.Empty(t, warnings)
	return rule
}

func newEngine(t testing.TB, limits script.Limits) *cel.Engine {
	t.Helper()
	engine, err := cel.New(limits, kubeFunctions())
	require.NoError(t, err)
	return engine
}

// deployment returns a new object, with everything in it that a value can be.
func deployment() map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata": map[string]any{
			"name": "web", "namespace": "default", "generation": int64(4), "uid": "u1",
			"labels": map[string]any{"b": "2", "a": "1", "c": "3"},
		},
		"spec": map[string]any{
			"replicas": int64(3), "big": int64(9007199254740993), "ratio": 0.5, "null": nil,
			"emptyMap": map[string]any{}, "emptyList": []any{}, "text": "hello",
			"containers": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
		},
		"status": map[string]any{"observedGeneration": int64(4), "replicas": int64(3)},
	}
}

func request(op interpreter.Operation) *interpreter.Request {
	req := &interpreter.Request{Operation: op, Object: &unstructured.Unstructured{Object: deployment()}, DesiredReplicas: 7}
	if op.Info().Takes(interpreter.InputObserved) {
		req.ObservedObject = &unstructured.Unstructured{Object: deployment()}
	}
	if err := req.Complete(); err != nil {
		panic(err)
	}
	return req
}
