package crds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FuzzAdmit holds Admit to what must be true of every object of every kind: it ends without a panic, leaves what was
// sent alone, and has nothing left to do with what it stored.
func FuzzAdmit(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	schemas := map[schema.GroupVersionKind]*Schema{}
	for _, path := range paths {
		definition, err := Get(strings.TrimSuffix(filepath.Base(path), ".yaml"))
		require.NoError(f, err)
		s, err := NewSchema(definition, definition.Spec.Versions[0].Name)
		require.NoError(f, err)
		schemas[s.gvk] = s

		data, err := os.ReadFile(path)
		require.NoError(f, err)
		var cases suite
		require.NoError(f, yaml.Unmarshal(data, &cases))
		base := toJSON(f, &cases.Base)
		f.Add(base)
		for _, c := range cases.Cases {
			if c.Merge.IsZero() {
				continue
			}
			object, err := jsonpatch.MergePatch(base, toJSON(f, &c.Merge))
			require.NoError(f, err)
			f.Add(object)
		}
	}

	f.Fuzz(func(t *testing.T, object []byte) {
		var sent unstructured.Unstructured
		if sent.UnmarshalJSON(object) != nil {
			t.Skip("no object")
		}
		s, ok := schemas[sent.GroupVersionKind()]
		if !ok {
			t.Skip("no kind of ours")
		}
		before := sent.DeepCopy()
		stored, _, errs := s.Admit(t.Context(), &sent)
		assert.Equal(t, before, &sent)
		if len(errs) > 0 {
			return
		}
		again, dropped, errs := s.Admit(t.Context(), stored)
		assert.Empty(t, errs)
		assert.Empty(t, dropped)
		assert.Equal(t, stored, again)
	})
}
