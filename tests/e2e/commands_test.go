package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
	"github.com/dragoman-io/dragoman/webhook"
)

// ran is what a command wrote, and how it ended.
type ran struct {
	out, err string
	code     int
}

// runCommand runs the command with the federation's kubeconfig.
func runCommand(t *testing.T, args ...string) ran {
	t.Helper()
	binary, err := dragoman()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+Federation().Kubeconfig)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		require.NoError(t, err)
	}
	return ran{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// row returns the line of a table that begins with a word, and the one below it, with single spaces.
func row(text, word string) (line, below string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, word) {
			return strings.Join(strings.Fields(line), " "), strings.Join(strings.Fields(lines[i+1]), " ")
		}
	}
	return "", ""
}

// replicasOf7 is an interpreter that answers InterpretReplica with 7.
func replicasOf7(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	if op != interpreter.InterpretReplica {
		return nil
	}
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return &interpreter.Response{Replicas: 7}, nil
	}
}

// TestCommandsReadTheClustersRules asks about an object in a cluster that has rules of its own.
func TestCommandsReadTheClustersRules(t *testing.T) {
	require.NoError(t, Federation().Register(t.Context()))
	c, member := Federation().ControlPlane(), Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	require.NoError(t, c.Apply(t.Context(), "", clusters.Namespace(namespace)))
	t.Cleanup(func() {
		require.NoError(t, c.Dynamic().Resource(namespaces).Delete(cleanupContext(t), namespace, metav1.DeleteOptions{}))
	})
	Apply(t, c, namespace, webDeployment)
	Apply(t, member, namespace, webDeployment)
	applyUntilEnd(t, c, `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: web-of-the-cluster}
spec:
  target: {apiVersion: apps/v1, kind: Deployment}
  customizations:
    healthInterpretation: {celExpression: "false"}
`)
	server := httptest.NewTLSServer(webhook.Handler(interpreter.Func(replicasOf7)))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	applyUntilEnd(t, c, `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterWebhookConfiguration
metadata: {name: replicas-of-the-cluster}
webhooks:
- name: replicas.example.com
  clientConfig: {url: "`+server.URL+`", caBundle: `+base64.StdEncoding.EncodeToString(authority)+`}
  rules:
  - {operations: [InterpretReplica], apiGroups: [apps], apiVersions: [v1], kinds: [Deployment]}
  interpreterContextVersions: [v1alpha1]
`)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte(`apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: web-of-the-cluster}
spec:
  target: {apiVersion: apps/v1, kind: Deployment}
  customizations:
    healthInterpretation: {celExpression: "true"}
`), 0o600))
	in := func(context string, args ...string) []string {
		return append(args, "deployment/web", "-n", namespace, "--context", context)
	}

	t.Run("explain names them and where they are", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "explain")...)
		require.Zero(t, got.code, got.err)
		health, behind := row(got.out, "InterpretHealth")
		assert.Equal(t, "InterpretHealth customizations web-of-the-cluster.healthInterpretation (cel) context control-plane", health)
		assert.Equal(t, "behind it builtin Deployment (go)", behind)
		replicas, behind := row(got.out, "InterpretReplica")
		assert.Equal(t, "InterpretReplica webhook replicas-of-the-cluster/replicas.example.com (http) "+server.URL, replicas)
		assert.Equal(t, "behind it builtin Deployment (go)", behind)
	})
	t.Run("explain for a kind", func(t *testing.T) {
		got := runCommand(t, "explain", "apps/v1/Deployment", "--context", clusters.ControlPlane)
		health, _ := row(got.out, "InterpretHealth")
		assert.Contains(t, health, "context control-plane", got.err)
	})
	t.Run("a file stands for what it would replace", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "explain", "-f", rules)...)
		health, behind := row(got.out, "InterpretHealth")
		assert.Equal(t, "InterpretHealth customizations web-of-the-cluster.healthInterpretation (cel) "+rules+":7", health, got.err)
		assert.Equal(t, "behind it builtin Deployment (go)", behind)
	})
	t.Run("they answer", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "interpret", "--operation", "InterpretHealth")...)
		assert.Equal(t, ran{out: "---\n# [1/1] healthy:\nfalse\n"}, got)
		got = runCommand(t, in(clusters.ControlPlane, "interpret", "--operation", "InterpretHealth", "-f", rules, "--chain")...)
		assert.Equal(t, ran{out: "---\n# [1/1] healthy:\ntrue\n"}, got)
	})
	t.Run("unless they are not wanted", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "explain", "--cluster-rules=false")...)
		health, _ := row(got.out, "InterpretHealth")
		assert.Equal(t, "InterpretHealth builtin Deployment (go)", health, got.err)
	})
	t.Run("webhooks are asked only on demand", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "interpret", "--operation", "InterpretReplica")...)
		assert.Equal(t, 1, got.code)
		assert.Contains(t, got.err, "left to webhook replicas-of-the-cluster/replicas.example.com at "+server.URL+", which only --ask-webhooks asks")
		got = runCommand(t, in(clusters.ControlPlane, "interpret", "--operation", "InterpretReplica", "--ask-webhooks")...)
		assert.Zero(t, got.code, got.err)
		assert.Contains(t, got.out, "replica:\n7\n")
	})
	t.Run("a cluster without them is asked for none", func(t *testing.T) {
		got := runCommand(t, in("member1", "explain")...)
		require.Zero(t, got.code, got.err)
		health, _ := row(got.out, "InterpretHealth")
		assert.Equal(t, "InterpretHealth builtin Deployment (go)", health)
		assert.Empty(t, got.err)
	})
	t.Run("those of another cluster answer for it", func(t *testing.T) {
		got := runCommand(t, in("member1", "interpret", "--rules-context", clusters.ControlPlane, "--operation", "InterpretHealth")...)
		assert.Equal(t, ran{out: "---\n# [1/1] healthy:\nfalse\n"}, got)
		got = runCommand(t, in("member1", "interpret", "--rules-context", "member1", "--operation", "InterpretHealth")...)
		assert.Equal(t, 2, got.code, "it has none, and was named")
		assert.Contains(t, got.err, "read the cluster's rules: list ResourceInterpreterCustomizations")
	})
	t.Run("an object is a case", func(t *testing.T) {
		got := runCommand(t, in(clusters.ControlPlane, "test", "-v")...)
		assert.Equal(t, 1, got.code)
		assert.Contains(t, got.out, "PASS  InterpretHealth")
		assert.Contains(t, got.out, "left to webhook replicas-of-the-cluster")
		got = runCommand(t, in(clusters.ControlPlane, "test", "--laws", "--ask-webhooks")...)
		assert.Contains(t, got.err, "laws: ")
		got = runCommand(t, in("member1", "test")...)
		assert.Zero(t, got.code, got.out)
		assert.Contains(t, got.out, " passed, 0 failed")
	})
}

// applyUntilEnd applies cluster-scoped objects, and deletes them when the test ends.
func applyUntilEnd(t *testing.T, c *clusters.Cluster, documents string) {
	t.Helper()
	found, err := manifest.Objects(t.Name(), []byte(documents))
	require.NoError(t, err)
	for _, object := range found {
		require.NoError(t, c.Apply(t.Context(), "", object.Unstructured))
		resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
		t.Cleanup(func() {
			require.NoError(t, c.Dynamic().Resource(resource).Delete(cleanupContext(t), object.GetName(), metav1.DeleteOptions{}))
		})
	}
}
