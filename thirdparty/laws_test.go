package thirdparty_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/cases"
	casecoverage "github.com/dragoman-io/dragoman/cases/coverage"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

// TestLaws holds that every rule keeps the laws, but for the exemptions that its cases give reasons for.
func TestLaws(t *testing.T) {
	found := load(t, ".")
	checker := laws.Checker{
		Rules:  cases.Fixed(catalogue(t)),
		Fresh:  func() (cases.Rules, error) { return cases.Fixed(catalogue(t)), nil },
		Seed:   1,
		Inputs: 4,
	}
	report, err := checker.Check(t.Context(), found)
	require.NoError(t, err)
	results := make([]cases.Result, len(report.Breaches))
	for i := range report.Breaches {
		results[i] = report.Breaches[i].Result(report.Seed)
	}
	var text strings.Builder
	require.NoError(t, cases.Text{}.Write(&text, results))
	assert.Empty(t, report.Breaches, "%s", &text)
	for _, exemption := range report.Unneeded {
		t.Error(exemption)
	}
}

// TestExemptionsAreFew names the laws that some kinds are exempt from: another one has to be asked for here.
func TestExemptionsAreFew(t *testing.T) {
	exempt := map[string]bool{}
	for _, c := range load(t, ".") {
		for law := range c.Exempt {
			exempt[law] = true
		}
	}
	assert.Equal(t, []string{"members-choice", "members-neutral", "members-order", "revise-replica", "types-kept", "values-kept"}, slices.Sorted(maps.Keys(exempt)))
}

// TestCoverage holds that the cases run nearly everything that the rules can do.
func TestCoverage(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	profile := casecoverage.New(engines)
	all := catalogue(t)
	found, err := all.Customizations()
	require.NoError(t, err)
	for _, c := range found {
		profile.Add(c.Sources(thirdparty.Link)...)
	}
	runner := cases.Runner{Rules: cases.Fixed(all), Watch: func(*cases.Case) *interpreter.Trace { return profile.Trace() }}
	runner.Run(t.Context(), load(t, "."))
	rules := profile.Rules()
	var missed []string
	for i := range rules {
		missed = append(missed, rules[i].Missed()...)
	}
	total := casecoverage.TotalOf(rules)
	assert.GreaterOrEqual(t, total.Lines.Percent(), 99.0, "%s", strings.Join(missed, "\n"))
	assert.GreaterOrEqual(t, total.Share.Percent(), 95.0, "%s", strings.Join(missed, "\n"))
	assert.GreaterOrEqual(t, total.Branches.Percent(), 90.0, "%s", strings.Join(missed, "\n"))
}
