package openapi

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestLoad(t *testing.T) {
	s, err := Load()
	require.NoError(t, err)
	assert.Regexp(t, `^v1\.\d+\.\d+$`, s.Version)
	kinds := s.Kinds()
	for _, tc := range []struct {
		reason string
		gvk    schema.GroupVersionKind
		want   bool
	}{
		{"the core group", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{"a named group", schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}, true},
		{"every version that is served", schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"}, true},
		{"every version that is served", schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, true},
		{"a version that is not", schema.GroupVersionKind{Group: "apps", Version: "v1beta1", Kind: "Deployment"}, false},
		{"lists are no objects", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DeploymentList"}, false},
		{"nor are the options of requests", schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}, false},
	} {
		t.Run(tc.reason+" "+tc.gvk.String(), func(t *testing.T) {
			assert.Equal(t, tc.want, s.Schema(tc.gvk) != nil)
			if tc.want {
				assert.Contains(t, kinds, tc.gvk)
			} else {
				assert.NotContains(t, kinds, tc.gvk)
			}
		})
	}
	assert.Nil(t, s.Definition("none"))
}

// BenchmarkLoad is what check pays for the snapshot.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
