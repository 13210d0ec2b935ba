package thirdparty_test

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

// BenchmarkCases asks every case beside the kinds. The baseline is the peer's method (peer_test.go), which parses the rule
// with every call and goes through JSON both ways; a rule in CEL is parsed by the CEL engine, since the peer has none. The
// means over all cases are geometric.
func BenchmarkCases(b *testing.B) {
	c := catalogue(b)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(b, err)
	old := &peer{cel: engines[script.CEL]}
	sources := ruleSources(b, c)
	type mean struct{ log, n float64 }
	means := map[string]*mean{"lua": {}, "cel": {}, "all": {}}
	client := interpreter.Client{Interpreter: c}
	for _, one := range load(b, ".") {
		if one.Expect.Error != nil || one.Expect.NotHandled {
			continue
		}
		req := one.Request()
		require.NoError(b, req.Complete())
		source := sources[c.Explain(req.Kind, req.Operation)[0].Position]
		require.NotNil(b, source)
		times := compare(func() {
			_, err := client.Do(b.Context(), req)
			require.NoError(b, err)
		}, func() {
			require.NoError(b, old.answer(b.Context(), source, req), one.Name)
		})
		for _, name := range []string{"all", string(source.Language)} {
			means[name].log += math.Log(times[1] / times[0])
			means[name].n++
		}
	}
	for _, name := range []string{"all", "lua", "cel"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				runtime.KeepAlive(means)
			}
			b.ReportMetric(math.Exp(means[name].log/means[name].n), "x-faster")
			b.ReportMetric(means[name].n, "cases")
		})
	}
}

// BenchmarkFlink asks the cases of FlinkDeployment: the shipped rules (CEL), the same rules in Lua, as the baseline of both
// the peer's method with the latter, and as the floor of some the same in Go.
func BenchmarkFlink(b *testing.B) {
	c, twin := catalogue(b), flinkInLua(b)
	old, sources := &peer{}, map[interpreter.Operation]*script.Source{}
	one, _ := twin.Get("flinkdeployments-in-lua")
	for _, info := range interpreter.Operations() {
		sources[info.Operation] = sourceOf(one, &info)
	}
	byOperation := map[interpreter.Operation]*cases.Case{}
	for _, one := range load(b, "flink.apache.org") {
		if byOperation[one.Operation] == nil && one.Expect.Error == nil {
			byOperation[one.Operation] = one
		}
	}
	for _, info := range interpreter.Operations() {
		one := byOperation[info.Operation]
		if one == nil {
			continue
		}
		req := one.Request()
		require.NoError(b, req.Complete())
		for name, rules := range map[string]interpreter.Interpreter{"cel": c, "lua": twin} {
			b.Run(string(info.Operation)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				rule := rules.Lookup(req.Kind, req.Operation)
				ask := func() {
					if _, err := rule(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					ask()
				}
				turns := []func(){ask, func() {
					require.NoError(b, old.answer(b.Context(), sources[req.Operation], req))
				}}
				if hand := byHand[req.Operation]; hand != nil {
					want, err := rule(b.Context(), req)
					require.NoError(b, err)
					got, err := hand(req)
					require.NoError(b, err)
					require.True(b, equality.Semantic.DeepEqual(want, got), "the two do not do the same")
					turns = append(turns, func() { _, _ = hand(req) })
				}
				times := compare(turns...)
				b.ReportMetric(times[1], "baseline-ns/op")
				b.ReportMetric(times[1]/times[0], "x-faster")
				if len(times) > 2 {
					b.ReportMetric(times[2], "floor-ns/op")
					b.ReportMetric(times[0]/times[2], "x-floor")
				}
			})
		}
	}
}

// BenchmarkLoad is what the catalogue costs a process: to be there, to answer the first question of one kind, and to have
// every rule compiled.
func BenchmarkLoad(b *testing.B) {
	flink := load(b, "flink.apache.org")[0].Request()
	for name, use := range map[string]func(*thirdparty.Catalogue) error{
		"new": func(*thirdparty.Catalogue) error { return nil },
		"first answer": func(c *thirdparty.Catalogue) error {
			_, err := interpreter.Client{Interpreter: c}.Do(b.Context(), flink)
			return err
		},
		"read all": func(c *thirdparty.Catalogue) error {
			_, err := c.Customizations()
			return err
		},
		"compile all": func(c *thirdparty.Catalogue) error {
			if len(c.Problems()) > 0 {
				return errors.New("there are problems")
			}
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			first := catalogue(b)
			require.NoError(b, use(first))
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportAllocs()
			for b.Loop() {
				if err := use(catalogue(b)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(max(0, float64(after.HeapAlloc)-float64(before.HeapAlloc))/(1<<20), "MiB-kept")
			runtime.KeepAlive(first)
		})
	}
}

// compare returns how many nanoseconds each of fs takes. They take turns, and the best turn of each counts, so that a busy
// machine is equally hard on all.
func compare(fs ...func()) []float64 {
	const rounds, turn = 5, time.Millisecond
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

// ruleSources returns the source of each rule of the catalogue by its position.
func ruleSources(b *testing.B, c *thirdparty.Catalogue) map[string]*script.Source {
	all, err := c.Customizations()
	require.NoError(b, err)
	out := map[string]*script.Source{}
	for _, one := range all {
		for _, info := range interpreter.Operations() {
			if source := sourceOf(one, &info); source != nil {
				out[source.Position(1)] = source
			}
		}
	}
	return out
}
