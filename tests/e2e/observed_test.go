package e2e

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collector stands for an OpenTelemetry collector: a gRPC server that takes what it gets.
type collector struct {
	address string

	mu       sync.Mutex
	received strings.Builder
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &collector{address: listener.Addr().String()}
	server := &http.Server{Handler: c, Protocols: new(http.Protocols)} //nolint:gosec // it is on this machine
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(r.URL.Path, "TraceService/Export") {
		http.Error(w, "want traces", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.received.Write(data) // names and values are in it as they are
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status")
	_, _ = w.Write(make([]byte, 5)) // an empty message
	w.Header().Set("Grpc-Status", "0")
}

// requireTraces waits until the collector has spans of questions.
func (c *collector) requireTraces(t *testing.T) {
	t.Helper()
	WaitFor(t, "spans", func(context.Context) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, want := range []string{
			"dragoman-controller-manager", "InterpretHealth", "dragoman.link", "thirdparty", "k8s.kind", "FlinkDeployment", "basic",
		} {
			if !strings.Contains(c.received.String(), want) {
				return errors.New("nothing of " + want)
			}
		}
		return nil
	})
}

// TestObserved has the manager tell what it does in every way that it can.
func TestObserved(t *testing.T) {
	traces := newCollector(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	profiles := listener.Addr().String()
	require.NoError(t, listener.Close())
	federation, metrics := newManaged(t, "--tracing-endpoint", traces.address, "--tracing-insecure", "--pprof-bind-address", profiles)
	propagated(t, federation)
	traces.requireTraces(t)
	WaitFor(t, "profiles", func(ctx context.Context) error {
		return answers(ctx, "http://"+profiles+"/debug/pprof/goroutine?debug=1")
	})
	for _, labels := range [][]string{
		{"link=thirdparty", "kind=FlinkDeployment", "operation=InterpretHealth", "result=ok"},
		{"link=thirdparty", "kind=CloneSet", "operation=InterpretReplica", "result=ok"},
	} {
		n, err := readMetric(t.Context(), metrics, "dragoman_interpreter_answers_total", labels...)
		require.NoError(t, err)
		assert.Positive(t, n, labels)
	}
}

// TestUpKeepsData starts again with the folder that it was started with.
func TestUpKeepsData(t *testing.T) {
	data := t.TempDir()
	run := func(command ...string) string {
		cmd, out, temp := startUp(t, append([]string{"--members", "0", "--controllers=false", "--quiet", "--data", data, "--"}, command...)...)
		require.NoError(t, cmd.Wait(), out)
		requireNothingLeft(t, temp)
		assert.Empty(t, processesWith(t, data))
		return out.String()
	}
	run("kubectl", "create", "configmap", "kept")
	assert.Contains(t, run("kubectl", "get", "configmaps"), "kept")
}
