package cel

import (
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestLibraryIsBound proves that every function of the library has a meter, and that its example compiles.
func TestLibraryIsBound(t *testing.T) {
	functions := kube.Functions()
	l, err := newLibrary(functions)
	require.NoError(t, err)
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			assert.Contains(t, l.meters, "kube."+f.Name)
			if f.CEL == "" {
				return
			}
			ok := false
			var problems script.Problems
			for _, op := range []interpreter.Operation{interpreter.AggregateStatus, interpreter.Retain, interpreter.ReviseReplica} {
				src := &script.Source{Customization: f.Name, Operation: op, Language: script.CEL, Text: f.CEL}
				env, err := l.environments[op]()
				require.NoError(t, err)
				checked, found := l.compile(env, src)
				ok, problems = ok || checked != nil, append(problems, found...)
			}
			assert.True(t, ok, "its example does not compile: %v", problems)
		})
	}
}

// TestListsOfAnything proves that what is done to a list whose type nobody knows is not taken for what could be done to
// one of numbers.
func TestListsOfAnything(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	for _, text := range []string{
		`object.spec.args.distinct().sort().join(",") == "a,b"`,
		`object.spec.args.distinct().sort().map(x, x + "!") == ["a!", "b!"]`,
		`object.spec.args.distinct().max() + "!" == "b!"`,
		`object.spec.args.slice(0, 2).max() == "b"`,
		`object.spec.args.flatten().max() == "b"`,
		`[object.spec.args].flatten(1).sort()[0] + "!" == "a!"`,
		`object.spec.args.first().value() + object.spec.args.last().orValue("") == "ab"`,
		`object.spec.containers.sortBy(c, c.name).slice(0, 1).map(c, c.name).join("") == "a"`,
		`[1, 2].distinct().sum() + 1 == 4`,
	} {
		got := evaluate(t, l, text)
		require.NoError(t, got.err, text)
		assert.Equal(t, types.True, got.value, text)
		for _, n := range got.program.Nodes() {
			assert.NotContains(t, n.Text, loose)
		}
	}
}

// TestChoiceOfNull proves that a rule may end with null where it has no answer.
func TestChoiceOfNull(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	for text, want := range map[string]ref.Val{
		`object.spec.replicas > 5 ? {"a": 1} : null`:                           types.NullValue,
		`object.spec.replicas < 5 ? null : [1]`:                                types.NullValue,
		`object.spec.replicas > 5 ? {"a": 1} : has(object.x) ? null : "x"`:     types.String("x"),
		`object.spec.replicas < 5 ? null : null`:                               types.NullValue,
		`(object.spec.replicas < 5 ? 3 : null) == 3`:                           types.True,
		`object.spec.args.map(a, a == "a" ? null : a)[0] == null ? "y" : null`: types.String("y"),
	} {
		got := evaluate(t, l, text)
		require.NoError(t, got.err, text)
		assert.Equal(t, want, got.value, text)
		for _, n := range got.program.Nodes() {
			assert.NotContains(t, n.Text, "dyn")
		}
	}
}
