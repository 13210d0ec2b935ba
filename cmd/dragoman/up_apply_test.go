package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/clusters"
)

func TestDestinations(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	root := filepath.Join(t.TempDir(), "members", "control-plane") // a user's folders may be called so
	for _, file := range []string{"a.yaml", "member1/a.yaml", "members/a.yaml", "members/control-plane/a.yaml", "member3/a.yaml", "memberships/a.yaml"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(object), 0o600))
	}
	t.Chdir(root)
	for _, tc := range []struct {
		reason, given string
		want          []string
	}{
		{"a file goes by its kind", "a.yaml", []string{""}},
		{"its own folder counts", "member1/a.yaml", []string{"member1"}},
		{"that of every member", "members/a.yaml", []string{everyMember}},
		{"the folder that is given, and what is below it", "members", []string{everyMember, clusters.ControlPlane}},
		{"a pattern stands for files", "member1/*.yaml", []string{"member1"}},
		{"a name that only begins so", "memberships", []string{""}},
		{"what is above does not count", filepath.Join(root, "memberships"), []string{""}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			o := &upOptions{apply: []string{tc.given}, federation: clusters.Options{Members: 2}}
			objects, err := o.readObjects(t.Context())
			require.NoError(t, err)
			var got []string
			for _, object := range objects {
				got = append(got, object.folder)
			}
			assert.Equal(t, tc.want, got)
		})
	}
	_, err := (&upOptions{apply: []string{"."}, federation: clusters.Options{Members: 2}}).readObjects(t.Context())
	require.ErrorContains(t, err, "member3/a.yaml: want a folder of one of 2 members, got member3", "it would go to the control plane")
}
