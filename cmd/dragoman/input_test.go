package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// command runs a command line in this process.
func command(t *testing.T, stdin string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &o, ErrOut: &e}
	code = run(t.Context(), append([]string{"dragoman"}, args...), streams)
	return code, o.String(), e.String()
}

const widgetInCluster = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "generation": 1},
	"spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "main"}]}}}}`

// apiServer is as much of an API server as finding and reading one Deployment takes.
func apiServer(t *testing.T) string {
	t.Helper()
	answer := func(value any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			assert.NoError(t, json.NewEncoder(w).Encode(value))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api", answer(metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}))
	mux.HandleFunc("/apis", answer(metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []metav1.APIGroup{{
			Name:             "apps",
			Versions:         []metav1.GroupVersionForDiscovery{{GroupVersion: "apps/v1", Version: "v1"}},
			PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"},
		}},
	}))
	mux.HandleFunc("/apis/apps/v1", answer(metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "apps/v1",
		APIResources: []metav1.APIResource{{
			Name: "deployments", SingularName: "deployment", Namespaced: true, Kind: "Deployment", ShortNames: []string{"deploy"},
			Verbs: metav1.Verbs{"get", "list"},
		}},
	}))
	mux.HandleFunc("/apis/apps/v1/namespaces/shop/deployments/web", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := io.WriteString(w, widgetInCluster)
		assert.NoError(t, err)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		assert.NoError(t, json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: "not found",
		}))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	config := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '"+server.URL+
		"'}}]\ncontexts: [{name: c, context: {cluster: c, namespace: shop}}]\ncurrent-context: c\n"), 0o600))
	t.Setenv("HOME", t.TempDir()) // kubectl's caches
	return config
}

func TestObjectInCluster(t *testing.T) {
	config := apiServer(t)
	for _, name := range []string{"deployment/web", "deploy/web", "deployments.apps/web"} {
		code, out, errOut := command(t, "", "interpret", name, "--kubeconfig", config, "--operation", "InterpretReplica")
		assert.Equal(t, exitOK, code, errOut)
		assert.Contains(t, out, "# [1/2] replica:\n3\n", name)
	}
	code, out, _ := command(t, "", "explain", "deploy/web", "--kubeconfig", config, "-n", "shop")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "apps/v1 Deployment\n")

	for reason, tc := range map[string]struct {
		args []string
		want string
	}{
		"no such object":     {[]string{"deployment/nowhere"}, "error: deployment/nowhere: "},
		"no such kind":       {[]string{"widget/web"}, `the server doesn't have a resource type "widget"`},
		"no such context":    {[]string{"deployment/web", "--context", "other"}, `context "other" does not exist`},
		"no such kubeconfig": {[]string{"deployment/web", "--kubeconfig", "/nowhere"}, "/nowhere"},
	} {
		t.Run(reason, func(t *testing.T) {
			code, _, errOut := command(t, "", append([]string{"interpret", "--kubeconfig", config}, tc.args...)...)
			assert.Equal(t, exitUnusable, code)
			assert.Contains(t, errOut, tc.want)
		})
	}
}

// TestNoCluster holds that nobody waits for a cluster that is not configured, and that explain needs none for a kind.
func TestNoCluster(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, args := range [][]string{{"interpret", "exmples/flink"}, {"interpret", "exmples/flink", "--cluster-rules=false"}} {
		code, _, errOut := command(t, "", args...)
		assert.Equal(t, exitUnusable, code)
		assert.Equal(t, "error: exmples/flink: no such file, and no kubeconfig to find a cluster with: want --kubeconfig, $KUBECONFIG or ~/.kube/config\n", errOut)
	}
	code, _, errOut := command(t, "", "explain", "v1/Pod", "--context", "other")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, errOut, "error: no kubeconfig to find a cluster with: ")
	code, out, errOut := command(t, "", "explain", "v1/Pod")
	assert.Equal(t, exitOK, code, errOut)
	assert.Contains(t, out, "builtin Pod")
}

func TestURL(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/web.yaml":
			_, err := io.WriteString(w, widgetInCluster)
			assert.NoError(t, err)
		case "/endless":
			for range maxFile>>20 + 1 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	code, out, errOut := command(t, "", "interpret", "--operation", "InterpretReplica", server.URL+"/web.yaml")
	assert.Equal(t, exitOK, code, errOut)
	assert.Contains(t, out, "# [1/2] replica:\n3\n")

	code, _, errOut = command(t, "", "interpret", server.URL+"/nowhere.yaml")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, errOut, "/nowhere.yaml: want status 200, got 404 Not Found")

	code, _, errOut = command(t, "", "interpret", server.URL+"/endless")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, errOut, "/endless: want at most 64 MiB, got more")
}

func TestStandardInputOnce(t *testing.T) {
	code, _, errOut := command(t, widgetInCluster, "interpret", "-", "--observed-file", "-")
	assert.Equal(t, exitUnusable, code)
	assert.Equal(t, "error: -: the standard input can be read only once\n", errOut)
}

func TestFolders(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "below"), 0o700))
	for name, text := range map[string]string{"a.json": widgetInCluster, "below/b.yaml": strings.ReplaceAll(widgetInCluster, "web", "other"), "c.txt": "no object"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	replicas := func(args ...string) string {
		code, out, errOut := command(t, "", append([]string{"interpret", "--operation", "InterpretReplica", "-o", "jsonpath={.items[*].name}"}, args...)...)
		assert.Equal(t, exitOK, code, errOut)
		return out
	}
	assert.Equal(t, "web", replicas(folder))
	assert.Equal(t, "web other", replicas("-R", folder))
	assert.Equal(t, "other", replicas(filepath.Join(folder, "*", "*.yaml")))
	code, _, errOut := command(t, "", "interpret", filepath.Join(folder, "*.yml"))
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, errOut, "*.yml: no file matches")
}

// TestInternal holds that a panic is reported as a defect, with a code of its own.
func TestInternal(t *testing.T) {
	streams, _, _, errOut := genericiooptions.NewTestIOStreams()
	code := run(t.Context(), nil, streams)
	assert.Equal(t, exitInternal, code)
	assert.Contains(t, errOut.String(), "error: internal: ")
}
