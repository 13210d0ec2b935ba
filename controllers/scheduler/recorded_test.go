package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
)

// A binding of which nothing is written, since it keeps the clusters that it has, still has another condition Scheduled
// to get: when it cannot be scheduled any more, and when it can be again.
func TestRecordedTellsWhatNoWriteTells(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, clusterv1alpha1.AddToScheme(scheme))
	require.NoError(t, workv1alpha2.AddToScheme(scheme))
	b := &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-deployment", UID: "u", Generation: 1},
		Spec: workv1alpha2.ResourceBindingSpec{
			Resource: workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
			Placement: &policyv1alpha1.Placement{ClusterAffinity: &policyv1alpha1.ClusterAffinity{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "one"}},
			}},
		},
	}
	cluster := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "member1", Labels: map[string]string{"tier": "one"}},
		Status: clusterv1alpha1.ClusterStatus{APIEnablements: []clusterv1alpha1.APIEnablement{
			{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
		}},
	}
	cl := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b, cluster).Build()
	var told []scheduler.Key
	s := &scheduler.Scheduler{
		Client: cl, Event: func(client.Object, bool, string, string) {},
		Recorded: func(key scheduler.Key) { told = append(told, key) },
	}
	key := client.ObjectKeyFromObject(b)
	for _, step := range []struct {
		reason, tier  string
		writes, tells bool
	}{
		{"it is scheduled", "one", true, true},
		{"nothing is new", "one", false, false},
		{"its cluster does not fit any more", "two", false, true},
		{"for the same reason as before", "two", false, false},
		{"it fits again", "one", false, true},
	} {
		cluster.Labels["tier"] = step.tier
		require.NoError(t, cl.Update(t.Context(), cluster))
		require.NoError(t, cl.Get(t.Context(), key, b))
		before := b.ResourceVersion
		told = nil
		_, err := s.Reconcile(t.Context(), key)
		require.NoError(t, err)
		require.NoError(t, cl.Get(t.Context(), key, b))
		assert.Equal(t, step.writes, before != b.ResourceVersion, step.reason)
		if step.tells {
			assert.Equal(t, []scheduler.Key{key}, told, step.reason)
		} else {
			assert.Empty(t, told, step.reason)
		}
	}
}
