package laws_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// only is an interpreter of one rule.
func only(op interpreter.Operation, answer interpreter.Rule) interpreter.Interpreter {
	return interpreter.Func(func(_ schema.GroupVersionKind, asked interpreter.Operation) interpreter.Rule {
		if asked != op {
			return nil
		}
		return answer
	})
}

func replicas(obj *unstructured.Unstructured) int32 {
	n, _, _ := unstructured.NestedInt64(obj.Object, "spec", "replicas")
	return int32(n)
}

// lawless are the rules that no script can break: written in Go, made anew for each call.
var lawless = map[string]func() interpreter.Interpreter{
	"deterministic": func() interpreter.Interpreter {
		var mu sync.Mutex
		count := int32(0)
		return only(interpreter.InterpretReplica, func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			count++
			return &interpreter.Response{Replicas: replicas(req.Object) + count%2}, nil
		})
	},
	"input-untouched": func() interpreter.Interpreter {
		return only(interpreter.Retain, func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Object: req.Object}, nil
		})
	},
	"isolated": func() interpreter.Interpreter {
		var mu sync.Mutex
		left := int32(0)
		return only(interpreter.InterpretReplica, func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			n := replicas(req.Object)
			if n == 5 {
				n += left
			} else {
				left = 1
			}
			return &interpreter.Response{Replicas: n}, nil
		})
	},
}

// rulesOf returns the rules of a folder of testdata.
func rulesOf(t *testing.T, folder string) func() (cases.Rules, error) {
	t.Helper()
	return func() (cases.Rules, error) {
		if made := lawless[filepath.Base(folder)]; made != nil {
			return cases.Fixed(made()), nil
		}
		file := filepath.Join(folder, cases.CustomizationsFile)
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := customizations.Decode(filepath.ToSlash(file), data)
		if err != nil {
			return nil, err
		}
		engines, err := customizations.Engines(script.Limits{})
		if err != nil {
			return nil, err
		}
		set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(found...)
		return cases.Fixed(set), nil
	}
}

func check(t *testing.T, folder string, seed uint64) *laws.Report {
	t.Helper()
	found, err := cases.Load(filepath.Join(folder, "cases.yaml"))
	require.NoError(t, err)
	fresh := rulesOf(t, folder)
	rules, err := fresh()
	require.NoError(t, err)
	report, err := laws.Checker{Rules: rules, Fresh: fresh, Seed: seed}.Check(t.Context(), found)
	require.NoError(t, err)
	return report
}

func text(t *testing.T, report *laws.Report) string {
	t.Helper()
	results := make([]cases.Result, len(report.Breaches))
	for i := range report.Breaches {
		results[i] = report.Breaches[i].Result(report.Seed)
	}
	var out strings.Builder
	require.NoError(t, cases.Text{}.Write(&out, results))
	return out.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with -update")
	assert.Equal(t, string(want), got)
}

// TestEveryLawIsFoundBroken breaks one law after the other: only that one must be found, with a message that helps and
// inputs that are a case.
func TestEveryLawIsFoundBroken(t *testing.T) {
	for _, law := range laws.All() {
		t.Run(law.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join("testdata", law.Name)
			report := check(t, folder, 1)
			require.NotEmpty(t, report.Breaches, "nothing was found")
			for _, breach := range report.Breaches {
				assert.Equal(t, law.Name, breach.Law.Name, breach.Wrong)
			}
			golden(t, filepath.Join(folder, "want.txt"), text(t, report))

			saved := t.TempDir()
			files, err := laws.Save(saved, report)
			require.NoError(t, err)
			require.Len(t, files, len(report.Breaches))
			var all strings.Builder
			for _, file := range files {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				_, err = cases.Load(file)
				require.NoError(t, err, "what is saved is no case")
				all.WriteString("# " + filepath.Base(file) + "\n" + string(data) + "\n")
			}
			golden(t, filepath.Join(folder, "want.yaml"), all.String())
		})
	}
}

