package cases

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
)

// BenchmarkRun is 1,000 cases, asked and compared one after the other. The floor is asking alone.
func BenchmarkRun(b *testing.B) {
	found, err := Load("testdata/update/recorded.out.yaml")
	require.NoError(b, err)
	many := make([]*Case, 0, 1000)
	for len(many) < cap(many) {
		many = append(many, found[len(many)%len(found)])
	}
	runner := Runner{Rules: Fixed(sample{}), Parallel: 1}
	client := interpreter.Client{Interpreter: sample{}}
	ctx := interpreter.WithTrace(b.Context(), &interpreter.Trace{
		Answered: func(interpreter.Source, error) {}, Spent: func(interpreter.Source, interpreter.Usage) {},
	})
	var ours, floor time.Duration
	for b.Loop() {
		start := time.Now()
		runner.Run(b.Context(), many)
		ours += time.Since(start)

		start = time.Now()
		for _, c := range many {
			_, _ = client.Do(ctx, c.Request())
		}
		floor += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(b.N), "ns/op")
	b.ReportMetric(float64(floor)/float64(b.N), "floor-ns/op")
	b.ReportMetric(float64(ours)/float64(floor), "x-floor")
}
