package thirdparty_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

func catalogue(t testing.TB) *thirdparty.Catalogue {
	t.Helper()
	c, err := thirdparty.New(script.Limits{})
	require.NoError(t, err)
	return c
}

// load returns the cases beside the kinds.
func load(t testing.TB, paths ...string) []*cases.Case {
	t.Helper()
	found, err := cases.Load(paths...)
	require.NoError(t, err)
	return found
}

func kindOf(c *cases.Case) schema.GroupVersionKind {
	if c.Desired != nil {
		return c.Desired.GroupVersionKind()
	}
	return c.Observed.GroupVersionKind()
}

func TestCases(t *testing.T) {
	runner := cases.Runner{Rules: cases.Fixed(catalogue(t)), Strict: true}
	for _, result := range runner.Run(t.Context(), load(t, ".")) {
		t.Run(result.Case.Name, func(t *testing.T) {
			for _, diff := range result.Diffs {
				t.Errorf("%s: %s", result.Case.Position(nil), diff)
			}
			assert.Equal(t, cases.Passed, result.Outcome, "%v %v", result.Err, result.Problems)
		})
	}
}

func TestEveryRuleLoadsWithoutAWarning(t *testing.T) {
	assert.Empty(t, catalogue(t).Problems())
}

// Each operation of each kind has cases, and each folder of a kind a README.
func TestEveryRuleHasCases(t *testing.T) {
	type question struct {
		kind schema.GroupKind
		op   interpreter.Operation
	}
	asked := map[question]bool{}
	for _, c := range load(t, ".") {
		gvk := kindOf(c)
		asked[question{gvk.GroupKind(), c.Operation}] = true
	}
	all, err := catalogue(t).Customizations()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(all), 39)
	for _, c := range all {
		target, err := customizations.ParseTarget(c.Object.Spec.Target)
		require.NoError(t, err)
		readme, err := filepath.Glob(filepath.Join(target.Kind.Group, "*", target.Kind.Kind, "README.md"))
		require.NoError(t, err)
		assert.Len(t, readme, 1, "%s: a README.md beside the cases", c.Object.Name)
		for _, info := range interpreter.Operations() {
			if (*info.Script(&c.Object.Spec.Customizations)).IsSet() {
				assert.True(t, asked[question{target.Kind.GroupKind(), info.Operation}], "%s.%s has no case", c.Object.Name, info.Field)
			}
		}
	}
}

// Each quirk of the peer that is mended has a case whose reason says what the peer answers.
func TestEveryMendedQuirkHasACase(t *testing.T) {
	said := map[string]bool{}
	mark := regexp.MustCompile(`Q[0-9]+`)
	for _, c := range load(t, ".") {
		if strings.Contains(c.Reason, "the peer") {
			for _, quirk := range mark.FindAllString(c.Reason, -1) {
				said[quirk] = true
			}
		}
	}
	for _, quirk := range []int{4, 5, 6, 8, 13, 14, 16, 17, 18, 19, 26, 28, 31, 32, 40, 41, 44, 46, 50, 54, 56, 58, 59, 60} {
		assert.True(t, said[fmt.Sprint("Q", quirk)], "Q%d", quirk)
	}
}

// What kinds have in common is a function of the kube library or one text that they share, not a copy.
func TestNoRuleIsACopy(t *testing.T) {
	const long = 300
	blank := regexp.MustCompile(`\s+`)
	all, err := catalogue(t).Customizations()
	require.NoError(t, err)
	seen := map[string]string{}
	for _, c := range all {
		for _, info := range interpreter.Operations() {
			s := *info.Script(&c.Object.Spec.Customizations)
			if !s.IsSet() {
				continue
			}
			text := blank.ReplaceAllString(s.LuaScript+s.CELExpression, " ")
			if len(text) < long {
				continue
			}
			place := fmt.Sprintf("%s:%d", c.File, c.Lines[info.Operation])
			if other, ok := seen[text]; ok {
				assert.Equal(t, other, place, "the same text in two places")
			}
			seen[text] = place
		}
	}
}

// flinkInLua returns the rules of FlinkDeployment in Lua.
func flinkInLua(t testing.TB) *customizations.Set {
	t.Helper()
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	data, err := os.ReadFile("testdata/flink-lua.yaml")
	require.NoError(t, err)
	twin, err := customizations.Decode("testdata/flink-lua.yaml", data)
	require.NoError(t, err)
	return customizations.New(customizations.Options{Engines: engines}).With(twin...)
}

// The CEL rules of FlinkDeployment and the same rules in Lua give the same answers to every case.
func TestFlinkInLuaAnswersAsInCEL(t *testing.T) {
	inLua := flinkInLua(t)
	require.Empty(t, inLua.Problems("flinkdeployments-in-lua"))

	shipped := catalogue(t)
	operations := map[interpreter.Operation]bool{}
	for _, c := range load(t, "flink.apache.org") {
		operations[c.Operation] = true
		t.Run(c.Name, func(t *testing.T) {
			got := answer(t, inLua, c)
			want := answer(t, shipped, c)
			assert.Equal(t, want, got)
		})
	}
	for _, op := range []interpreter.Operation{
		interpreter.InterpretReplica, interpreter.InterpretComponent, interpreter.InterpretStatus,
		interpreter.AggregateStatus, interpreter.InterpretHealth,
	} {
		assert.True(t, operations[op], op)
		gvk := schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
		assert.Equal(t, "cel", shipped.Explain(gvk, op)[0].Language)
		assert.Equal(t, "lua", inLua.Explain(gvk, op)[0].Language)
	}
}

// answer returns what i answers to c, or that it is an error.
func answer(t *testing.T, i interpreter.Interpreter, c *cases.Case) any {
	t.Helper()
	resp, err := interpreter.Client{Interpreter: i}.Do(t.Context(), c.Request())
	if err != nil {
		return "an error"
	}
	outputs, err := cases.Outputs(c.Operation, resp)
	require.NoError(t, err)
	return outputs
}

func TestSourcesNameTheirFile(t *testing.T) {
	c := catalogue(t)
	gvk := schema.GroupVersionKind{Group: "ray.io", Version: "v1alpha1", Kind: "RayJob"}
	sources := c.Explain(gvk, interpreter.InterpretComponent)
	require.Len(t, sources, 1)
	assert.Equal(t, "thirdparty rayjobs.ray.io.componentResource (cel)", sources[0].String())
	file, _, _ := strings.Cut(sources[0].Position, ":")
	assert.Equal(t, "thirdparty/ray.io/v1/customizations.yaml", file)
	_, err := os.Stat(filepath.Join("..", file))
	require.NoError(t, err)
}

func TestWhatIsNotInTheCatalogue(t *testing.T) {
	c := catalogue(t)
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "ray.io", Version: "v1", Kind: "RayCronJob"},
		{Version: "v1", Kind: "Pod"},
	} {
		for _, info := range interpreter.Operations() {
			assert.Nil(t, c.Lookup(gvk, info.Operation))
			assert.Empty(t, c.Explain(gvk, info.Operation))
		}
	}
}

// The files that are embedded are those that are there.
func TestEveryFileIsEmbedded(t *testing.T) {
	all, err := catalogue(t).Customizations()
	require.NoError(t, err)
	var embedded, found []string
	for _, c := range all {
		embedded = append(embedded, strings.TrimPrefix(c.File, "thirdparty/"))
	}
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == cases.CustomizationsFile {
			found = append(found, path)
		}
		return err
	}))
	slices.Sort(embedded)
	assert.ElementsMatch(t, found, slices.Compact(embedded))
}
