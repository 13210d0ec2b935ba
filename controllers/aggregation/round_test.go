package aggregation

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
)

// What several clusters report within an interval is written once; the first time all of them are waited for.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Controller{Interval: time.Second}
		key := scheduler.Key{Namespace: "shop", Name: "web-deployment"}
		assert.Equal(t, time.Second, c.wait(key, true), "the clusters report one by one")
		time.Sleep(time.Second)
		assert.Equal(t, patience-time.Second, c.wait(key, false), "one has not reported")
		time.Sleep(2 * time.Second)
		assert.Zero(t, c.wait(key, true), "all have")
		assert.Equal(t, time.Second, c.wait(key, true), "the next round has its turn an interval later")
		time.Sleep(time.Second)
		assert.Zero(t, c.wait(key, false), "later rounds wait for nobody")

		silent := scheduler.Key{Name: "silent"}
		c.wait(silent, false)
		time.Sleep(patience)
		assert.Zero(t, c.wait(silent, false), "patience has an end")
	})
}

func TestReported(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, clusterv1alpha1.AddToScheme(scheme))
	cluster := func(name string, ready metav1.ConditionStatus) *clusterv1alpha1.Cluster {
		return &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: clusterv1alpha1.ClusterStatus{
			Conditions: []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: ready}},
		}}
	}
	c := &Controller{Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster("near", metav1.ConditionTrue), cluster("away", metav1.ConditionFalse)).Build()}
	work := func(cluster, condition string, status metav1.ConditionStatus) workv1alpha1.Work {
		return workv1alpha1.Work{
			ObjectMeta: metav1.ObjectMeta{Namespace: workv1alpha1.ExecutionNamespace(cluster)},
			Status:     workv1alpha1.WorkStatus{Conditions: []metav1.Condition{{Type: condition, Status: status}}},
		}
	}
	for _, tc := range []struct {
		reason  string
		targets []string
		works   []workv1alpha1.Work
		want    bool
	}{
		{"no cluster is named", nil, nil, true},
		{"there is no Work yet", []string{"near"}, nil, false},
		{"the Work says nothing yet", []string{"near"}, []workv1alpha1.Work{work("near", workv1alpha1.WorkDispatching, metav1.ConditionTrue)}, false},
		{"the object is applied", []string{"near"}, []workv1alpha1.Work{work("near", workv1alpha1.WorkApplied, metav1.ConditionTrue)}, true},
		{"it is refused", []string{"near"}, []workv1alpha1.Work{work("near", workv1alpha1.WorkApplied, metav1.ConditionFalse)}, true},
		{"it is kept back", []string{"near"}, []workv1alpha1.Work{work("near", workv1alpha1.WorkDispatching, metav1.ConditionFalse)}, true},
		{"a cluster that is not ready is not waited for", []string{"away"}, nil, true},
		{"nor one that left", []string{"gone"}, nil, true},
		{"one of two has reported", []string{"near", "away"}, []workv1alpha1.Work{work("away", workv1alpha1.WorkApplied, metav1.ConditionTrue)}, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{}
			for _, name := range tc.targets {
				b.Spec.Clusters = append(b.Spec.Clusters, workv1alpha2.TargetCluster{Name: name})
			}
			got, err := c.reported(t.Context(), b, tc.works)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

// Rules are asked to merge once there is anything to merge, or to clear.
func TestSilent(t *testing.T) {
	said := []workv1alpha2.AggregatedStatusItem{{ClusterName: "a"}, {ClusterName: "b", Status: &runtime.RawExtension{Raw: []byte(`{}`)}}}
	for _, tc := range []struct {
		reason string
		status any
		items  []workv1alpha2.AggregatedStatusItem
		want   bool
	}{
		{"nobody says anything", nil, said[:1], true},
		{"API servers write an empty status", map[string]any{}, said[:1], true},
		{"no clusters", nil, nil, true},
		{"a status of before has to be cleared", map[string]any{"replicas": int64(1)}, nil, false},
		{"a status of a strange shape is the rule's to judge", "strange", nil, false},
		{"one cluster has a status, though empty", nil, said, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			template := &unstructured.Unstructured{Object: map[string]any{}}
			if tc.status != nil {
				template.Object["status"] = tc.status
			}
			assert.Equal(t, tc.want, silent(template, tc.items))
		})
	}
}
