package thirdparty_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

var update = flag.Bool("update", false, "rewrite docs/catalogue.md")

const page = "../docs/catalogue.md"

// ruleKey names a rule of the catalogue.
type ruleKey struct {
	customization, field string
}

// tested is what the cases run of a rule.
type tested struct {
	cases int
	// steps are the lines (Lua) or nodes (CEL) that were run.
	steps map[int64]bool
}

// runTraced runs all cases and returns what they run of each rule.
func runTraced(t *testing.T, c *thirdparty.Catalogue) map[ruleKey]*tested {
	t.Helper()
	seen := map[ruleKey]*tested{}
	of := func(s interpreter.Source) *tested {
		key := ruleKey{s.Name, s.Field}
		if seen[key] == nil {
			seen[key] = &tested{steps: map[int64]bool{}}
		}
		return seen[key]
	}
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Answered: func(s interpreter.Source, _ error) { of(s).cases++ },
		Step: func(s interpreter.Step) {
			if s.Source.Language == string(script.Lua) {
				of(s.Source).steps[int64(s.Line)] = true
			} else {
				of(s.Source).steps[s.Node] = true
			}
		},
	})
	for _, one := range load(t, ".") {
		_, err := interpreter.Client{Interpreter: c}.Do(ctx, one.Request())
		if one.Expect.Error == nil && !one.Expect.NotHandled {
			require.NoError(t, err, one.Name)
		}
	}
	return seen
}

// coverage returns how many of a rule's lines or nodes the cases run, and how many there are.
func coverage(t *testing.T, source *script.Source, ran map[int64]bool) (hit, all int) {
	t.Helper()
	count := func(step int64) {
		all++
		if ran[step] {
			hit++
		}
	}
	functions := kube.Functions()
	if source.Language == script.Lua {
		program, _, err := lua.New(script.Limits{}, functions).Load(source)
		require.NoError(t, err)
		for _, line := range program.Lines() {
			count(int64(line))
		}
		return hit, all
	}
	engine, err := cel.New(script.Limits{}, functions)
	require.NoError(t, err)
	program, _, err := engine.Program(source)
	require.NoError(t, err)
	for _, node := range program.Nodes() {
		count(node.ID)
	}
	return hit, all
}

// TestPage writes docs/catalogue.md: which kind answers what, in which language, how well tested.
func TestPage(t *testing.T) {
	c := catalogue(t)
	all, err := c.Customizations()
	require.NoError(t, err)
	ran := runTraced(t, c)

	var b strings.Builder
	b.WriteString(`<!-- Written by go test ./thirdparty -update. -->
# The catalogue

What well-known custom resources mean, out of the box. A cell has the language of the rule (L for Lua, C for CEL) and how
many cases it has beside it; an empty one is answered by the next link of the chain. Coverage is of lines (Lua) and nodes
of expressions (CEL).

`)
	operations := interpreter.Operations()
	b.WriteString("| kind | versions |")
	for _, info := range operations {
		b.WriteString(" " + strings.TrimPrefix(string(info.Operation), "Interpret") + " |")
	}
	b.WriteString(" coverage |\n|---|---|" + strings.Repeat("---|", len(operations)+1) + "\n")
	kinds, rules := map[string]bool{}, 0
	for _, one := range all {
		target := one.Object.Spec.Target
		group, version, _ := strings.Cut(target.APIVersion, "/")
		version = strings.Replace(version, "*", "all", 1)
		kinds[group+"/"+target.Kind] = true
		folder := readme(t, group, target.Kind)
		fmt.Fprintf(&b, "| [%s](../thirdparty/%s) `%s` | %s |", target.Kind, folder, group, version)
		hit, total := 0, 0
		for _, info := range operations {
			source := sourceOf(one, &info)
			if source == nil {
				b.WriteString(" |")
				continue
			}
			rules++
			key := ruleKey{one.Object.Name, info.Field}
			require.NotNil(t, ran[key], "%v has no case", key)
			h, a := coverage(t, source, ran[key].steps)
			hit, total = hit+h, total+a
			fmt.Fprintf(&b, " %s %d |", strings.ToUpper(string(source.Language[:1])), ran[key].cases)
		}
		covered := 100 * hit / total
		assert.GreaterOrEqual(t, covered, 90, "%s: cases that run the rest", one.Object.Name)
		fmt.Fprintf(&b, " %d%% |\n", covered)
	}
	fmt.Fprintf(&b, "\n%d kinds, %d rules, %d cases.\n", len(kinds), rules, len(load(t, ".")))

	if *update {
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run: go test ./thirdparty -update")
}

// readme returns the folder of a kind.
func readme(t *testing.T, group, kind string) string {
	t.Helper()
	versions, err := os.ReadDir(group)
	require.NoError(t, err)
	for _, version := range versions {
		folder := strings.Join([]string{group, version.Name(), kind}, "/")
		if _, err := os.Stat(folder + "/README.md"); err == nil {
			return folder
		}
	}
	require.Fail(t, "no README.md of "+group+" "+kind)
	return ""
}

// sourceOf returns the source of a customization's rule for an operation; nil when it has none.
func sourceOf(c customizations.Customization, info *interpreter.OperationInfo) *script.Source {
	s := *info.Script(&c.Object.Spec.Customizations)
	if !s.IsSet() {
		return nil
	}
	source := &script.Source{
		Customization: c.Object.Name, Operation: info.Operation, Language: script.Lua, Text: s.LuaScript,
		File: c.File, Line: c.Lines[info.Operation],
	}
	if s.LuaScript == "" {
		source.Language, source.Text = script.CEL, s.CELExpression
	}
	return source
}
