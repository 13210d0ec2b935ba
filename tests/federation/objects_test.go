package federation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/manifest"
)

// patience is how long a test waits for what takes seconds on an idle machine.
const patience = 2 * time.Minute

var (
	namespaces      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	configMaps      = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets         = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	claims          = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	deployments     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	flinks          = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	policies        = schema.GroupVersionResource{Group: "policy.karmada.io", Version: "v1alpha1", Resource: "propagationpolicies"}
	clusterResource = schema.GroupVersionResource{Group: "cluster.karmada.io", Version: "v1alpha1", Resource: "clusters"}
	works           = schema.GroupVersionResource{Group: "work.karmada.io", Version: "v1alpha1", Resource: "works"}
	bindings        = schema.GroupVersionResource{Group: "work.karmada.io", Version: "v1alpha2", Resource: "resourcebindings"}
	customizations  = schema.GroupVersionResource{Group: "config.karmada.io", Version: "v1alpha1", Resource: "resourceinterpretercustomizations"}
)

func control() *clusters.Cluster { return shared.ControlPlane() }

func member(name string) *clusters.Cluster { return shared.Cluster(name) }

// newNamespace makes a namespace of the control plane for one test, and waits until every member has it. What is in it
// is deleted when the test ends.
func newNamespace(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(t.Name()) + "-" + fmt.Sprintf("%x", time.Now().UnixNano()&0xffffff)
	require.NoError(t, control().Apply(t.Context(), "", clusters.Namespace(name)))
	for _, m := range shared.Members() {
		eventually(t, "namespace "+name+" in "+m.Name, func(ctx context.Context) error {
			_, err := m.Dynamic().Resource(namespaces).Get(ctx, name, metav1.GetOptions{})
			return err
		})
	}
	return name
}

// eventually calls try until it returns nil, and fails the test with its last error when that takes too long.
func eventually(t *testing.T, what string, try func(context.Context) error) {
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

// awaits waits until the object is there and satisfies the condition, which says why not.
func awaits(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name, what string, unsatisfied func(*unstructured.Unstructured) error) *unstructured.Unstructured {
	t.Helper()
	var last *unstructured.Unstructured
	eventually(t, fmt.Sprintf("%s %s/%s in %s: %s", resource.Resource, namespace, name, c.Name, what), func(ctx context.Context) error {
		object, err := c.Dynamic().Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		last = object
		return unsatisfied(object)
	})
	return last
}

// has returns a condition: the field at path, dots between the keys, has that value.
func has(path string, want any) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		got, _, err := unstructured.NestedFieldNoCopy(o.Object, strings.Split(path, ".")...)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s is %v, want %v (status %v)", path, got, want, o.Object["status"])
		}
		return nil
	}
}

// both returns the condition that all of conditions are.
func both(conditions ...func(*unstructured.Unstructured) error) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		for _, c := range conditions {
			if err := c(o); err != nil {
				return err
			}
		}
		return nil
	}
}

// caughtUp is the condition that the status speaks of the object as it is now.
func caughtUp(o *unstructured.Unstructured) error {
	return has("status.observedGeneration", o.GetGeneration())(o)
}

// image returns a condition: the first container has that image.
func image(want string) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		containers, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		if err != nil || len(containers) == 0 {
			return errors.Join(err, errors.New("no containers"))
		}
		if got := containers[0].(map[string]any)["image"]; got != want {
			return fmt.Errorf("image is %v, want %s", got, want)
		}
		return nil
	}
}

// gone waits until the object is not there.
func gone(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s %s/%s in %s to be gone", resource.Resource, namespace, name, c.Name), func(ctx context.Context) error {
		_, err := c.Dynamic().Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is there"))
	})
}

// absent fails unless the object is not there now.
func absent(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	_, err := c.Dynamic().Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%s %s/%s in %s: want none, got %v", resource.Resource, namespace, name, c.Name, err)
}

// apply applies documents to the control plane, in one namespace.
func apply(t *testing.T, namespace, documents string) {
	t.Helper()
	applyTo(t, control(), namespace, documents)
}

func applyTo(t *testing.T, c *clusters.Cluster, namespace, documents string) {
	t.Helper()
	found, err := manifest.Objects(t.Name(), []byte(documents))
	require.NoError(t, err)
	objects := make([]*unstructured.Unstructured, 0, len(found))
	for _, o := range found {
		objects = append(objects, o.Unstructured)
	}
	require.NoError(t, c.Apply(t.Context(), namespace, objects...))
}

// patch merges a JSON document into an object.
func patch(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name, document string, subresources ...string) {
	t.Helper()
	_, err := c.Dynamic().Resource(resource).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(document), metav1.PatchOptions{}, subresources...)
	require.NoError(t, err)
}

func remove(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	require.NoError(t, c.Dynamic().Resource(resource).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
}

// worksOf returns the Works of the control plane whose objects are in the namespace.
func worksOf(ctx context.Context, namespace string) ([]string, error) {
	list, err := control().Dynamic().Resource(works).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		manifests, _, _ := unstructured.NestedSlice(list.Items[i].Object, "spec", "workload", "manifests")
		for _, m := range manifests {
			if ns, _, _ := unstructured.NestedString(m.(map[string]any), "metadata", "namespace"); ns == namespace {
				names = append(names, list.Items[i].GetNamespace()+"/"+list.Items[i].GetName())
			}
		}
	}
	return names, nil
}

// nothingLeft waits until the control plane has no binding and no Work of the namespace.
func nothingLeft(t *testing.T, namespace string) {
	t.Helper()
	eventually(t, "bindings and Works of "+namespace+" to be gone", func(ctx context.Context) error {
		list, err := control().Dynamic().Resource(bindings).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		left, err := worksOf(ctx, namespace)
		if err != nil {
			return err
		}
		if len(list.Items)+len(left) > 0 {
			return fmt.Errorf("%d bindings, Works %v", len(list.Items), left)
		}
		return nil
	})
}

// deployment returns the YAML of a Deployment.
func deployment(name, image string, replicas int) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: main, image: "%[2]s"}]}
---
`, name, image, replicas)
}

// policy returns the YAML of a PropagationPolicy for objects of a kind, with that placement and more fields.
func policy(name, apiVersion, kind, placement, more string) string {
	return fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: %s}
spec:
  resourceSelectors: [{apiVersion: %s, kind: %s}]
  placement: %s
  %s
---
`, name, apiVersion, kind, placement, more)
}
