package lua_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
)

// BenchmarkRun compares a run of each script of the corpus with the peer's method (baseline) and with a deep copy of the
// object in Go (floor). The last row has the geometric means.
func BenchmarkRun(b *testing.B) {
	e, peer := newEngine(), &baseline{}
	faster, least, n := 0.0, 0.0, 0.0
	for _, q := range corpus(b) {
		rule := compiled(b, e, q.src)
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := b.Context()
			run := func() {
				if _, err := rule(ctx, q.req); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				run()
			}
			times := compare(run, func() { _ = q.req.Object.DeepCopy() }, func() {
				if _, err := peer.answer(ctx, q.src, q.req); err != nil {
					b.Fatal(err)
				}
			})
			own, floor, slow := times[0], times[1], times[2]
			b.ReportMetric(slow, "baseline-ns/op")
			b.ReportMetric(slow/own, "x-faster")
			b.ReportMetric(floor, "floor-ns/op")
			b.ReportMetric(own/floor, "x-floor")
			faster, least, n = faster+math.Log(slow/own), least+math.Log(own/floor), n+1
		})
	}
	if n > 0 {
		b.Run("mean", func(b *testing.B) {
			for b.Loop() {
				runtime.KeepAlive(n)
			}
			b.ReportMetric(math.Exp(faster/n), "x-faster")
			b.ReportMetric(math.Exp(least/n), "x-floor")
		})
	}
}

// compare returns how many nanoseconds each of fs takes. They take turns, and the best turn of each counts, so that a busy
// machine is equally hard on all.
func compare(fs ...func()) []float64 {
	const rounds, turn = 15, 2 * time.Millisecond
	best := make([]float64, len(fs))
	for range rounds {
		for i, f := range fs {
			n, start := 0, time.Now()
			for time.Since(start) < turn {
				f()
				n++
			}
			if took := float64(time.Since(start).Nanoseconds()) / float64(n); best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best
}

// BenchmarkFirstRun is a run that finds no state that it can use again, as after an error.
func BenchmarkFirstRun(b *testing.B) {
	e := newEngine()
	rule := compiled(b, e, source(interpreter.InterpretHealth, inHealth("pcall(error)")))
	req := health(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := rule(b.Context(), req)
		require.NoError(b, err)
	}
}

// BenchmarkCompile is what a script costs once.
func BenchmarkCompile(b *testing.B) {
	e := newEngine()
	for _, q := range corpus(b) {
		if q.name != "flink_components" && q.name != "rollout_aggregate" {
			continue
		}
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, err := e.Compile(q.src)
				require.NoError(b, err)
			}
		})
	}
}
