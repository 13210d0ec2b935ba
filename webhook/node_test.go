package webhook_test

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// startNode runs the webhook that is written in JavaScript and returns its URL.
func startNode(t *testing.T, ca *authority) string {
	t.Helper()
	node, err := exec.LookPath("node")
	require.NoError(t, err, "this test asks a webhook written in JavaScript: install Node.js (nodejs in Debian), 18 or later")
	certPEM, keyPEM := ca.issuePEM(t, "127.0.0.1", time.Hour)
	server := exec.CommandContext(context.WithoutCancel(t.Context()), node, "testdata/server.mjs")
	server.Env = append(server.Environ(), "CERT="+string(certPEM), "KEY="+string(keyPEM))
	stdin, err := server.StdinPipe()
	require.NoError(t, err)
	stdout, err := server.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	server.Stderr = &stderr
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, server.Wait(), "%s", stderr.String())
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return "https://127.0.0.1:" + strings.TrimSpace(port)
}

// TestWebhookInAnotherLanguage asks every operation of a server that shares nothing with ours but the protocol.
func TestWebhookInAnotherLanguage(t *testing.T) {
	ca := newAuthority(t)
	set := webhook.New(configuration(startNode(t, ca), ca.bundle), webhook.Options{})
	defer set.Close()
	require.NoError(t, set.Err())
	client, ctx := interpreter.Client{Interpreter: set}, t.Context()
	in := object(t, `{"apiVersion":"example.com/v1","kind":"Cache","metadata":{"name":"c","namespace":"ns"},
		"spec":{"replicas":2,"config":"conf","large":9007199254740993,"empty":{},"nothing":null}}`)
	with := func(value any, path ...string) *unstructured.Unstructured {
		out := in.DeepCopy()
		require.NoError(t, unstructured.SetNestedField(out.Object, value, path...))
		return out
	}

	replicas, requirements, err := client.InterpretReplica(ctx, in)
	require.NoError(t, err)
	assert.EqualValues(t, 2, replicas)
	assert.Equal(t, "250m", requirements.ResourceRequest.Cpu().String())

	components, err := client.InterpretComponent(ctx, in)
	require.NoError(t, err)
	assert.Equal(t, []workv1alpha2.Component{{Name: "main", Replicas: 2}}, components)

	revised, err := client.ReviseReplica(ctx, in, 7, interpreter.Placement{})
	require.NoError(t, err)
	assert.Equal(t, with(int64(7), "spec", "replicas"), revised, "the rest is as it was, though JavaScript has no such integers")

	retained, err := client.Retain(ctx, in, with(true, "spec", "paused"), interpreter.Placement{})
	require.NoError(t, err)
	assert.Equal(t, with(true, "spec", "paused"), retained)

	status, err := client.InterpretStatus(ctx, with(map[string]any{"ready": int64(1), "null": nil}, "status"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"ready": int64(1), "null": nil}, status)

	aggregated, err := client.AggregateStatus(ctx, in, []interpreter.StatusItem{
		{ClusterName: "a", Status: map[string]any{"ready": int64(1)}}, {ClusterName: "b"}, {ClusterName: "c", Status: map[string]any{"ready": int64(2)}},
	})
	require.NoError(t, err)
	assert.Equal(t, with(map[string]any{"ready": int64(3)}, "status"), aggregated)

	health, err := client.InterpretHealth(ctx, with(map[string]any{"ready": int64(1)}, "status"))
	require.NoError(t, err)
	assert.True(t, health.Healthy())

	refs, err := client.InterpretDependency(ctx, in)
	require.NoError(t, err)
	assert.Equal(t, []configv1alpha1.DependentObjectReference{{APIVersion: "v1", Kind: "ConfigMap", Namespace: "ns", Name: "conf"}}, refs)

	_, err = client.InterpretComponent(ctx, object(t, `{"apiVersion":"example.com/v1","kind":"Cache"}`))
	require.ErrorContains(t, err, "answered 422: Cannot read properties of undefined")
}
