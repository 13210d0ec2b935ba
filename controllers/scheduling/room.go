package scheduling

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// room returns for how many more replicas of the object a cluster's summary says there is room; of an object with
// components, for how many whole sets of them. A cluster without a summary has none.
func room(cluster *clusterv1alpha1.Cluster, binding *workv1alpha2.ResourceBindingSpec) int64 {
	summary := cluster.Status.ResourceSummary
	if summary == nil {
		return 0
	}
	request := corev1.ResourceList{}
	pods := int64(1)
	switch {
	case len(binding.Components) > 0:
		request, pods = setRequest(binding.Components)
	case binding.ReplicaRequirements != nil:
		request = binding.ReplicaRequirements.ResourceRequest
	}
	if pods == 0 {
		return math.MaxInt32
	}
	fits := free(summary, corev1.ResourcePods).Value() / pods
	for name, want := range request {
		if want.Sign() <= 0 {
			continue
		}
		left := free(summary, name)
		if name == corev1.ResourceCPU {
			fits = min(fits, left.MilliValue()/want.MilliValue())
		} else {
			fits = min(fits, left.Value()/max(1, want.Value()))
		}
	}
	return min(max(fits, 0), math.MaxInt32)
}

// setRequest returns what one set of all components asks for, and how many pods it has.
func setRequest(components []workv1alpha2.Component) (corev1.ResourceList, int64) {
	total := corev1.ResourceList{}
	var pods int64
	for _, c := range components {
		pods += int64(c.Replicas)
		if c.ReplicaRequirements == nil {
			continue
		}
		for name, each := range c.ReplicaRequirements.ResourceRequest {
			sum := total[name]
			for range c.Replicas {
				sum.Add(each)
			}
			total[name] = sum
		}
	}
	return total, pods
}

func free(summary *clusterv1alpha1.ResourceSummary, name corev1.ResourceName) *resource.Quantity {
	left := summary.Allocatable[name].DeepCopy()
	left.Sub(summary.Allocated[name])
	left.Sub(summary.Allocating[name])
	return &left
}
