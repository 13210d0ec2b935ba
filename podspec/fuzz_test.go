package podspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/podspec"
)

// FuzzTemplate wants no template, however shaped, to panic or to be modified, and both forms of an answer to agree on
// whether there is one.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `{"spec":null}`, `{"spec":[]}`,
		`{"spec":{"containers":[{"resources":{"requests":{"cpu":"1","memory":1e30},"limits":{"cpu":-1}}},null,1]}}`,
		`{"spec":{"initContainers":[{"restartPolicy":"Always","resources":{"limits":{"cpu":"9E"}}}],"overhead":{"cpu":"1e9"}}}`,
		`{"spec":{"nodeSelector":{},"tolerations":[{}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}}}}`,
		`{"spec":{"volumes":[{"csi":{"nodePublishSecretRef":{"name":"s"}},"projected":{"sources":[{"secret":{"name":"t"}}]}}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var template map[string]any
		if unmarshal(data, &template) != nil {
			return
		}
		before := runtime.DeepCopyJSON(template)
		typed, err := podspec.Requirements(template)
		plain, plainErr := podspec.RequirementsValue(template)
		assert.Equal(t, err, plainErr)
		assert.Equal(t, typed == nil, plain == nil)
		if typed != nil {
			for name, quantity := range typed.ResourceRequest {
				assert.Positive(t, quantity.Sign(), name)
			}
		}
		refs, err := podspec.Dependencies(template, "ns")
		values, plainErr := podspec.DependenciesValue(template, "ns")
		assert.Equal(t, err, plainErr)
		assert.Len(t, values, len(refs))
		assert.Equal(t, before, template)
	})
}
