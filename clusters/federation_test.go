package clusters

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTooManyMembers(t *testing.T) {
	_, err := Start(t.Context(), Options{Members: 51})
	require.EqualError(t, err, "start a federation: want at most 50 members, got 51")
}

// TestFolderThatCannotBeUsed has Start say what is wrong before anything is built.
func TestFolderThatCannotBeUsed(t *testing.T) {
	t.Setenv(AssetsEnv, fakeAssets(t))
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	taken, file, broken := t.TempDir(), filepath.Join(t.TempDir(), "file"), t.TempDir()
	unlock, err := lock(t.Context(), filepath.Join(taken, "lock"), nil)
	require.NoError(t, err)
	defer unlock()
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(broken, "lock"), 0o700))
	for _, test := range []struct{ reason, dir, want string }{
		{"a federation runs on it", taken, "start a federation: lock folder " + taken + ": it is in use by another federation"},
		{"a file", file, "not a directory"},
		{"something else is wrong with the lock", broken, "lock: is a directory"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := Start(t.Context(), Options{Dir: test.dir})
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, test.dir == taken, strings.Contains(err.Error(), "in use"))
		})
	}
}

func TestSweepDeletesWhatNobodyOwns(t *testing.T) {
	dir := t.TempDir()
	owned, orphaned, foreign := filepath.Join(dir, tempPrefix+"1"), filepath.Join(dir, tempPrefix+"2"), filepath.Join(dir, "other")
	for _, folder := range []string{owned, orphaned, foreign} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "lock"), nil, 0o600))
	}
	unlock, err := lock(t.Context(), filepath.Join(owned, "lock"), nil)
	require.NoError(t, err)
	defer unlock()
	sweep(dir)
	assert.DirExists(t, owned)
	assert.NoDirExists(t, orphaned)
	assert.DirExists(t, foreign)
}

func TestFirstCause(t *testing.T) {
	broken := errors.New("broken")
	require.NoError(t, firstCause([]error{nil, nil}))
	require.Equal(t, "broken", firstCause([]error{nil, context.Canceled, broken}).Error(), "others were cancelled because of it")
	require.ErrorIs(t, firstCause([]error{context.Canceled, nil}), context.Canceled)
}
