package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
)

func TestMattersTo(t *testing.T) {
	for _, tc := range []struct {
		reason           string
		change           func(*clusterv1alpha1.Cluster)
		all, unscheduled bool
	}{
		{"nothing changed", func(*clusterv1alpha1.Cluster) {}, false, false},
		{"it went and came again", func(c *clusterv1alpha1.Cluster) { c.UID = "u" }, true, true},
		{"a label", func(c *clusterv1alpha1.Cluster) { c.Labels = map[string]string{"a": "b"} }, true, true},
		{"a taint", func(c *clusterv1alpha1.Cluster) { c.Spec.Taints = []corev1.Taint{{Key: "a"}} }, true, true},
		{"its zones", func(c *clusterv1alpha1.Cluster) { c.Spec.Zones = []string{"a"} }, true, true},
		{"its zone, as it was written once", func(c *clusterv1alpha1.Cluster) { c.Spec.Zone = "a" }, true, true}, //nolint:staticcheck // users still write it
		{"what it serves", func(c *clusterv1alpha1.Cluster) {
			c.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{GroupVersion: "v1"}}
		}, true, true},
		{"room: what is placed is not moved", func(c *clusterv1alpha1.Cluster) {
			c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{"cpu": resource.MustParse("1")}}
		}, false, true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			after := &clusterv1alpha1.Cluster{}
			tc.change(after)
			all, unscheduled := scheduler.MattersTo(&clusterv1alpha1.Cluster{}, after)
			assert.Equal(t, []bool{tc.all, tc.unscheduled}, []bool{all, unscheduled})
		})
	}
}
