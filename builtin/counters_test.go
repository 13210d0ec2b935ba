package builtin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// TestCountersAsAPIServersWriteThem compares the counters with Kubernetes' types: each must be a number there, and be
// written as 0 exactly when an API server writes it so.
func TestCountersAsAPIServersWriteThem(t *testing.T) {
	for _, tc := range []struct {
		status   any
		counters []counter
	}{
		{appsv1.DeploymentStatus{}, deploymentCounters},
		{appsv1.ReplicaSetStatus{}, replicaSetCounters},
		{appsv1.StatefulSetStatus{}, statefulSetCounters},
		{appsv1.DaemonSetStatus{}, daemonSetCounters},
		{batchv1.JobStatus{}, jobCounters},
		{policyv1.PodDisruptionBudgetStatus{}, budgetCounters},
		{autoscalingv2.HorizontalPodAutoscalerStatus{}, autoscalerCounters},
	} {
		kind := reflect.TypeOf(tc.status)
		for _, c := range tc.counters {
			var found bool
			for field := range kind.Fields() {
				name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
				if name != c.field {
					continue
				}
				found = true
				assert.Equal(t, reflect.Int32, field.Type.Kind(), "%s.%s", kind.Name(), c.field)
				assert.Equal(t, !strings.Contains(options, "omitempty"), c.zero, "%s.%s", kind.Name(), c.field)
			}
			assert.True(t, found, "%s has no field %s", kind.Name(), c.field)
		}
	}
}
