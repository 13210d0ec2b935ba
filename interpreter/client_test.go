package interpreter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestClientSaysWhatTheRequestLacks(t *testing.T) {
	client := interpreter.Client{Interpreter: always(says("ok"))}
	noKind := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "metadata": map[string]any{"name": "x"}}}
	noVersion := &unstructured.Unstructured{Object: map[string]any{"kind": "Pod"}}
	twice := []interpreter.StatusItem{{ClusterName: "m1"}, {ClusterName: "m1"}}

	for _, tc := range []struct {
		reason string
		req    interpreter.Request
		want   string
	}{
		{"no object", interpreter.Request{Operation: interpreter.Retain}, "Retain: object: want an object, got none"},
		{"no kind", interpreter.Request{Operation: interpreter.InterpretHealth, Object: noKind}, "InterpretHealth: object.kind: want a kind, got none"},
		{"no apiVersion", interpreter.Request{Operation: interpreter.InterpretHealth, Object: noVersion}, "InterpretHealth: object.apiVersion: want a group and version, got none"},
		{
			"Retain needs both objects", interpreter.Request{Operation: interpreter.Retain, Object: object()},
			"Retain apps/v1 Deployment default/web: observedObject: want an object, got none",
		},
		{
			"replicas cannot be negative", interpreter.Request{Operation: interpreter.ReviseReplica, Object: object(), DesiredReplicas: -1},
			"ReviseReplica apps/v1 Deployment default/web: replicas: want at least 0, got -1",
		},
		{
			"a cluster reports once", interpreter.Request{Operation: interpreter.AggregateStatus, Object: object(), AggregatedStatus: twice},
			`AggregateStatus apps/v1 Deployment default/web: aggregatedStatus: cluster "m1" appears twice: want one item for each cluster`,
		},
		{
			"an operation that is none", interpreter.Request{Operation: "Prune", Object: object()},
			`Prune: unknown operation "Prune": want one of InterpretReplica, InterpretComponent, ReviseReplica, Retain, InterpretStatus, AggregateStatus, InterpretHealth, InterpretDependency`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := client.Do(t.Context(), &tc.req)
			var e *interpreter.Error
			require.ErrorAs(t, err, &e)
			assert.EqualError(t, err, tc.want)
		})
	}
}

// Each method asks its own operation and gives what it was given.
func TestClientMethods(t *testing.T) {
	want := &interpreter.Response{
		Replicas:            3,
		ReplicaRequirements: &workv1alpha2.ReplicaRequirements{Namespace: "default"},
		Components:          []workv1alpha2.Component{{Name: "main", Replicas: 3}},
		Object:              object(),
		Status:              map[string]any{"phase": "Running"},
		Health:              interpreter.Health{State: interpreter.Progressing},
		Dependencies:        []configv1alpha1.DependentObjectReference{{APIVersion: "v1", Kind: "Secret", Name: "s"}},
	}
	var asked *interpreter.Request
	client := interpreter.Client{Interpreter: always(func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		asked = req
		return want, nil
	})}
	ctx, obj, items := t.Context(), object(), []interpreter.StatusItem{{ClusterName: "m1"}}
	to := interpreter.Placement{Cluster: "m1", Targets: []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 2}}}

	replicas, requirements, err := client.InterpretReplica(ctx, obj)
	require.NoError(t, err)
	assert.Equal(t, int32(3), replicas)
	assert.Equal(t, want.ReplicaRequirements, requirements)
	assert.Equal(t, deployment, asked.Kind)
	assert.Equal(t, [2]string{"default", "web"}, [2]string{asked.Namespace, asked.Name})

	components, err := client.InterpretComponent(ctx, obj)
	require.NoError(t, err)
	assert.Equal(t, want.Components, components)
	assert.Equal(t, interpreter.InterpretComponent, asked.Operation)

	revised, err := client.ReviseReplica(ctx, obj, 7, to)
	require.NoError(t, err)
	assert.Same(t, want.Object, revised)
	assert.Equal(t, interpreter.ReviseReplica, asked.Operation)
	assert.Equal(t, int32(7), asked.DesiredReplicas)
	assert.Equal(t, to.Cluster, asked.Cluster)
	assert.Equal(t, to.Targets, asked.Targets)

	_, err = client.Retain(ctx, obj, object(), to)
	require.NoError(t, err)
	assert.Equal(t, interpreter.Retain, asked.Operation)
	assert.NotNil(t, asked.ObservedObject)

	status, err := client.InterpretStatus(ctx, obj)
	require.NoError(t, err)
	assert.Equal(t, want.Status, status)
	assert.Equal(t, interpreter.InterpretStatus, asked.Operation)

	_, err = client.AggregateStatus(ctx, obj, items)
	require.NoError(t, err)
	assert.Equal(t, items, asked.AggregatedStatus)
	assert.Equal(t, interpreter.AggregateStatus, asked.Operation)

	health, err := client.InterpretHealth(ctx, obj)
	require.NoError(t, err)
	assert.Equal(t, want.Health, health)
	assert.Equal(t, interpreter.InterpretHealth, asked.Operation)

	refs, err := client.InterpretDependency(ctx, obj)
	require.NoError(t, err)
	assert.Equal(t, want.Dependencies, refs)
	assert.Equal(t, interpreter.InterpretDependency, asked.Operation)
}

