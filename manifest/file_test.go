//go:build unix

package manifest_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/manifest"
)

func TestIsFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a.yaml", "b.yml", "c.json", "d.txt"} {
		require.NoError(t, os.WriteFile(at(name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(at("folder.yaml"), 0o700))
	require.NoError(t, syscall.Mkfifo(at("pipe.yaml"), 0o600))
	require.NoError(t, os.Symlink("a.yaml", at("link.yaml")))
	require.NoError(t, os.Symlink("pipe.yaml", at("linked-pipe.yaml")))
	require.NoError(t, os.Symlink("nowhere", at("broken.yaml")))
	for name, want := range map[string]bool{
		"a.yaml": true, "b.yml": true, "c.json": true, "d.txt": false, "folder.yaml": false,
		"pipe.yaml": false, "link.yaml": true, "linked-pipe.yaml": false, "broken.yaml": true,
	} {
		assert.Equal(t, want, manifest.IsFile(at(name)), name)
	}
}
