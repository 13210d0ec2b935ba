package webhook_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload is an operator's type that knows only some of the fields that objects have.
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas   *int32     `json:"replicas,omitempty"`
		Paused     bool       `json:"paused"`
		Containers []struct { // as pods have them
			Name  string `json:"name"`
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
	Status WorkloadStatus `json:"status"`
}

type WorkloadStatus struct {
	Ready int32  `json:"ready"`
	Phase string `json:"phase,omitempty"`
}

var workloads = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Workload"}

func workload(t testing.TB) *unstructured.Unstructured {
	return object(t, `{
		"apiVersion": "example.com/v1", "kind": "Workload", "metadata": {"name": "w", "namespace": "default", "generation": 9007199254740993},
		"spec": {"replicas": 2, "unknown": {"null": null, "empty": {}}, "containers": [{"name": "a", "image": "a:1", "env": []}]}
	}`)
}

// kind answers every operation.
func kind() webhook.Kind[Workload, WorkloadStatus] {
	return webhook.Kind[Workload, WorkloadStatus]{
		Kind: workloads,
		Replicas: func(_ context.Context, w *Workload) (int32, *workv1alpha2.ReplicaRequirements, error) {
			if w.Spec.Replicas == nil {
				return 0, nil, errors.New("spec.replicas: want a number, got none")
			}
			return *w.Spec.Replicas, nil, nil
		},
		Components: func(_ context.Context, w *Workload) ([]workv1alpha2.Component, error) {
			return []workv1alpha2.Component{{Name: "main", Replicas: *w.Spec.Replicas}}, nil
		},
		Revise: func(_ context.Context, w *Workload, replicas int32) error {
			w.Spec.Replicas = &replicas
			return nil
		},
		Retain: func(_ context.Context, desired, observed *Workload) error {
			desired.Spec.Replicas = observed.Spec.Replicas
			desired.Spec.Containers[0].Image = "a:2"
			observed.Spec.Replicas = nil
			return nil
		},
		Reflect: func(_ context.Context, w *Workload) (*WorkloadStatus, error) {
			if w.Status == (WorkloadStatus{}) {
				return nil, nil
			}
			return &w.Status, nil
		},
		Aggregate: func(_ context.Context, w *Workload, items []webhook.Item[WorkloadStatus]) error {
			for _, item := range items {
				if item.Status != nil {
					w.Status.Ready += item.Status.Ready
				}
			}
			return nil
		},
		Health: func(_ context.Context, w *Workload) (interpreter.Health, error) {
			return interpreter.HealthOf(w.Status.Phase == "Up"), nil
		},
		Dependencies: func(context.Context, *Workload) ([]configv1alpha1.DependentObjectReference, error) {
			b := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Name: "b"}
			a := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Name: "a"}
			return []configv1alpha1.DependentObjectReference{b, a, b}, nil
		},
	}
}

func TestKindAnswers(t *testing.T) {
	client := interpreter.Client{Interpreter: kind()}
	ctx := t.Context()
	in := workload(t)
	set := func(value any, path ...string) *unstructured.Unstructured {
		out := workload(t)
		require.NoError(t, unstructured.SetNestedField(out.Object, value, path...))
		return out
	}

	replicas, requirements, err := client.InterpretReplica(ctx, in)
	require.NoError(t, err)
	assert.EqualValues(t, 2, replicas)
	assert.Nil(t, requirements)

	components, err := client.InterpretComponent(ctx, in)
	require.NoError(t, err)
	assert.Equal(t, []workv1alpha2.Component{{Name: "main", Replicas: 2}}, components)

	revised, err := client.ReviseReplica(ctx, in, 7, interpreter.Placement{})
	require.NoError(t, err)
	assert.Equal(t, set(int64(7), "spec", "replicas"), revised, "what the type does not know is as it was")

	observed := set(int64(5), "spec", "replicas")
	retained, err := client.Retain(ctx, in, observed, interpreter.Placement{})
	require.NoError(t, err)
	want := set(int64(5), "spec", "replicas")
	want.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["image"] = "a:2"
	assert.Equal(t, want, retained)
	assert.Equal(t, set(int64(5), "spec", "replicas"), observed, "the observed object is only read")

	status, err := client.InterpretStatus(ctx, set(map[string]any{"ready": int64(1)}, "status"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"ready": int64(1)}, status)
	status, err = client.InterpretStatus(ctx, in)
	require.NoError(t, err)
	assert.Nil(t, status)

	aggregated, err := client.AggregateStatus(ctx, in, []interpreter.StatusItem{
		{ClusterName: "m1", Status: map[string]any{"ready": int64(1)}}, {ClusterName: "m2"}, {ClusterName: "m3", Status: map[string]any{"ready": int64(2)}},
	})
	require.NoError(t, err)
	assert.Equal(t, set(map[string]any{"ready": int64(3)}, "status"), aggregated)

	health, err := client.InterpretHealth(ctx, set(map[string]any{"phase": "Up"}, "status"))
	require.NoError(t, err)
	assert.True(t, health.Healthy())

	refs, err := client.InterpretDependency(ctx, in)
	require.NoError(t, err)
	require.Len(t, refs, 2)
	assert.Equal(t, "a", refs[0].Name)

	assert.Equal(t, workload(t), in, "the object that was asked about is only read")
}

