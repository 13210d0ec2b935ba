package work

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &o.Object))
	return o
}

func TestContains(t *testing.T) {
	for _, tc := range []struct {
		reason, observed, desired string
		want                      bool
	}{
		{"what the member added by default does not count", "{spec: {a: 1, added: 2}}", "{spec: {a: 1}}", true},
		{"a changed value counts", "{spec: {a: 2}}", "{spec: {a: 1}}", false},
		{"a missing value counts", "{spec: {}}", "{spec: {a: 1}}", false},
		{"status does not count", "{status: {a: 2}}", "{status: {a: 1}}", true},
		{"elements of lists may have defaults too", "{l: [{a: 1, added: 2}]}", "{l: [{a: 1}]}", true},
		{"an element more counts", "{l: [{a: 1}, {a: 2}]}", "{l: [{a: 1}]}", false},
		{"an empty map may be dropped", "{}", "{spec: {}}", true},
		{"an empty list may be dropped", "{}", "{l: []}", true},
		{"a map where a list is wanted counts", "{l: {}}", "{l: [1]}", false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			assert.Equal(t, tc.want, contains(object(t, tc.observed).Object, object(t, tc.desired).Object))
		})
	}
}

func TestRetainKeys(t *testing.T) {
	desired := map[string]string{"ours": "new"}
	observed := map[string]string{"ours": "old", "theirs": "1", "came": "with an earlier manifest"}
	assert.Equal(t, map[string]string{"ours": "new", "theirs": "1"}, retainKeys(desired, observed, "came,ours"))
	assert.Equal(t, map[string]string{"ours": "new"}, desired)
	assert.Equal(t, map[string]string{"theirs": "1"}, retainKeys(nil, map[string]string{"theirs": "1"}, ""))
}

// retain keeps what belongs to the member for every kind, and asks for what belongs to it for this one.
func TestRetain(t *testing.T) {
	asks := interpreter.Func(func(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
		if op != interpreter.Retain {
			return nil
		}
		return func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			out := req.Object.DeepCopy()
			out.Object["spec"] = map[string]any{"replicas": req.ObservedObject.Object["spec"].(map[string]any)["replicas"]}
			return &interpreter.Response{Object: out}, nil
		}
	})
	c := &Controller{Interpreter: interpreter.Client{Interpreter: asks}}
	manifest := object(t, "{apiVersion: v1, kind: X, metadata: {name: x, labels: {ours: a}}, spec: {replicas: 1}}")
	observed := object(t, "{apiVersion: v1, kind: X, metadata: {name: x, uid: u, resourceVersion: '7', finalizers: [f], labels: {theirs: b}}, spec: {replicas: 5}}")
	got, err := c.retain(t.Context(), manifest, observed, "member1")
	require.NoError(t, err)
	assert.Equal(t, object(t, "{apiVersion: v1, kind: X, metadata: {name: x, uid: u, resourceVersion: '7', finalizers: [f], labels: {ours: a, theirs: b}}, spec: {replicas: 5}}").Object, got.Object)
	assert.Equal(t, map[string]any{"ours": "a"}, manifest.Object["metadata"].(map[string]any)["labels"], "the manifest is not modified")
}

func TestManifestOf(t *testing.T) {
	work := &workv1alpha1.Work{}
	_, err := manifestOf(work)
	require.EqualError(t, err, "spec.workload.manifests: want exactly one object, got 0")
	work.Spec.Workload.Manifests = []workv1alpha1.Manifest{{}}
	work.Spec.Workload.Manifests[0].Raw = []byte(`{"kind":"X"}`)
	_, err = manifestOf(work)
	require.EqualError(t, err, "spec.workload.manifests[0]: want an object with apiVersion, kind and name")
	work.Spec.Workload.Manifests[0].Raw = []byte(`{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"n":9007199254740993}`)
	o, err := manifestOf(work)
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740993), o.Object["n"], "numbers keep every digit")
}

func TestStatusThatSaysTheSameIsNotWritten(t *testing.T) {
	status := func(health string) *workv1alpha1.WorkStatus {
		s := &workv1alpha1.WorkStatus{ManifestStatuses: []workv1alpha1.ManifestStatus{{}}}
		s.ManifestStatuses[0].Identifier.Name = "x"
		s.ManifestStatuses[0].Health = "Healthy"
		if health != "" {
			s.ManifestStatuses[0].Health = workv1alpha2.ResourceHealth(health)
		}
		s.Conditions = append(s.Conditions, applied(nil, 1))
		return s
	}
	a, b := status(""), status("")
	b.Conditions[0].ObservedGeneration = 2
	assert.True(t, sameStatus(a, b), "a newer generation that says the same")
	assert.False(t, sameStatus(a, status("Unhealthy")))
	assert.True(t, urgent(a, status("Unhealthy")), "people wait for health")
	assert.False(t, urgent(a, b))
}
