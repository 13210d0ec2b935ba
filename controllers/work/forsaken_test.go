package work

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// The objects of a cluster that is not connected are left behind only when nothing can be hoped for.
func TestForsaken(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, clusterv1alpha1.AddToScheme(scheme))
	work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: workv1alpha1.ExecutionNamespace("member1")}}
	for _, tc := range []struct {
		reason  string
		leaving bool
		ready   metav1.ConditionStatus
		mode    clusterv1alpha1.ClusterSyncMode
		want    bool
	}{
		{reason: "it comes back", ready: metav1.ConditionFalse},
		{reason: "it leaves and is away", leaving: true, ready: metav1.ConditionFalse, want: true},
		{reason: "it leaves and was never reached", leaving: true, want: true},
		{reason: "it leaves, and is connected in a moment: the controllers have just begun", leaving: true, ready: metav1.ConditionTrue},
		{reason: "it leaves, and is never connected from here", leaving: true, ready: metav1.ConditionTrue, mode: clusterv1alpha1.Pull, want: true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "member1"}, Spec: clusterv1alpha1.ClusterSpec{SyncMode: tc.mode}}
			if tc.leaving {
				cluster.DeletionTimestamp, cluster.Finalizers = new(metav1.Now()), []string{clusterv1alpha1.ClusterControllerFinalizer}
			}
			if tc.ready != "" {
				cluster.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: tc.ready}}
			}
			c := &Controller{Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster).Build()}
			got, err := c.forsaken(t.Context(), work)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	c := &Controller{Client: fake.NewClientBuilder().WithScheme(scheme).Build()}
	got, err := c.forsaken(t.Context(), work)
	require.NoError(t, err)
	assert.True(t, got, "it has left")
}
