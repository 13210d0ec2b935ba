package cluster

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/members"
)

// A cluster that leaves is looked after until its Works are gone: one that this process has not talked to yet is connected,
// so that its objects can be taken out of it, and one that stops to answer is not ready, so that they are not waited for.
func TestLeavingClusterIsLookedAfter(t *testing.T) {
	alive := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
	defer alive.Close()
	for _, tc := range []struct {
		reason, endpoint string
		connected        []string
		ready            metav1.ConditionStatus
	}{
		{"it answers", alive.URL, []string{"member1"}, metav1.ConditionTrue},
		{"it does not", "http://127.0.0.1:1", nil, metav1.ConditionFalse},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, clusterv1alpha1.AddToScheme, workv1alpha1.AddToScheme} {
				require.NoError(t, add(scheme))
			}
			cluster := &clusterv1alpha1.Cluster{
				ObjectMeta: metav1.ObjectMeta{
					Name: "member1", Finalizers: []string{clusterv1alpha1.ClusterControllerFinalizer}, DeletionTimestamp: new(metav1.Now()),
				},
				Spec: clusterv1alpha1.ClusterSpec{
					APIEndpoint: tc.endpoint, SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: "karmada-cluster", Name: "member1"},
				},
				Status: clusterv1alpha1.ClusterStatus{Conditions: []metav1.Condition{
					{Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue},
				}},
			}
			cl := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(cluster).WithObjects(cluster,
				&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-cluster", Name: "member1"}, Data: map[string][]byte{TokenKey: []byte("secret")}},
				&workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
					Namespace: workv1alpha1.ExecutionNamespace("member1"), Name: "web", Finalizers: []string{"test/held"}, DeletionTimestamp: new(metav1.Now()),
				}},
			).Build()
			var connected []string
			c := &Controller{
				Client: cl, Live: cl, Members: members.New(nil, nil), Event: func(client.Object, bool, string, string) {},
				Connected: func(name string) { connected = append(connected, name) }, FailureThreshold: time.Nanosecond,
			}
			defer c.disconnect("member1")
			for range 2 { // a cluster has to fail for a while
				result, err := c.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "member1"}})
				require.NoError(t, err)
				assert.NotZero(t, result.RequeueAfter)
			}
			assert.Equal(t, tc.connected, connected)
			require.NoError(t, cl.Get(t.Context(), client.ObjectKey{Name: "member1"}, cluster))
			ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
			assert.Equal(t, tc.ready, ready.Status)
			assert.Empty(t, cluster.Spec.Taints)
		})
	}
}
