package binding

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/override"
	"github.com/dragoman-io/dragoman/interpreter"
)

func template(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(`
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  namespace: default
  uid: u
  generation: 3
  resourceVersion: "9"
  labels: {app: w, propagationpolicy.karmada.io/permanent-id: stale}
  annotations: {note: text}
spec: {replicas: 9}
status: {ready: 1}
`))
	require.NoError(t, err)
	o := &unstructured.Unstructured{}
	require.NoError(t, utiljson.Unmarshal(data, &o.Object))
	return o
}

func newBinding(spec workv1alpha2.ResourceBindingSpec) *workv1alpha2.ResourceBinding {
	return &workv1alpha2.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{
			Name: "w-widget", Namespace: "default",
			Labels: map[string]string{
				workv1alpha2.ResourceBindingPermanentIDLabel: "binding-id", policyv1alpha1.PropagationPolicyPermanentIDLabel: "policy-id",
			},
		},
		Spec: spec,
	}
}

// revises is an interpreter with a rule for ReviseReplica alone.
var revises = interpreter.Func(func(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	if op != interpreter.ReviseReplica {
		return nil
	}
	return func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		out := req.Object.DeepCopy()
		return &interpreter.Response{Object: out}, unstructured.SetNestedField(out.Object, int64(req.DesiredReplicas), "spec", "replicas")
	}
})

func TestManifestRevisesWhatIsDivided(t *testing.T) {
	target := workv1alpha2.TargetCluster{Name: "m1", Replicas: 4}
	for _, tc := range []struct {
		reason string
		spec   workv1alpha2.ResourceBindingSpec
		want   int64
	}{
		{"replicas are revised", workv1alpha2.ResourceBindingSpec{Replicas: 9, Clusters: []workv1alpha2.TargetCluster{target}}, 4},
		{"an object without replicas is not", workv1alpha2.ResourceBindingSpec{Clusters: []workv1alpha2.TargetCluster{target}}, 9},
		{
			"one with components is not: it has no number of replicas", workv1alpha2.ResourceBindingSpec{
				Components: []workv1alpha2.Component{{Name: "a"}, {Name: "b"}}, Clusters: []workv1alpha2.TargetCluster{target},
			}, 9,
		},
		{"one that only accompanies another is not", workv1alpha2.ResourceBindingSpec{Replicas: 9}, 9},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			c := &Controller{Interpreter: interpreter.Client{Interpreter: revises}}
			original := template(t)
			m, err := c.manifest(t.Context(), newBinding(tc.spec), original, target, &clusterv1alpha1.Cluster{}, override.Policies{}, tc.spec.Clusters)
			require.NoError(t, err)
			got, _, _ := unstructured.NestedInt64(m.object.Object, "spec", "replicas")
			assert.Equal(t, tc.want, got)
			assert.NotContains(t, m.object.Object, "status", "the status does not travel")
			assert.Empty(t, m.object.GetResourceVersion())
			assert.Equal(t, template(t).Object, original.Object, "the template is not modified")
		})
	}
}

func TestMark(t *testing.T) {
	object := template(t)
	b := newBinding(workv1alpha2.ResourceBindingSpec{ConflictResolution: policyv1alpha1.ConflictOverwrite})
	mark(object, b, template(t), "m1", "w-abc", "work-id")
	assert.Equal(t, map[string]string{
		"app":                                            "w",
		workv1alpha2.ManagedByKarmadaLabel:               "true",
		workv1alpha2.WorkPermanentIDLabel:                "work-id",
		workv1alpha2.ResourceBindingPermanentIDLabel:     "binding-id",
		policyv1alpha1.PropagationPolicyPermanentIDLabel: "policy-id", // the binding's claim, not the template's
	}, object.GetLabels())
	a := object.GetAnnotations()
	assert.Equal(t, "3", a[workv1alpha2.ResourceTemplateGenerationAnnotation])
	assert.Equal(t, "karmada-es-m1", a[workv1alpha2.WorkNamespaceAnnotation])
	assert.Equal(t, "w-abc", a[workv1alpha2.WorkNameAnnotation])
	assert.Equal(t, "overwrite", a[workv1alpha2.ResourceConflictResolutionAnnotation])
	assert.Contains(t, a[workv1alpha2.ManagedAnnotations], "note,")
	assert.Contains(t, a[workv1alpha2.ManagedAnnotations], workv1alpha2.ManagedAnnotations, "the list names itself")
}

func TestTargets(t *testing.T) {
	got := Targets(&workv1alpha2.ResourceBindingSpec{
		Clusters: []workv1alpha2.TargetCluster{{Name: "m2", Replicas: 2}},
		RequiredBy: []workv1alpha2.BindingSnapshot{
			{Name: "a", Clusters: []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 9}, {Name: "m2", Replicas: 9}}},
		},
	})
	assert.Equal(t, []workv1alpha2.TargetCluster{{Name: "m1"}, {Name: "m2", Replicas: 2}}, got)
}

// A kind whose status is no subresource has a new generation when its status is written, and must not travel for that.
func TestKeepGeneration(t *testing.T) {
	work := func(o *unstructured.Unstructured) *workv1alpha1.Work {
		raw, err := json.Marshal(o.Object)
		require.NoError(t, err)
		w := &workv1alpha1.Work{}
		w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{}}
		w.Spec.Workload.Manifests[0].Raw = raw
		return w
	}
	at := func(generation string) *unstructured.Unstructured {
		o := template(t)
		o.SetAnnotations(map[string]string{workv1alpha2.ResourceTemplateGenerationAnnotation: generation})
		return o
	}
	same := at("4")
	keepGeneration(same, work(at("3")))
	assert.Equal(t, "3", same.GetAnnotations()[workv1alpha2.ResourceTemplateGenerationAnnotation])

	changed := at("4")
	require.NoError(t, unstructured.SetNestedField(changed.Object, int64(1), "spec", "replicas"))
	keepGeneration(changed, work(at("3")))
	assert.Equal(t, "4", changed.GetAnnotations()[workv1alpha2.ResourceTemplateGenerationAnnotation])
}

// Numbers beyond 2^53 are compared as they are.
func TestSameJSON(t *testing.T) {
	for _, tc := range []struct {
		reason, a, b string
		want         bool
	}{
		{"order and space mean nothing", `{"a":1,"b":[2]}`, `{"b": [2], "a": 1}`, true},
		{"the next number is another", `{"a":9007199254740993}`, `{"a": 9007199254740992}`, false},
		{"null is no absent field", `{"a":null}`, `{}`, false},
		{"what is no JSON is itself alone", `{`, `{ `, false},
	} {
		assert.Equal(t, tc.want, sameJSON([]byte(tc.a), []byte(tc.b)), tc.reason)
	}
}
