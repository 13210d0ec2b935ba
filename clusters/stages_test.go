package clusters

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
)

func TestLoadStages(t *testing.T) {
	s, err := loadStages()
	require.NoError(t, err)
	assert.Equal(t, "stages.kwok.x-k8s.io", s.definition.GetName())
	var builtin []string
	for _, stage := range s.builtin {
		builtin = append(builtin, stage.GetName())
	}
	assert.Contains(t, builtin, "node-ready")
	assert.Contains(t, builtin, "pod-ready")
	assert.Contains(t, builtin, "ingress-load-balancer", "networking.k8s.io is built in")
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"},
		{Group: "apps.kruise.io", Version: "v1alpha1", Kind: "CloneSet"},
		{Group: "ray.io", Version: "v1", Kind: "RayCluster"},
	} {
		assert.NotEmpty(t, s.custom[gvk], gvk)
	}

	seen := map[string]bool{}
	for _, stage := range slices.Concat(append([][]*unstructured.Unstructured{s.builtin}, slices.Collect(maps.Values(s.custom))...)...) {
		assert.False(t, seen[stage.GetName()], "two stages are called %s", stage.GetName())
		seen[stage.GetName()] = true
		_, found, err := unstructured.NestedMap(stage.Object, "spec", "next")
		require.NoError(t, err)
		assert.True(t, found, "%s leads nowhere", stage.GetName())
	}
}

// TestDefinitionThatWentHoldsUpNobody has a definition deleted before its operator is played; others wait behind it.
func TestDefinitionThatWentHoldsUpNobody(t *testing.T) {
	s, err := loadStages()
	require.NoError(t, err)
	kinds := map[schema.GroupVersionResource]string{definitionResource: "CustomResourceDefinitionList"}
	c := &Cluster{dynamic: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)}
	require.NoError(t, s.play(t.Context(), c, "widgets.example.com"))
}

func TestStageMustNameItsKind(t *testing.T) {
	tests := []struct {
		reason    string
		reference map[string]any
		wantErr   bool
	}{
		{"a core kind", map[string]any{"apiGroup": "v1", "kind": "Pod"}, false},
		{"a kind of a group", map[string]any{"apiGroup": "ray.io/v1", "kind": "RayCluster"}, false},
		{"no kind", map[string]any{"apiGroup": "ray.io/v1"}, true},
		{"no group", map[string]any{"kind": "Pod"}, true},
		{"too many slashes", map[string]any{"apiGroup": "a/b/c", "kind": "Pod"}, true},
		{"nothing", nil, true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			stage := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"resourceRef": test.reference}}}
			gvk, err := played(stage)
			if test.wantErr {
				require.ErrorContains(t, err, "want apiGroup and kind")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.reference["kind"], gvk.Kind)
		})
	}
}
