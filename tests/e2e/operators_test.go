package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/clusters"
)

// define applies a definition of a custom resource without schema, with a status subresource.
func define(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, kind string) {
	t.Helper()
	Apply(t, c, "", fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[1]s.%[2]s
spec:
  group: %[2]s
  scope: Namespaced
  names: {kind: %[4]s, listKind: %[4]sList, plural: %[1]s, singular: %[5]s}
  versions:
  - name: %[3]s
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`, resource.Resource, resource.Group, resource.Version, kind, strings.ToLower(kind)))
}

// patch changes the spec of an object by a merge patch.
func patch(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, namespace, name, data string) *unstructured.Unstructured {
	t.Helper()
	object, err := c.Dynamic().Resource(resource).Namespace(namespace).
		Patch(t.Context(), name, "application/merge-patch+json", []byte(data), metav1.PatchOptions{})
	require.NoError(t, err)
	return object
}

func TestFlinkDeploymentRuns(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	ApplyFile(t, member, "", "../../examples/flink/crd.yaml")
	ApplyFile(t, member, namespace, "../../examples/flink/basic.yaml")
	wait := func(what string, satisfied func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
		return WaitForObject(t, member, flinkDeployments, namespace, "basic", what, satisfied)
	}
	running := func(o *unstructured.Unstructured) bool {
		return text(o, "status", "jobStatus", "state") == "RUNNING" && number(o, "status", "observedGeneration") == o.GetGeneration()
	}

	flink := wait("running", running)
	first := text(flink, "status", "jobStatus", "jobId")
	assert.Regexp(t, "^[0-9a-f]{32}$", first)
	assert.Equal(t, "READY", text(flink, "status", "jobManagerDeploymentStatus"))
	assert.Equal(t, "STABLE", text(flink, "status", "lifecycleState"))
	assert.Equal(t, "1.20", text(flink, "status", "clusterInfo", "flink-version"))
	assert.EqualValues(t, 1, number(flink, "status", "taskManager", "replicas"))

	patch(t, member, flinkDeployments, namespace, "basic", `{"spec":{"job":{"parallelism":8}}}`)
	upgraded := wait("upgraded", running)
	assert.NotEqual(t, first, text(upgraded, "status", "jobStatus", "jobId"), "an upgrade starts a new job")

	patch(t, member, flinkDeployments, namespace, "basic", `{"spec":{"job":{"state":"suspended"}}}`)
	wait("suspended", func(o *unstructured.Unstructured) bool { return text(o, "status", "lifecycleState") == "SUSPENDED" })

	patch(t, member, flinkDeployments, namespace, "basic",
		`{"metadata":{"annotations":{"stage.dragoman.io/outcome":"failed"}},"spec":{"job":{"state":"running"}}}`)
	failed := wait("failed", func(o *unstructured.Unstructured) bool { return text(o, "status", "lifecycleState") == "FAILED" })
	assert.Equal(t, "ERROR", text(failed, "status", "jobManagerDeploymentStatus"))
	assert.NotEmpty(t, text(failed, "status", "error"))
}

func TestCloneSetRollsOut(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	define(t, member, cloneSets, "CloneSet")
	Apply(t, member, namespace, `
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1"}]}
`)
	available := func(replicas int64) func(o *unstructured.Unstructured) bool {
		return func(o *unstructured.Unstructured) bool {
			return number(o, "status", "updatedAvailableReplicas") == replicas && number(o, "status", "observedGeneration") == o.GetGeneration()
		}
	}
	before := WaitForObject(t, member, cloneSets, namespace, "web", "available", available(4))
	assert.Equal(t, "app=web", text(before, "status", "labelSelector"))

	patch(t, member, cloneSets, namespace, "web",
		`{"spec":{"replicas":6,"template":{"spec":{"containers":[{"name":"web","image":"registry.example/web:2"}]}}}}`)
	rolling := WaitForObject(t, member, cloneSets, namespace, "web", "rolling out", func(o *unstructured.Unstructured) bool {
		return number(o, "status", "replicas") == 6
	})
	after := WaitForObject(t, member, cloneSets, namespace, "web", "available", available(6))
	assert.EqualValues(t, 4, number(rolling, "status", "readyReplicas"), "the old Pods stay ready during the roll-out")
	assert.NotEqual(t, text(before, "status", "updateRevision"), text(after, "status", "updateRevision"))
	assert.Equal(t, text(after, "status", "updateRevision"), text(after, "status", "currentRevision"))
}

func TestRayClusterBecomesReady(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	define(t, member, rayClusters, "RayCluster")
	Apply(t, member, namespace, `
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray}
spec:
  rayVersion: 2.9.0
  headGroupSpec:
    rayStartParams: {}
    template: {spec: {containers: [{name: head, image: "rayproject/ray:2.9.0"}]}}
  workerGroupSpecs:
  - {groupName: small, replicas: 2, minReplicas: 1, maxReplicas: 5, rayStartParams: {}, template: {spec: {containers: []}}}
  - {groupName: hosts, replicas: 1, minReplicas: 1, maxReplicas: 2, numOfHosts: 4, rayStartParams: {}, template: {spec: {containers: []}}}
`)
	ray := WaitForObject(t, member, rayClusters, namespace, "ray", "ready", func(o *unstructured.Unstructured) bool {
		return text(o, "status", "state") == "ready"
	})
	assert.EqualValues(t, 6, number(ray, "status", "availableWorkerReplicas"), "two hosts, and one group of four")
	assert.EqualValues(t, 5, number(ray, "status", "minWorkerReplicas"))
	assert.EqualValues(t, 13, number(ray, "status", "maxWorkerReplicas"))

	patch(t, member, rayClusters, namespace, "ray", `{"spec":{"suspend":true}}`)
	WaitForObject(t, member, rayClusters, namespace, "ray", "suspended", func(o *unstructured.Unstructured) bool {
		return text(o, "status", "state") == "suspended" && number(o, "status", "availableWorkerReplicas") == 0
	})
}
