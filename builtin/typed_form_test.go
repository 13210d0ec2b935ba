package builtin_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestAggregatedStatusIsAsAPIServersKeepIt aggregates every recorded object, writes the status, and aggregates again: what
// an API server made of the status must not change, or every aggregation would find a difference, and write again.
func TestAggregatedStatusIsAsAPIServersKeepIt(t *testing.T) {
	forms := map[string]func() any{
		"Deployment":              func() any { return &appsv1.Deployment{} },
		"ReplicaSet":              func() any { return &appsv1.ReplicaSet{} },
		"StatefulSet":             func() any { return &appsv1.StatefulSet{} },
		"DaemonSet":               func() any { return &appsv1.DaemonSet{} },
		"Job":                     func() any { return &batchv1.Job{} },
		"CronJob":                 func() any { return &batchv1.CronJob{} },
		"Service":                 func() any { return &corev1.Service{} },
		"PersistentVolume":        func() any { return &corev1.PersistentVolume{} },
		"PersistentVolumeClaim":   func() any { return &corev1.PersistentVolumeClaim{} },
		"Ingress":                 func() any { return &networkingv1.Ingress{} },
		"PodDisruptionBudget":     func() any { return &policyv1.PodDisruptionBudget{} },
		"HorizontalPodAutoscaler": func() any { return &autoscalingv2.HorizontalPodAutoscaler{} },
	}
	seen := map[string]bool{}
	for name, o := range recorded(t) {
		if (builtin.Interpreter{}).Lookup(o.GroupVersionKind(), interpreter.AggregateStatus) == nil {
			continue
		}
		form, ok := forms[o.GetKind()]
		if !ok {
			continue // a Pod's containers lose their names, which API servers write as ""
		}
		seen[o.GetKind()] = true
		t.Run(name, func(t *testing.T) {
			client := interpreter.Client{Interpreter: chain}
			collected, err := client.InterpretStatus(t.Context(), o)
			require.NoError(t, err)
			template := builtin.Prune(o)
			aggregate := func() *unstructured.Unstructured {
				got, err := client.AggregateStatus(t.Context(), template, []interpreter.StatusItem{
					{ClusterName: "member1", Status: collected}, {ClusterName: "member2", Status: collected},
				})
				require.NoError(t, err)
				return got
			}
			template.Object["status"] = keep(t, form(), aggregate().Object)["status"]
			assert.Equal(t, template.Object["status"], aggregate().Object["status"])
		})
	}
	assert.Len(t, seen, len(forms), "a kind has no recorded object")
}

// keep returns object as an API server returns it after it was written, by way of its typed form.
func keep(t *testing.T, form any, object map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(object)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, form))
	data, err = json.Marshal(form)
	require.NoError(t, err)
	var kept map[string]any
	require.NoError(t, utiljson.Unmarshal(data, &kept))
	return kept
}