// TestSavedBreachBreaksAgain holds that the inputs which were saved break the law without anything made of them.
func TestSavedBreachBreaksAgain(t *testing.T) {
	for _, law := range laws.All() {
		if law.Name == "isolated" {
			continue // it takes two cases
		}
		t.Run(law.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join("testdata", law.Name)
			files, err := laws.Save(t.TempDir(), check(t, folder, 1))
			require.NoError(t, err)
			for _, file := range files {
				found, err := cases.Load(file)
				require.NoError(t, err)
				rules, err := rulesOf(t, folder)()
				require.NoError(t, err)
				if law.Name == "absent-fields" {
					results := cases.Runner{Rules: rules}.Run(t.Context(), found)
					assert.Equal(t, cases.Failed, results[0].Outcome)
					continue
				}
				report, err := laws.Checker{Rules: rules, Seed: 99}.Check(t.Context(), found)
				require.NoError(t, err)
				assert.NotEmpty(t, report.Breaches)
			}
		})
	}
}

func TestTheSameSeedFindsTheSame(t *testing.T) {
	folder := filepath.Join("testdata", "absent-fields")
	first, second := check(t, folder, 7), check(t, folder, 7)
	assert.Equal(t, text(t, first), text(t, second))
}

func TestExemptions(t *testing.T) {
	found, err := cases.Decode("cases.yaml", []byte(`
name: exempt
reason: the law does not hold, and that is as it should be
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {replicas: 3}}
exempt: {deterministic: it counts}
assert: ['true']
`))
	require.NoError(t, err)
	checker := laws.Checker{Rules: cases.Fixed(lawless["deterministic"]())}
	report, err := checker.Check(t.Context(), found)
	require.NoError(t, err)
	assert.Empty(t, report.Breaches)

	found[0].Exempt = map[string]string{"determinism": "a slip"}
	_, err = checker.Check(t.Context(), found)
	require.ErrorContains(t, err, `cases.yaml:2: case "exempt": exempt: unknown law "determinism": want one of absent-fields, `)
}

// TestUnneededExemptions holds that an exemption is reported when no case of its file makes use of it.
func TestUnneededExemptions(t *testing.T) {
	found, err := cases.Decode("cases.yaml", []byte(`
apiVersion: dragoman.io/v1alpha1
kind: InterpreterTestSuite
metadata: {name: widgets}
exempt:
  deterministic: it counts
  isolated: the count stays
  types-kept: who knows
cases:
- {name: one, reason: it counts, operation: InterpretReplica, desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}, assert: ['true']}
- {name: two, reason: it counts, operation: InterpretReplica, desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}, assert: ['true'],
   exempt: {deterministic: it counts twice}}
- {name: nobody answers, reason: nobody does, operation: Retain, desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}},
   observedObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}, assert: ['true'], exempt: {values-kept: it is not}}
`))
	require.NoError(t, err)
	unneeded := func(name string, fresh bool) []string {
		checker := laws.Checker{Rules: cases.Fixed(lawless[name]())}
		if fresh {
			checker.Fresh = func() (cases.Rules, error) { return cases.Fixed(lawless[name]()), nil }
		}
		report, err := checker.Check(t.Context(), found)
		require.NoError(t, err)
		assert.Empty(t, report.Breaches)
		lines := make([]string, len(report.Unneeded))
		for i, e := range report.Unneeded {
			lines[i] = e.String() + " (" + e.Reason + ")"
			result := e.Result(1)
			assert.Equal(t, cases.Broken, result.Outcome)
			assert.Contains(t, result.Problems[1], e.Reason)
		}
		return lines
	}
	assert.Equal(t, []string{
		"cases.yaml:10: exempt.types-kept: the law holds: want no exemption (who knows)",
		"cases.yaml:13: exempt.values-kept: the law holds: want no exemption (it is not)",
	}, unneeded("deterministic", true))
	assert.Equal(t, []string{
		"cases.yaml:10: exempt.deterministic: the law holds: want no exemption (it counts)",
		"cases.yaml:10: exempt.types-kept: the law holds: want no exemption (who knows)",
		"cases.yaml:11: exempt.deterministic: the law holds: want no exemption (it counts twice)",
		"cases.yaml:13: exempt.values-kept: the law holds: want no exemption (it is not)",
	}, unneeded("isolated", false), "without fresh rules nobody knows what is isolated")
}

