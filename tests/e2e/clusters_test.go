package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
