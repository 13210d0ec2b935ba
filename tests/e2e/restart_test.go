package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/clusters"
)

// newFederation starts a federation for one test and stops it when the test ends.
func newFederation(t *testing.T, options clusters.Options) *clusters.Federation {
	t.Helper()
	options.Out = t.Output()
	federation, err := clusters.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, federation.Stop()) })
	return federation
}

func TestRestartKeepsObjects(t *testing.T) {
	federation := newFederation(t, clusters.Options{Members: 1})
	began := time.Now()
	member := federation.Cluster("member1")
	Apply(t, member, "default", webDeployment)
	ready := func(replicas int64) func(*unstructured.Unstructured) bool {
		return func(o *unstructured.Unstructured) bool { return number(o, "status", "readyReplicas") == replicas }
	}
	before := WaitForObject(t, member, deployments, "default", "web", "ready", ready(3))

	replicas := int64(3)
	for _, process := range federation.Processes() {
		t.Logf("%s: killing %s", time.Since(began), process)
		require.NoError(t, federation.Restart(t.Context(), process), "killed %s", process)
		after := WaitForObject(t, member, deployments, "default", "web", "there", ready(replicas))
		assert.Equal(t, before.GetUID(), after.GetUID(), "after %s was killed", process)

		replicas++
		WaitFor(t, "the API server to take a change", func(ctx context.Context) error {
			patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
			_, err := member.Dynamic().Resource(deployments).Namespace("default").
				Patch(ctx, "web", "application/merge-patch+json", patch, metav1.PatchOptions{})
			return err
		})
		WaitForObject(t, member, deployments, "default", "web", "scaled after "+process+" was killed", ready(replicas))
	}
	for _, usage := range federation.Usage() {
		assert.Equal(t, 2, usage.Starts, usage.Process)
		assert.NotZero(t, usage.PID, usage.Process)
		assert.Positive(t, usage.CPU, usage.Process)
		assert.Positive(t, usage.Resident, usage.Process)
	}
}

func TestKeptStateSurvivesStop(t *testing.T) {
	options := clusters.Options{Members: 1, APIServersOnly: true, Dir: t.TempDir()}
	federation := newFederation(t, options)
	server := federation.ControlPlane().Server
	Apply(t, federation.ControlPlane(), "default", "{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}, data: {a: b}}")
	_, err := clusters.Start(t.Context(), options)
	require.ErrorContains(t, err, "in use by another federation")
	require.NoError(t, federation.Stop())

	again := newFederation(t, options)
	assert.Equal(t, server, again.ControlPlane().Server)
	configMaps := namespaces.GroupVersion().WithResource("configmaps")
	_, err = again.ControlPlane().Dynamic().Resource(configMaps).Namespace("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = again.Cluster("member1").Dynamic().Resource(configMaps).Namespace("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.Error(t, err, "clusters share etcd, but no objects")
}

func TestStopLeavesNothingBehind(t *testing.T) {
	federation := newFederation(t, clusters.Options{Members: 1})
	dir, address := federation.Dir(), strings.TrimPrefix(federation.ControlPlane().Server, "https://")
	usages := federation.Usage()
	require.Len(t, usages, 7)
	require.NoError(t, federation.Stop())

	for _, usage := range usages {
		require.ErrorIs(t, syscall.Kill(usage.PID, 0), syscall.ESRCH, "%s is still there", usage.Process)
	}
	_, err := os.Stat(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	var dialer net.Dialer
	_, err = dialer.DialContext(t.Context(), "tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, federation.Stop(), "a second Stop does nothing")
}

func TestFailedStartLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("gave up")
	_, err := clusters.Start(ctx, clusters.Options{Members: 1, Out: writerFunc(func(line []byte) {
		if strings.HasPrefix(string(line), "etcd: ready") {
			cancel(gaveUp)
		}
	})})
	require.ErrorIs(t, err, gaveUp)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// writerFunc calls a function for each write.
type writerFunc func([]byte)

func (w writerFunc) Write(data []byte) (int, error) {
	w(data)
	return len(data), nil
}
