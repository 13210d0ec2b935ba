package builtin_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// BenchmarkDeployment asks about a Deployment of two containers in three members. The baseline converts the object to its
// typed form, and back where the answer is an object, on every call. The floor of the operations that return an object is
// one deep copy of it.
func BenchmarkDeployment(b *testing.B) {
	data, err := os.ReadFile("testdata/bench/deployment.yaml")
	require.NoError(b, err)
	deployment := object(b, string(data))
	items := make([]interpreter.StatusItem, 3)
	raw := make([]workv1alpha2.AggregatedStatusItem, 3)
	for i := range items {
		status := map[string]any{
			"replicas": int64(2), "updatedReplicas": int64(2), "readyReplicas": int64(2), "availableReplicas": int64(2),
			"observedGeneration": int64(5), "generation": int64(5), "resourceTemplateGeneration": int64(3),
		}
		items[i] = interpreter.StatusItem{ClusterName: string(rune('a' + i)), Status: status}
		data, err := json.Marshal(status)
		require.NoError(b, err)
		raw[i] = workv1alpha2.AggregatedStatusItem{ClusterName: items[i].ClusterName, Status: &runtime.RawExtension{Raw: data}}
	}

	copying := func() error { deployment.DeepCopy(); return nil }
	for _, bc := range []struct {
		op       interpreter.Operation
		baseline func() error
		floor    func() error
	}{
		{interpreter.InterpretReplica, func() error { return typedReplica(deployment) }, nil},
		{interpreter.InterpretHealth, func() error { return typedHealth(deployment) }, nil},
		{interpreter.InterpretDependency, func() error { return typedDependency(deployment) }, nil},
		{interpreter.InterpretStatus, func() error { return typedStatus(deployment) }, nil},
		{interpreter.AggregateStatus, func() error { return typedAggregate(deployment, raw) }, copying},
		{interpreter.ReviseReplica, func() error { return typedRevise(deployment) }, copying},
		{interpreter.Retain, func() error { return typedRetain(deployment, deployment) }, copying},
	} {
		b.Run(string(bc.op), func(b *testing.B) {
			req := &interpreter.Request{
				Operation: bc.op, Object: deployment, ObservedObject: deployment, DesiredReplicas: 2, AggregatedStatus: items,
			}
			require.NoError(b, req.Complete())
			ctx := b.Context()
			ours := func() error { _, err := chain.Lookup(req.Kind, bc.op)(ctx, req); return err }
			compare(b, ours, bc.baseline, bc.floor)
		})
	}
}

// compare measures ours, and reports how much faster it is than baseline, and how much slower than floor unless that is
// nil. The three take short turns and the best turn of each counts, so that neither a busy machine nor the garbage
// collector changes the ratios.
func compare(b *testing.B, ours, baseline, floor func() error) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if err := ours(); err != nil {
			b.Fatal(err)
		}
	}
	const turns, calls = 200, 20
	var best [3]time.Duration
	for range turns {
		for i, f := range [3]func() error{ours, baseline, floor} {
			if f == nil {
				continue
			}
			start := time.Now()
			for range calls {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			if took := time.Since(start); best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	b.ReportMetric(float64(best[1].Nanoseconds())/calls, "baseline-ns/op")
	b.ReportMetric(float64(best[1])/float64(best[0]), "x-faster")
	if floor != nil {
		b.ReportMetric(float64(best[2].Nanoseconds())/calls, "floor-ns/op")
		b.ReportMetric(float64(best[0])/float64(best[2]), "x-floor")
	}
}
