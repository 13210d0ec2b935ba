package customizations_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

const healthScript = `
function InterpretHealth(obj)
  local status = obj.status or {}
  return status.observedGeneration == obj.metadata.generation and (status.readyReplicas or 0) >= obj.spec.replicas
end
`

// tenThousand returns customizations for a hundred groups of a hundred kinds, each with a rule in Lua and one in CEL.
func tenThousand() rics {
	out := make(rics, 0, 10_000)
	for i := range 10_000 {
		c := ric(fmt.Sprintf("customization-%d", i), fmt.Sprintf("group-%d.example.com/v1", i/100), fmt.Sprintf("Kind%d", i%100), "")
		c.Object.Spec.Customizations.HealthInterpretation = newScript(healthScript, "")
		c.Object.Spec.Customizations.ReplicaResource = newScript("", "object.spec.replicas + "+fmt.Sprint(i))
		out = append(out, c)
	}
	return out
}

// BenchmarkTenThousand is what ten thousand customizations cost: to load them, to keep them, and to change one of them.
func BenchmarkTenThousand(b *testing.B) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(b, err)
	empty := customizations.New(customizations.Options{Link: "customizations", Engines: engines})
	all := tenThousand()
	_ = empty.With(all[0]) // so that the engines are there

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	set := empty.With(all...)
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)

	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			empty.With(all...)
		}
		b.ReportMetric(kept, "MiB-kept")
	})
	one := all[5000]
	one.Object = one.Object.DeepCopy()
	b.Run("change one", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		change := func() {
			n++
			one.Object = one.Object.DeepCopy()
			one.Object.Spec.Customizations.ReplicaResource.CELExpression = "object.spec.replicas + " + fmt.Sprint(n)
			set.With(one)
		}
		for b.Loop() {
			change()
		}
	})
	b.Run("compile one", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			one.Object = one.Object.DeepCopy()
			one.Object.Spec.Customizations.ReplicaResource.CELExpression = "object.spec.replicas + " + fmt.Sprint(n)
			empty.With(one)
		}
	})
	b.Run("remove one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			set.Without(one.Object.Name)
		}
	})
	gvk := schema.GroupVersionKind{Group: "group-50.example.com", Version: "v1", Kind: "Kind0"}
	withPattern := set.With(ric("pattern", "*.example.com/*", "*", "", "x"))
	for name, s := range map[string]*customizations.Set{"look up": set, "look up among patterns": withPattern} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			require.NotNil(b, s.Lookup(gvk, interpreter.InterpretReplica))
			for b.Loop() {
				s.Lookup(gvk, interpreter.InterpretReplica)
			}
		})
	}
}
