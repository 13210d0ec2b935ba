package aggregation_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/aggregation"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
)

// What the Works of a binding report is written to its status, by and by.
func Example() {
	ctx, scheme := context.Background(), runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1alpha1.AddToScheme, workv1alpha1.AddToScheme, workv1alpha2.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "password-secret"}}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "member1"}}
	work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: workv1alpha1.ExecutionNamespace("member1"), Name: "password",
		Annotations: map[string]string{workv1alpha2.ResourceBindingNamespaceAnnotation: b.Namespace, workv1alpha2.ResourceBindingNameAnnotation: b.Name},
	}}
	work.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b, work).WithStatusSubresource(b).
		WithIndex(work, binding.Index, func(o client.Object) []string {
			key, _ := binding.KeyOf(o.GetAnnotations())
			return []string{binding.IndexKey(key)}
		}).Build()

	controller, key := &aggregation.Controller{Client: c, Scheduler: &scheduler.Scheduler{}, Interval: time.Millisecond}, client.ObjectKeyFromObject(b)
	for result, err := controller.Reconcile(ctx, key); result.RequeueAfter > 0 || err != nil; result, err = controller.Reconcile(ctx, key) {
		time.Sleep(result.RequeueAfter)
	}
	if err := c.Get(ctx, key, b); err != nil {
		panic(err)
	}
	fmt.Println(b.Status.Conditions[0].Type, b.Status.Conditions[0].Status, b.Status.AggregatedStatus[0].ClusterName)
	// Output: FullyApplied True member1
}
