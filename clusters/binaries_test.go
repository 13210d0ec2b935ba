package clusters

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeAssets makes a folder with the given programs and returns it.
func fakeAssets(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // a program
	}
	return dir
}

// allNames returns the names of all programs.
func allNames() []string {
	var all []string
	for _, p := range programs() {
		all = append(all, p.name)
	}
	return all
}

func TestAssetsAreUsed(t *testing.T) {
	dir := fakeAssets(t, allNames()...)
	t.Setenv(AssetsEnv, dir)
	t.Setenv("PATH", "") // Nothing can be built.
	binaries, err := Build(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, binaries, len(programs()))
	assert.Equal(t, filepath.Join(dir, KWOK), binaries[KWOK])
}

func TestPartOfTheAssets(t *testing.T) {
	dir := fakeAssets(t, Etcd, APIServer, Kubectl)
	require.NoError(t, os.WriteFile(filepath.Join(dir, KWOK), nil, 0o600))
	found, missing, err := assets(dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, Etcd), found[Etcd])
	assert.Equal(t, "kube-controller-manager, kube-scheduler, kwok", names(missing), "kwok is there, but cannot be run")
}

func TestAssetsMustBeAFolder(t *testing.T) {
	t.Setenv(AssetsEnv, filepath.Join(t.TempDir(), "missing"))
	_, err := Build(t.Context(), nil)
	require.ErrorContains(t, err, "KUBEBUILDER_ASSETS=")
	require.ErrorContains(t, err, "want a folder")
}

func TestMissingGoIsTold(t *testing.T) {
	t.Setenv(AssetsEnv, fakeAssets(t, Etcd))
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	_, err := Build(t.Context(), nil)
	require.ErrorContains(t, err, "the go command is needed")
	require.ErrorContains(t, err, "kube-apiserver")
	require.ErrorContains(t, err, AssetsEnv)
}

func TestBuildRunsGoOnce(t *testing.T) {
	tools := t.TempDir()
	// Stands for the go command: notes its arguments and writes the file after -o.
	script := "#!/bin/sh\necho \"$(basename \"$PWD\") $*\" >> \"$LOG\"\nwhile [ \"$1\" != -o ]; do shift; done\necho '#!/bin/sh' > \"$2\"\nchmod +x \"$2\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte(script), 0o755)) //nolint:gosec // a program
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv(AssetsEnv, fakeAssets(t, APIServer, ControllerManager, Scheduler, Kubectl))

	var out bytes.Buffer
	binaries, err := Build(t.Context(), &out)
	require.NoError(t, err)
	assert.FileExists(t, binaries[Etcd])
	assert.FileExists(t, binaries[KWOK])
	assert.Contains(t, out.String(), "[1/2] etcd: building, about 1m0s\n")
	assert.Contains(t, out.String(), "[2/2] kwok: built in ")

	again, err := Build(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, binaries, again)
	ran, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, 2, bytes.Count(ran, []byte("\n")), "%s", ran)
	assert.Contains(t, string(ran), "kubernetes build -mod=readonly")
	assert.Contains(t, string(ran), "sigs.k8s.io/kwok/cmd/kwok")
}

func TestFailedBuildIsTold(t *testing.T) {
	tools := t.TempDir()
	script := "#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte(script), 0o755)) //nolint:gosec // a program
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	b := builder{dir: t.TempDir(), out: lines(nil)}
	_, err := b.build(t.Context(), programs())
	require.ErrorContains(t, err, "build etcd with go build go.etcd.io/etcd/server/v3: exit status 1\nno space left on device")
	assert.Empty(t, b.present(programs()), "no half-written binaries")
}

func TestLockIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, nil)
	require.NoError(t, err)

	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = lock(ctx, path, func() { cancel(gaveUp) })
	require.ErrorIs(t, err, gaveUp)

	again, err := lock(t.Context(), path, unlock)
	require.NoError(t, err, "the one who waits gets it")
	again()
}

func TestTail(t *testing.T) {
	assert.Equal(t, "b\nc", string(tail([]byte("a\nb\nc\n"), 2)))
	assert.Equal(t, "a\nb\nc", string(tail([]byte("a\nb\nc"), 3)))
	assert.Empty(t, tail(nil, 3))
}
