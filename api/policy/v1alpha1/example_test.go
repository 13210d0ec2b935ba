package v1alpha1_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// A controller reads policies with everything that they leave out.
func ExamplePropagationPolicy_Defaulted() {
	policy := &v1alpha1.PropagationPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: v1alpha1.PropagationSpec{
			ResourceSelectors: []v1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}},
			Placement:         v1alpha1.Placement{ReplicaScheduling: &v1alpha1.ReplicaSchedulingStrategy{}},
		},
	}
	policy = policy.Defaulted()
	fmt.Println(policy.Spec.ResourceSelectors[0].Namespace)
	fmt.Println(policy.Spec.Placement.ReplicaScheduling.ReplicaSchedulingType, policy.Spec.Placement.ReplicaScheduling.ReplicaDivisionPreference)
	// Output:
	// shop
	// Divided Weighted
}
