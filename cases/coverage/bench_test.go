package coverage_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/coverage"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// BenchmarkWatched runs 1,000 cases with coverage, and says how many times longer that takes than without.
func BenchmarkWatched(b *testing.B) {
	const file = "testdata/rules.yaml"
	data, err := os.ReadFile(file)
	require.NoError(b, err)
	decoded, err := customizations.Decode(file, data)
	require.NoError(b, err)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(b, err)
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(decoded...)
	found, err := cases.Load("testdata/cases.yaml")
	require.NoError(b, err)
	many := make([]*cases.Case, 1000)
	for i := range many {
		many[i] = found[i%len(found)]
	}
	var plain, watched time.Duration
	for b.Loop() {
		start := time.Now()
		cases.Runner{Rules: cases.Fixed(set)}.Run(b.Context(), many)
		plain += time.Since(start)

		start = time.Now()
		profile := coverage.New(engines)
		profile.Add(decoded[0].Sources("customizations")...)
		cases.Runner{Rules: cases.Fixed(set), Watch: func(*cases.Case) *interpreter.Trace { return profile.Trace() }}.Run(b.Context(), many)
		profile.Rules()
		watched += time.Since(start)
	}
	b.ReportMetric(float64(watched.Milliseconds())/float64(b.N), "ms/1000-cases")
	b.ReportMetric(float64(watched)/float64(plain), "x-plain")
}
