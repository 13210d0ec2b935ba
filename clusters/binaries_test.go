package clusters

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
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
	require.ErrorContains(t, err, "KUBEBUILDER_ASSETS: want a folder with the binaries of Kubernetes: open "+os.Getenv(AssetsEnv)+": no such file")
	assert.NotContains(t, err.Error(), "\n")
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
	// Stands for the go command: notes its arguments and writes the file after -o.
	t.Setenv("GOARCH", "mips") // what the user builds for is another matter
	fakeGo(t, "echo \"$(basename \"$PWD\") $* for $GOARCH\" >> \"$LOG\"\nwhile [ \"$1\" != -o ]; do shift; done\necho '#!/bin/sh' > \"$2\"\nchmod +x \"$2\"\n")
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
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
	assert.Contains(t, string(ran), "sigs.k8s.io/kwok/cmd/kwok for "+runtime.GOARCH)
}

// fakeGo makes a go command of a shell script the one that is found, with caches of its own.
func fakeGo(t *testing.T, script string) {
	t.Helper()
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\n"+script), 0o755)) //nolint:gosec // a program
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestInterruptedBuildResumes gives up in the middle of the second of two builds.
func TestInterruptedBuildResumes(t *testing.T) {
	const write = "while [ \"$1\" != -o ]; do shift; done\necho '#!/bin/sh' > \"$2\"\nchmod +x \"$2\"\n"
	b := builder{dir: t.TempDir()}
	wanted := []program{programs()[0], programs()[len(programs())-1]}
	cleaned := filepath.Join(t.TempDir(), "cleaned")
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	fakeGo(t, "trap 'echo > "+cleaned+"; exit 1' INT\necho > \"$GOTMPDIR/x\"\n"+write+"case \"$2\" in *kwok*) while :; do sleep 0.01; done; esac\n")
	b.out = writerFunc(func(line []byte) {
		if bytes.HasPrefix(line, []byte("[2/2] kwok: building")) {
			go func() {
				for !exists(filepath.Join(b.dir, "bin", "kwok.partial")) {
					runtime.Gosched()
				}
				cancel(gaveUp)
			}()
		}
	})
	_, err := b.build(ctx, wanted)
	require.ErrorIs(t, err, gaveUp)
	assert.FileExists(t, cleaned, "the go command could clear up")
	left, err := filepath.Glob(filepath.Join(b.dir, "bin", "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(b.dir, "bin", Etcd)}, left, "what was complete stays, and nothing else")
	assert.NoDirExists(t, filepath.Join(b.dir, "tmp"))

	var out bytes.Buffer
	fakeGo(t, write)
	b.out = &out
	built, err := b.build(t.Context(), wanted)
	require.NoError(t, err)
	assert.Len(t, built, 2)
	assert.Contains(t, out.String(), "[1/1] kwok: built in ", "only what was missing is built")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// writerFunc calls a function for each write.
type writerFunc func([]byte)

func (w writerFunc) Write(data []byte) (int, error) {
	w(data)
	return len(data), nil
}

func TestMissingNetworkIsTold(t *testing.T) {
	fakeGo(t, "echo 'go: example.com/a@v1: dial tcp: lookup proxy.example: no such host' >&2\nexit 1\n")
	_, err := builder{dir: t.TempDir(), out: lines(nil)}.build(t.Context(), programs())
	require.ErrorContains(t, err, "no such host\nmodules could not be downloaded: the first build needs a connection to GOPROXY, or the binaries in a folder that KUBEBUILDER_ASSETS names")
}

func TestFailedBuildIsTold(t *testing.T) {
	fakeGo(t, "echo 'no space left on device' >&2\nexit 1\n")
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