// TestRequiredFieldsAreNeverAbsent holds that fields are left alone of which a schema says that they are always there.
func TestRequiredFieldsAreNeverAbsent(t *testing.T) {
	found, err := cases.Decode("cases.yaml", []byte(`
name: a part
reason: its size counts
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {parts: [{size: 2, name: a}], note: ""}}
assert: ['true']
`))
	require.NoError(t, err)
	rules := cases.Fixed(only(interpreter.InterpretReplica, func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		spec, ok := req.Object.Object["spec"].(map[string]any)
		if !ok {
			return nil, errors.New("no spec")
		}
		sum := int32(0)
		parts, _ := spec["parts"].([]any)
		for _, part := range parts {
			size, ok := part.(map[string]any)["size"].(int64)
			if !ok {
				return nil, errors.New("no size")
			}
			sum += int32(size)
		}
		return &interpreter.Response{Replicas: sum}, nil
	}))
	parts := map[string]any{"type": "array", "items": map[string]any{
		"type": "object", "required": []any{"size"}, "properties": map[string]any{"size": map[string]any{"type": "integer"}},
	}}
	widget := script.NewSchema(map[string]any{"properties": map[string]any{
		"spec": map[string]any{"type": "object", "properties": map[string]any{"parts": parts}},
	}}, nil)
	for _, tc := range []struct {
		reason string
		schema func(schema.GroupVersionKind) *script.Schema
		want   []string
	}{
		{"nothing is known of the kind", nil, []string{"no size", "no spec"}},
		{"the schema of another kind says nothing", func(schema.GroupVersionKind) *script.Schema { return nil }, []string{"no size", "no spec"}},
		{"a size is required of each part, and every object has a spec", func(schema.GroupVersionKind) *script.Schema { return widget }, nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			report, err := laws.Checker{Rules: rules, Schema: tc.schema, Inputs: 20}.Check(t.Context(), found)
			require.NoError(t, err)
			var wrong []string
			for _, breach := range report.Breaches {
				wrong = append(wrong, breach.Wrong)
			}
			slices.Sort(wrong)
			assert.Equal(t, tc.want, wrong)
		})
	}
}

// TestShrunkInputsKeepWhatIsRequired holds that the smallest inputs are some that an API server takes.
func TestShrunkInputsKeepWhatIsRequired(t *testing.T) {
	found, err := cases.Decode("cases.yaml", []byte(`
name: two sizes
reason: the second one counts
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 2, other: 3, note: ""}}
assert: ['true']
`))
	require.NoError(t, err)
	rules := cases.Fixed(only(interpreter.InterpretReplica, func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		if _, ok, _ := unstructured.NestedInt64(req.Object.Object, "spec", "other"); !ok {
			return nil, errors.New("no other size")
		}
		return &interpreter.Response{}, nil
	}))
	number := map[string]any{"type": "integer"}
	widget := script.NewSchema(map[string]any{"properties": map[string]any{"spec": map[string]any{
		"type": "object", "required": []any{"size"}, "properties": map[string]any{"size": number, "other": number, "note": map[string]any{"type": "string"}},
	}}}, nil)
	report, err := laws.Checker{Rules: rules, Schema: func(schema.GroupVersionKind) *script.Schema { return widget }}.Check(t.Context(), found)
	require.NoError(t, err)
	require.Len(t, report.Breaches, 1)
	object, _ := report.Breaches[0].Inputs["object"].(map[string]any)
	assert.Equal(t, map[string]any{"size": int64(2)}, object["spec"])
}

// TestLawfulRule checks a rule that keeps all laws with everything that the others stumble over.
func TestLawfulRule(t *testing.T) {
	report := check(t, filepath.Join("testdata", "lawful"), 1)
	if len(report.Breaches) > 0 {
		assert.Fail(t, text(t, report))
	}
}

func TestCheckStopsWithItsContext(t *testing.T) {
	found, err := cases.Load(filepath.Join("testdata", "absent-fields", "cases.yaml"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rules, err := rulesOf(t, filepath.Join("testdata", "absent-fields"))()
	require.NoError(t, err)
	_, err = laws.Checker{Rules: rules}.Check(ctx, found)
	require.ErrorIs(t, err, context.Canceled)
}
