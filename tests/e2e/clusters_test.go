package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const webDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        resources: {requests: {cpu: 100m, memory: 64Mi}}
`

func TestDeploymentBecomesReady(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	Apply(t, member, namespace, webDeployment)
	web := WaitForObject(t, member, deployments, namespace, "web", "ready", func(o *unstructured.Unstructured) bool {
		return number(o, "status", "readyReplicas") == 3
	})
	assert.Equal(t, web.GetGeneration(), number(web, "status", "observedGeneration"))
}

func TestPendingDeploymentStaysInProgress(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	Apply(t, member, namespace, `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {stage.dragoman.io/outcome: pending}
    spec:
      containers:
      - {name: web, image: registry.example/missing:1}
`)
	web := WaitForObject(t, member, deployments, namespace, "web", "rolling out", func(o *unstructured.Unstructured) bool {
		return number(o, "status", "unavailableReplicas") == 2
	})
	assert.EqualValues(t, -1, number(web, "status", "readyReplicas"))
}

func TestFlinkDeploymentRuns(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	ApplyFile(t, member, "", "../../examples/flink/crd.yaml")
	ApplyFile(t, member, namespace, "../../examples/flink/flinkdeployment.yaml")
	running := func(o *unstructured.Unstructured) bool { return text(o, "status", "jobStatus", "state") == "RUNNING" }

	flink := WaitForObject(t, member, flinkDeployments, namespace, "word-count", "running", running)
	first := text(flink, "status", "jobStatus", "jobId")
	assert.Regexp(t, "^[0-9a-f]{32}$", first)
	assert.Equal(t, "READY", text(flink, "status", "jobManagerDeploymentStatus"))
	assert.Equal(t, "STABLE", text(flink, "status", "lifecycleState"))
	assert.Equal(t, flink.GetGeneration(), number(flink, "status", "observedGeneration"))
	assert.EqualValues(t, 2, number(flink, "status", "taskManager", "replicas"))

	require.NoError(t, unstructured.SetNestedField(flink.Object, int64(8), "spec", "job", "parallelism"))
	flink, err := member.Dynamic().Resource(flinkDeployments).Namespace(namespace).Update(t.Context(), flink, metav1.UpdateOptions{})
	require.NoError(t, err)
	upgraded := WaitForObject(t, member, flinkDeployments, namespace, "word-count", "upgraded", func(o *unstructured.Unstructured) bool {
		return running(o) && number(o, "status", "observedGeneration") == flink.GetGeneration()
	})
	assert.NotEqual(t, first, text(upgraded, "status", "jobStatus", "jobId"), "an upgrade starts a new job")
}
