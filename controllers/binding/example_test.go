package binding_test

import (
	"fmt"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
)

// A binding names the clusters that it is scheduled to, and those of the bindings that require it.
func ExampleTargets() {
	targets := binding.Targets(&workv1alpha2.ResourceBindingSpec{
		Clusters:   []workv1alpha2.TargetCluster{{Name: "west", Replicas: 2}},
		RequiredBy: []workv1alpha2.BindingSnapshot{{Name: "web-deployment", Clusters: []workv1alpha2.TargetCluster{{Name: "east", Replicas: 5}}}},
	})
	for _, t := range targets {
		fmt.Println(t.Name, t.Replicas)
	}
	// Output:
	// east 0
	// west 2
}
