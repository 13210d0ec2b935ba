package templates

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestSame(t *testing.T) {
	for _, tc := range []struct {
		reason, a, b string
		want         bool
	}{
		{"status does not count", "{spec: {a: 1}, status: {x: 1}}", "{spec: {a: 1}, status: {x: 2}}", true},
		{"what the API server writes does not count", "{metadata: {name: x, resourceVersion: '1', generation: 1}}", "{metadata: {name: x, resourceVersion: '2', generation: 2, managedFields: []}}", true},
		{"the spec counts", "{spec: {a: 1}}", "{spec: {a: 2}}", false},
		{"labels count", "{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: c}}}", false},
		{"its deletion counts", "{metadata: {name: x}}", "{metadata: {name: x, deletionTimestamp: now}}", false},
		{"fields beside the spec count", "{data: {a: b}}", "{data: {a: c}}", false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var a, b unstructured.Unstructured
			require.NoError(t, yaml.Unmarshal([]byte(tc.a), &a.Object))
			require.NoError(t, yaml.Unmarshal([]byte(tc.b), &b.Object))
			before := a.DeepCopy()
			assert.Equal(t, tc.want, Same(&a, &b))
			assert.Equal(t, before, &a, "nothing is modified")
		})
	}
}