func TestValidate(t *testing.T) {
	quantity := func(s string) corev1.ResourceList { return corev1.ResourceList{"cpu": resource.MustParse(s)} }
	other := object()
	other.SetName("other")
	for _, tc := range []struct {
		reason string
		op     interpreter.Operation
		resp   *interpreter.Response
		want   string
	}{
		{"no response at all", interpreter.InterpretHealth, nil, "response: want one, got none"},
		{"negative replicas", interpreter.InterpretReplica, &interpreter.Response{Replicas: -1}, "replicas: want at least 0, got -1"},
		{
			"negative request", interpreter.InterpretReplica,
			&interpreter.Response{ReplicaRequirements: &workv1alpha2.ReplicaRequirements{ResourceRequest: quantity("-1")}},
			"replicaRequirements.resourceRequest[cpu]: want at least 0, got -1",
		},
		{
			"components need names", interpreter.InterpretComponent, &interpreter.Response{Components: []workv1alpha2.Component{{}}},
			"components[0].name: want a name, got none",
		},
		{
			"components are told apart by name", interpreter.InterpretComponent,
			&interpreter.Response{Components: []workv1alpha2.Component{{Name: "a"}, {Name: "a"}}},
			`components[1].name: "a" appears twice: want one component of each name`,
		},
		{"no object", interpreter.Retain, &interpreter.Response{}, "object: want one, got none"},
		{
			"another object", interpreter.Retain, &interpreter.Response{Object: other},
			`object.metadata.name: want "web" unchanged, got "other"`,
		},
		{
			"a state that is none", interpreter.InterpretHealth, &interpreter.Response{},
			`health.state: want one of [Healthy Progressing Degraded Suspended Missing Unknown], got ""`,
		},
		{
			"a reference to nothing", interpreter.InterpretDependency,
			&interpreter.Response{Dependencies: []configv1alpha1.DependentObjectReference{{APIVersion: "v1", Kind: "Secret"}}},
			"dependencies[0]: want a name or a labelSelector of the Secret, got neither",
		},
		{
			"a selector that is none", interpreter.InterpretDependency,
			&interpreter.Response{Dependencies: []configv1alpha1.DependentObjectReference{{
				APIVersion: "v1", Kind: "Secret",
				LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}},
			}}},
			`dependencies[0].labelSelector: "Like" is not a valid label selector operator`,
		},
		{"no status is an answer", interpreter.InterpretStatus, &interpreter.Response{}, ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			req := &interpreter.Request{Operation: tc.op, Object: object()}
			rule := interpreter.Validated(func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return tc.resp, nil })
			_, err := rule(t.Context(), req)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestSortDependencies(t *testing.T) {
	selector := func() *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	secret := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Name: "s"}
	selected := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", LabelSelector: selector()}
	same := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", LabelSelector: selector()}
	config := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: "z"}

	got := interpreter.SortDependencies([]configv1alpha1.DependentObjectReference{secret, selected, config, secret, same})
	assert.Equal(t, []configv1alpha1.DependentObjectReference{config, selected, secret}, got)
}

func TestDecodeItems(t *testing.T) {
	raw := func(s string) workv1alpha2.AggregatedStatusItem {
		return workv1alpha2.AggregatedStatusItem{ClusterName: "m1", Status: &runtime.RawExtension{Raw: []byte(s)}}
	}
	items, err := interpreter.DecodeItems(nil)
	require.NoError(t, err)
	assert.Nil(t, items, "no list stays no list")

	items, err = interpreter.DecodeItems([]workv1alpha2.AggregatedStatusItem{})
	require.NoError(t, err)
	assert.NotNil(t, items, "an empty list stays one")

	items, err = interpreter.DecodeItems([]workv1alpha2.AggregatedStatusItem{raw(`{"n":9007199254740993}`), raw("null"), {ClusterName: "m2"}})
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740993), items[0].Status["n"], "a whole number beyond 2^53 survives")
	assert.Nil(t, items[1].Status)
	assert.Nil(t, items[2].Status)

	_, err = interpreter.DecodeItems([]workv1alpha2.AggregatedStatusItem{raw(`["a"]`)})
	require.EqualError(t, err, "m1: status: want an object, got a list")
}

func TestParseOperation(t *testing.T) {
	for _, info := range interpreter.Operations() {
		op, err := interpreter.ParseOperation(string(info.Operation))
		require.NoError(t, err)
		assert.Same(t, info.Operation.Info(), op.Info())
	}
	op, err := interpreter.ParseOperation("interprethealth")
	require.NoError(t, err)
	assert.Equal(t, interpreter.InterpretHealth, op)
}

// The table is the only place that knows the operations: its rows have to be complete and distinct.
func TestOperationsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range interpreter.Operations() {
		for _, name := range append([]string{string(info.Operation), info.Function + "()", info.Field}, info.Outputs...) {
			assert.False(t, seen[name], "%s appears twice", name)
			seen[name] = true
		}
		assert.NotEmpty(t, info.Question)
		assert.Equal(t, interpreter.InputObject, info.Inputs[0])
		var rules configv1alpha1.CustomizationRules
		*info.Script(&rules) = &configv1alpha1.Script{LuaScript: "x"}
		assert.True(t, (*info.Script(&rules)).IsSet())
	}
	assert.Len(t, interpreter.Operations(), 8)
}
