package v1alpha1_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func ExampleCluster() {
	cluster := v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "member1"},
		Spec:       v1alpha1.ClusterSpec{SyncMode: v1alpha1.Push, APIEndpoint: "https://10.0.0.1:6443"},
	}
	meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue, Reason: "ClusterReady",
	})
	fmt.Println(cluster.Name, meta.IsStatusConditionTrue(cluster.Status.Conditions, v1alpha1.ClusterConditionReady))
	// Output: member1 true
}
