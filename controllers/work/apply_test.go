package work

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/members"
	"github.com/dragoman-io/dragoman/interpreter"
)

// A key that the manifest has no more leaves the member, though the process that wrote the Work is not the one that
// carries it; what an earlier process has carried is not written again.
func TestApplyAfterARestart(t *testing.T) {
	object := func(data map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": data,
			"metadata": map[string]any{"namespace": "shop", "name": "settings", "annotations": map[string]any{
				workv1alpha2.WorkNamespaceAnnotation: "karmada-es-member1", workv1alpha2.WorkNameAnnotation: "settings",
			}},
		}}
	}
	applied := func(status metav1.ConditionStatus, generation int64) []metav1.Condition {
		return []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: status, ObservedGeneration: generation}}
	}
	for _, tc := range []struct {
		reason     string
		conditions []metav1.Condition
		written    bool
	}{
		{"this generation was never carried", applied(metav1.ConditionTrue, 1), true},
		{"it was refused", applied(metav1.ConditionFalse, 2), true},
		{"nothing is known", nil, true},
		{"it was carried: the member has the key from somebody else", applied(metav1.ConditionTrue, 2), false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			scheme := runtime.NewScheme()
			require.NoError(t, corev1.AddToScheme(scheme))
			cl := fake.NewClientBuilder().WithScheme(scheme).WithObjects(object(map[string]any{"kept": "1", "gone": "1"})).Build()
			observed := object(nil)
			require.NoError(t, cl.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "settings"}, observed))
			before := observed.GetResourceVersion()
			work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: workv1alpha1.WorkStatus{Conditions: tc.conditions}}
			c := &Controller{Interpreter: interpreter.Client{Interpreter: interpreter.Chain{}}}
			member, r := &members.Member{Name: "member1", Client: cl}, &record{}

			for range 2 { // the second time there is nothing to write
				after, err := c.apply(t.Context(), work, object(map[string]any{"kept": "1"}), observed, member, r)
				require.NoError(t, err)
				assert.Equal(t, tc.written, after.GetResourceVersion() != before)
				_, there, _ := unstructured.NestedString(after.Object, "data", "gone")
				assert.Equal(t, tc.written, !there)
				observed = after
			}
		})
	}
}