func TestKindTellsNilFromEmpty(t *testing.T) {
	var got [][]webhook.Item[WorkloadStatus]
	k := webhook.Kind[Workload, WorkloadStatus]{Kind: workloads, Aggregate: func(_ context.Context, _ *Workload, items []webhook.Item[WorkloadStatus]) error {
		got = append(got, items)
		return nil
	}}
	client := interpreter.Client{Interpreter: k}
	for _, items := range [][]interpreter.StatusItem{nil, {}, {{ClusterName: "m1", Applied: true, AppliedMessage: "x", Health: "Healthy", Status: map[string]any{}}}} {
		_, err := client.AggregateStatus(t.Context(), workload(t), items)
		require.NoError(t, err)
	}
	assert.Equal(t, [][]webhook.Item[WorkloadStatus]{
		nil, {}, {{Cluster: "m1", Applied: true, AppliedMessage: "x", Health: "Healthy", Status: &WorkloadStatus{}}},
	}, got)
}

func TestKindDoesNotAnswer(t *testing.T) {
	for _, info := range interpreter.Operations() {
		assert.Nil(t, webhook.Kind[Workload, WorkloadStatus]{Kind: workloads}.Lookup(workloads, info.Operation), "no function for %s", info.Operation)
		assert.Nil(t, kind().Lookup(workloads.GroupVersion().WithKind("Other"), info.Operation), "another kind")
		assert.NotNil(t, kind().Lookup(workloads, info.Operation))
	}
	assert.Nil(t, kind().Lookup(workloads, "Prune"))
}

func TestKindErrors(t *testing.T) {
	client := interpreter.Client{Interpreter: kind()}
	_, _, err := client.InterpretReplica(t.Context(), object(t, `{"apiVersion":"example.com/v1","kind":"Workload","metadata":{"name":"w"},"spec":{}}`))
	require.EqualError(t, err, "InterpretReplica example.com/v1 Workload w: spec.replicas: want a number, got none")
	_, err = client.ReviseReplica(t.Context(), object(t, `{"apiVersion":"example.com/v1","kind":"Workload","spec":{"replicas":"2"}}`), 1, interpreter.Placement{})
	require.ErrorContains(t, err, "object.spec.replicas: json: cannot unmarshal string into Go struct field .spec.replicas of type int32")
	_, err = client.AggregateStatus(t.Context(), workload(t), []interpreter.StatusItem{{ClusterName: "m1", Status: map[string]any{"ready": "1"}}})
	require.ErrorContains(t, err, "m1: status.ready: json: cannot unmarshal string")
}

func TestKindNamesAFieldThatIsNoQuantity(t *testing.T) {
	type pod struct {
		Spec struct {
			Pods []struct {
				Requests corev1.ResourceList `json:"requests"`
			} `json:"pods"`
			Limits corev1.ResourceList `json:"limits"`
		} `json:"spec"`
	}
	k := webhook.Kind[pod, struct{}]{Kind: workloads, Health: func(context.Context, *pod) (interpreter.Health, error) { return interpreter.HealthOf(true), nil }}
	for object, want := range map[string]string{
		`{"limits":{"cpu":"1","memory":"lots"}}`:     `object.spec.limits.memory: want a quantity, got "lots"`,
		`{"pods":[{},{"requests":{"cpu":[1]}}]}`:     `object.spec.pods: want a quantity, got [{},{"requests":{"cpu":[1]}}]`,
		`{"pods":{}}`:                                `object.spec.pods: json: cannot unmarshal object`,
		`{"limits":{"cpu":1,"a":"1","memory":true}}`: `object.spec.limits.memory: want a quantity, got true`,
	} {
		u := workload(t)
		u.Object["spec"] = plainObject(t, object)
		_, err := interpreter.Client{Interpreter: k}.InterpretHealth(t.Context(), u)
		require.ErrorContains(t, err, want)
	}
}

func plainObject(t *testing.T, text string) map[string]any {
	t.Helper()
	return object(t, text).Object
}
