package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// writeKubeconfig writes a kubeconfig with contexts for a server, the first of which is current, and returns its path.
func writeKubeconfig(t *testing.T, server string, contexts ...string) string {
	t.Helper()
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: %s\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts:\n", contexts[0], server)
	for _, name := range contexts {
		text += fmt.Sprintf("- {name: %s, context: {cluster: c}}\n", name)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestClusterThatDoesNotAnswer interrupts commands that wait for an API server.
func TestClusterThatDoesNotAnswer(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
	}{
		{"while the cluster's rules are read", []string{"interpret", "deployment/web", "--operation", "InterpretHealth"}},
		{"while the object is read", []string{"interpret", "deployment/web", "--operation", "InterpretHealth", "--cluster-rules=false"}},
		{"while explain reads rules", []string{"explain", "apps/v1/Deployment"}},
		{"while test reads the object", []string{"test", "deployment/web", "--cluster-rules=false"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			ended := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				interrupt()
				<-ended
			}))
			defer server.Close()
			defer close(ended)
			t.Setenv("KUBECACHEDIR", os.DevNull) // what servers serve is not kept
			streams, _, _, errOut := genericiooptions.NewTestIOStreams()
			code := run(ctx, append(append([]string{"dragoman"}, test.args...), "--kubeconfig", writeKubeconfig(t, server.URL, "slow")), streams)
			assert.Equal(t, exitUnusable, code)
			assert.Contains(t, errOut.String(), context.Canceled.Error())
		})
	}
}
