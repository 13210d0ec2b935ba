package scheduling_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
)

func ExampleSchedule() {
	serves := []clusterv1alpha1.APIEnablement{
		{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
	}
	var clusters []*clusterv1alpha1.Cluster
	for _, name := range []string{"member1", "member2"} {
		clusters = append(clusters, &clusterv1alpha1.Cluster{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     clusterv1alpha1.ClusterStatus{APIEnablements: serves},
		})
	}
	decision, err := scheduling.Schedule(scheduling.Request{
		Clusters: clusters,
		Binding: &workv1alpha2.ResourceBindingSpec{
			Resource: workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			Replicas: 5,
			Placement: &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
				ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided,
			}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range decision.Clusters {
		fmt.Println(target.Name, target.Replicas)
	}
	// Output:
	// member1 3
	// member2 2
}
