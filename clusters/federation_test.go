package clusters

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTooManyMembers(t *testing.T) {
	_, err := Start(t.Context(), Options{Members: 51})
	require.EqualError(t, err, "start a federation: want at most 50 members, got 51")
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
