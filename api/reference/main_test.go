package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

func TestRun(t *testing.T) {
	to := t.TempDir()
	stale := filepath.Join(to, "gone.md")
	require.NoError(t, os.WriteFile(stale, nil, 0o600))
	require.NoError(t, run([]string{"-to", to, "testdata/other/v1", "testdata/example/v1"}, os.Stderr))
	assert.NoFileExists(t, stale, "the page of a group that is no more")

	for _, name := range []string{"README.md", "example.com-v1.md", "other.example.com-v1.md"} {
		got, err := os.ReadFile(filepath.Join(to, name))
		require.NoError(t, err)
		golden := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
}

func TestRunRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, tc := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"nowhere to write to", []string{"testdata/example/v1"}, "want -to and the folders of the packages"},
		{"nothing to read", []string{"-to", empty}, "want -to and the folders of the packages"},
		{"no package there", []string{"-to", empty, empty}, empty + ": no +groupName in the package's comment"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			require.EqualError(t, run(tc.args, &strings.Builder{}), tc.want)
			pages, err := os.ReadDir(empty)
			require.NoError(t, err)
			assert.Empty(t, pages, "nothing is written")
		})
	}
}
