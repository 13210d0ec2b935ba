package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func TestSpecChanged(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*workv1alpha1.Work)
		want   bool
	}{
		{"nothing", func(*workv1alpha1.Work) {}, false},
		{"its status", func(w *workv1alpha1.Work) { w.ResourceVersion, w.Status.Conditions = "2", []metav1.Condition{{}} }, false},
		{"its spec", func(w *workv1alpha1.Work) { w.Generation = 2 }, true},
		{"a label", func(w *workv1alpha1.Work) { w.Labels = map[string]string{"a": "b"} }, true},
		{"an annotation", func(w *workv1alpha1.Work) { w.Annotations = map[string]string{"a": "b"} }, true},
		{"it is to go", func(w *workv1alpha1.Work) { w.DeletionTimestamp = new(metav1.Now()) }, true},
		{"it went and came again while nobody watched", func(w *workv1alpha1.Work) { w.UID = "other" }, true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			before := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{UID: "u", Generation: 1}}
			after := before.DeepCopy()
			tc.change(after)
			e := event.TypedUpdateEvent[*workv1alpha1.Work]{ObjectOld: before, ObjectNew: after}
			assert.Equal(t, tc.want, specChanged[*workv1alpha1.Work]().Update(e))
			assert.Equal(t, tc.want, goneOrTouched().Update(e))
			assert.False(t, gone[*workv1alpha1.Work]().Update(e))
		})
	}
}

func TestConnectedChanged(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*clusterv1alpha1.Cluster)
		want   bool
	}{
		{"nothing", func(*clusterv1alpha1.Cluster) {}, false},
		{"what is free in it", func(c *clusterv1alpha1.Cluster) { c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{} }, false},
		{"it is ready", func(c *clusterv1alpha1.Cluster) {
			c.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue}}
		}, true},
		{"it went and came again while nobody watched", func(c *clusterv1alpha1.Cluster) { c.UID = "other" }, true},
		{"a label, by which overrides choose clusters", func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"a": "b"} }, true},
		{"its region", func(c *clusterv1alpha1.Cluster) { c.Spec.Region = "eu" }, true},
		{"its zones", func(c *clusterv1alpha1.Cluster) { c.Spec.Zones = []string{"a"} }, true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			before := &clusterv1alpha1.Cluster{}
			after := before.DeepCopy()
			tc.change(after)
			assert.Equal(t, tc.want, connectedChanged.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}))
		})
	}
}

// What has failed for a day is tried again soon.
func TestRetriesAreBounded(t *testing.T) {
	limiter := retries[string]()
	first := limiter.When("it")
	last := first
	for range 1000 {
		last = limiter.When("it")
	}
	assert.Less(t, first, conflictRetry)
	assert.Equal(t, longestRetry, last)
}
