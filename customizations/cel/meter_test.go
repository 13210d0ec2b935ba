package cel

import (
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8s "k8s.io/apiserver/pkg/cel/library"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestEveryFunctionIsMetered fails when a library adds a function: somebody has to think about what it may cost.
func TestEveryFunctionIsMetered(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	env, err := l.environments[interpreter.InterpretHealth]()
	require.NoError(t, err)
	for name := range env.Functions() {
		assert.Contains(t, l.meters, name, "the function has no meter")
	}
	for name := range l.meters {
		assert.True(t, env.HasFunction(name) || name == "__not_strictly_false__", "there is no function %s to meter", name)
	}
}

// expressions returns the lines of testdata/expressions.txt.
func expressions(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/expressions.txt")
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// evaluated is an expression, and how it is evaluated here.
type evaluated struct {
	program *Program
	syntax  *syntax
	run     *run
	plan    node
	value   ref.Val
	err     error
}

var testObject = map[string]any{
	"apiVersion": "apps/v1", "kind": "Deployment",
	"metadata": map[string]any{"name": "web", "labels": map[string]any{"b": "2", "a": "1", "c": "3"}},
	"spec": map[string]any{
		"replicas": int64(3), "ratio": 0.5, "null": nil, "emptyMap": map[string]any{}, "emptyList": []any{}, "text": "hello",
		"args":       []any{"a", "b"},
		"mixed":      []any{int64(1), 2.0, 2.5, true, nil, map[string]any{"a": int64(1)}, []any{int64(1)}},
		"mixed2":     []any{1.0, int64(2), 2.5, true, nil, map[string]any{"a": 1.0}, []any{int64(1)}},
		"containers": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
	},
}

// evaluate evaluates text here. It does not look at the type of the result.
func evaluate(t testing.TB, l *library, text string) evaluated {
	t.Helper()
	return evaluateObject(t, l, text, testObject, true)
}

func evaluateObject(t testing.TB, l *library, text string, object map[string]any, fold bool) (out evaluated) {
	t.Helper()
	src := &script.Source{Customization: "test", Operation: interpreter.InterpretHealth, Text: text}
	env, err := l.environments[src.Operation]()
	require.NoError(t, err)
	checked, problems := l.compile(env, src)
	require.Empty(t, problems, text)
	s := &syntax{source: src, info: src.Operation.Info(), env: env, tree: checked.NativeRep()}
	s.cost = l.costs(s.tree)
	out.syntax = s
	out.program = &Program{
		source: src, info: s.info, limits: script.Limits{}.WithDefaults(), library: l, block: s.cost.root,
		syntax: func() (*syntax, error) { return s, nil },
	}
	plan, err := s.planBy(&decorator{library: l, cost: &s.cost, folds: fold}, nil)
	require.NoError(t, err, text)
	out.run = out.program.newRun(t.Context(), &interpreter.Request{Object: &unstructured.Unstructured{Object: object}})
	out.run.charge(s.cost.root.steps, s.cost.root.bytes)
	frame, err := celinterpreter.NewExecutionFrame(out.run)
	require.NoError(t, err)
	out.plan, out.value = plan, execute(plan, frame)
	if failed, ok := out.value.(*types.Err); ok {
		out.err = out.program.evaluationProblem(failed, out.run)
	}
	return out
}

// TestLikeCEL proves that replacing nodes of the plan changes no value: each expression has the value, or fails, as in a
// plan of cel-go's own.
func TestLikeCEL(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	called := map[string]bool{}
	for _, text := range expressions(t) {
		t.Run(text, func(t *testing.T) {
			text, unordered := strings.CutPrefix(text, "~ ")
			here := evaluateObject(t, l, text, testObject, false)
			collect(here.syntax.tree.Expr(), called)
			want, cost, wantErr := original(t, here.syntax.env, text)
			if wantErr != nil {
				require.Error(t, here.err, "cel-go: %v", wantErr)
				return
			}
			require.NoError(t, here.err)
			assert.Equal(t, want.Type(), here.value.Type())
			if !isNaN(want) && !unordered {
				assert.Equal(t, types.True, types.Equal(want, here.value), "%v != %v", want, here.value)
			}
			if folded := evaluate(t, l, text); !isNaN(want) {
				require.NoError(t, folded.err)
				assert.Equal(t, types.True, types.Equal(here.value, folded.value), "folding changes the value")
				assert.LessOrEqual(t, folded.run.usage().Steps, here.run.usage().Steps)
			}
			// The law of doc.go: a budget in cost units of CEL's is never overdrawn.
			steps := here.run.usage().Steps
			assert.GreaterOrEqual(t, steps, cost, "cel-go counts more")
			assert.GreaterOrEqual(t, here.program.Estimate(1024), steps, "the estimate is below what is counted")
		})
	}
	declared := slices.Sorted(maps.Keys(l.meters))
	for _, name := range declared {
		switch name {
		case "_in_", "in", "__not_strictly_false__", "cel.@block": // not in the language any more
			continue
		}
		assert.True(t, called[name], "no expression in testdata/expressions.txt calls %s", name)
	}
}

func isNaN(v ref.Val) bool {
	d, ok := v.(types.Double)
	return ok && math.IsNaN(float64(d))
}

func collect(e ast.Expr, called map[string]bool) {
	if e.Kind() == ast.CallKind {
		name := e.AsCall().FunctionName()
		called[name], called[strings.TrimPrefix(name, loose)] = true, true
	}
	for part := range parts(e) {
		collect(part, called)
	}
}

// original evaluates text as cel-go does, with its cost.
func original(t testing.TB, env *celgo.Env, text string) (ref.Val, int64, error) {
	t.Helper()
	checked, issues := env.Compile(text)
	require.NoError(t, issues.Err())
	program, err := env.Program(checked, celgo.EvalOptions(celgo.OptTrackCost), celgo.CostTracking(&k8s.CostEstimator{}))
	require.NoError(t, err)
	value, details, err := program.Eval(map[string]any{"object": testObject, "next": nil})
	if err != nil {
		return nil, 0, err
	}
	return value, int64(*details.ActualCost()), nil
}

// TestDeterministic proves that the order of a map is never seen: not in values, not in errors, not in costs.
func TestDeterministic(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	show := func(text string) (string, interpreter.Usage) {
		here := evaluate(t, l, text)
		if here.err != nil {
			return here.err.Error(), here.run.usage()
		}
		plain, err := here.run.plain(here.value)
		if err != nil {
			return err.Error(), here.run.usage()
		}
		return describePlain(plain), here.run.usage()
	}
	for _, text := range append(expressions(t),
		`{"c": optional.none(), "a": type(1), "b": 1.0 / 0.0, "d": 1}`,
		`{1: 1, "a": 1, 2u: 1, true: 2}`,
		`object.metadata.labels.all(k, int(k) == 1)`,
		`object.metadata.labels.map(k, object.metadata[k])`,
	) {
		text = strings.TrimPrefix(text, "~ ")
		want, wantUsage := show(text)
		for range 5 {
			got, usage := show(text)
			assert.Equal(t, want, got, text)
			assert.Equal(t, wantUsage, usage, text)
		}
	}
}
