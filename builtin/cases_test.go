package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/interpreter"
)

// chain is the end of every chain.
var chain = interpreter.Chain{builtin.Interpreter{}, builtin.Generic{}}

// folders are where the cases are: one for each API group, and one for the generic link.
var folders = []string{
	"testdata/apps", "testdata/autoscaling", "testdata/batch", "testdata/core", "testdata/generic",
	"testdata/multicluster.x-k8s.io", "testdata/networking.k8s.io", "testdata/policy",
}

func loadCases(t testing.TB) []*cases.Case {
	t.Helper()
	found, err := cases.Load(folders...)
	require.NoError(t, err)
	return found
}

func TestCases(t *testing.T) {
	for _, result := range (cases.Runner{Rules: cases.Fixed(chain), Strict: true}).Run(t.Context(), loadCases(t)) {
		c := result.Case
		t.Run(c.Request().Object.GetKind()+"/"+string(c.Operation)+"/"+strings.TrimPrefix(c.Name, c.Request().Object.GetKind()+"/"), func(t *testing.T) {
			assert.NotEmpty(t, c.Reason, "%s:%d: why is there this case?", c.File, c.Line)
			for _, diff := range result.Diffs {
				t.Errorf("%s: %v", c.Position(diff.Field), diff)
			}
			for _, problem := range result.Problems {
				t.Errorf("%s:%d: %s", c.File, c.Line, problem)
			}
			if result.Outcome != cases.Passed && result.Err != nil {
				t.Errorf("%s:%d: %v", c.File, c.Line, result.Err)
			}
			assert.Equal(t, cases.Passed, result.Outcome)
		})
	}
}

// TestEveryRuleHasCases wants at least one case for every operation of every kind.
func TestEveryRuleHasCases(t *testing.T) {
	type rule struct {
		gvk schema.GroupVersionKind
		op  interpreter.Operation
	}
	var covered []rule
	for _, c := range loadCases(t) {
		covered = append(covered, rule{c.Request().Object.GroupVersionKind(), c.Operation})
	}
	for _, gvk := range builtin.Kinds() {
		for _, op := range interpreter.Operations() {
			if (builtin.Interpreter{}).Lookup(gvk, op.Operation) == nil {
				continue
			}
			assert.True(t, slices.Contains(covered, rule{gvk, op.Operation}), "no case for %s of %s", op.Operation, gvk)
		}
	}
}

// TestCaseLaws holds that the rules keep the laws that every rule has to, but for the exemptions that the cases give reasons
// for, on the inputs of the cases and others made of them.
func TestCaseLaws(t *testing.T) {
	checker := laws.Checker{
		Rules:  cases.Fixed(chain),
		Fresh:  func() (cases.Rules, error) { return cases.Fixed(chain), nil },
		Seed:   1,
		Inputs: 4,
	}
	report, err := checker.Check(t.Context(), loadCases(t))
	require.NoError(t, err)
	results := make([]cases.Result, len(report.Breaches))
	for i := range report.Breaches {
		results[i] = report.Breaches[i].Result(report.Seed)
	}
	var text strings.Builder
	require.NoError(t, cases.Text{}.Write(&text, results))
	assert.Empty(t, report.Breaches, "%s", &text)
	assert.Empty(t, report.Unneeded, "the laws hold without these exemptions")
}
