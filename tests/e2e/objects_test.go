package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/manifest"
)

// patience is how long a test waits for what takes seconds on an idle machine.
const patience = 3 * time.Minute

var (
	namespaces       = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	serviceAccounts  = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	deployments      = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	flinkDeployments = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	cloneSets        = schema.GroupVersionResource{Group: "apps.kruise.io", Version: "v1alpha1", Resource: "clonesets"}
	rayClusters      = schema.GroupVersionResource{Group: "ray.io", Version: "v1", Resource: "rayclusters"}
)

// Federation returns the federation that all tests share.
func Federation() *clusters.Federation { return shared }

// NewNamespace makes a namespace for one test in each of the clusters, and deletes it when the test ends.
func NewNamespace(t *testing.T, in ...*clusters.Cluster) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())) + "-" + fmt.Sprintf("%x", time.Now().UnixNano()&0xffffff)
	for _, c := range in {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}}
		require.NoError(t, c.Apply(t.Context(), "", object))
		t.Cleanup(func() {
			require.NoError(t, c.Dynamic().Resource(namespaces).Delete(cleanupContext(t), name, metav1.DeleteOptions{}))
		})
		WaitFor(t, "the namespace's default service account", func(ctx context.Context) error {
			_, err := c.Dynamic().Resource(serviceAccounts).Namespace(name).Get(ctx, "default", metav1.GetOptions{})
			return err
		})
	}
	return name
}

// cleanupContext returns a context for t.Cleanup functions, which run when the test's own context has ended.
func cleanupContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// WaitFor calls try until it returns nil, and fails the test with its last error when that takes too long.
func WaitFor(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("wait for %s: %v", what, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// WaitForObject waits until the object satisfies the condition and returns it.
func WaitForObject(
	t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name, what string,
	satisfied func(*unstructured.Unstructured) bool,
) *unstructured.Unstructured {
	t.Helper()
	var last *unstructured.Unstructured
	WaitFor(t, fmt.Sprintf("%s %s/%s in %s to be %s", resource.Resource, namespace, name, c.Name, what), func(ctx context.Context) error {
		object, err := c.Dynamic().Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if last = object; !satisfied(object) {
			return fmt.Errorf("its status is %v", object.Object["status"])
		}
		return nil
	})
	return last
}

// Apply applies the objects of YAML documents to a cluster, all in one namespace.
func Apply(t *testing.T, c *clusters.Cluster, namespace, documents string) {
	t.Helper()
	found, err := manifest.Objects(t.Name(), []byte(documents))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	objects := make([]*unstructured.Unstructured, 0, len(found))
	for _, object := range found {
		if object.GetNamespace() != "" {
			object.SetNamespace(namespace)
		}
		objects = append(objects, object.Unstructured)
	}
	require.NoError(t, c.Apply(t.Context(), namespace, objects...))
}

// ApplyFile applies the objects of a file to a cluster, all in one namespace.
func ApplyFile(t *testing.T, c *clusters.Cluster, namespace, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	Apply(t, c, namespace, string(data))
}

// text returns the string at a path, or "".
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(object.Object, path...)
	return value
}

// number returns the integer at a path, or -1.
func number(object *unstructured.Unstructured, path ...string) int64 {
	value, found, err := unstructured.NestedInt64(object.Object, path...)
	if !found || err != nil {
		return -1
	}
	return value
}
