package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// record names the folder into which TestRecorded saves the objects:
//
//	go test ./tests/e2e -run TestRecorded -record "$PWD/builtin/testdata/recorded"
var record = flag.String("record", "", "save the objects of TestRecorded, with the statuses that Kubernetes wrote, into this folder")

// recordings are the objects of testdata/recorded.yaml to save, and how each looks when Kubernetes is done with it.
var recordings = []struct {
	resource string // group/version/resource, the core group without its empty name
	name     string
	reason   string
	until    func(*unstructured.Unstructured) bool
}{
	{"apps/v1/deployments", "available", "all replicas are available", equals(int64(3), "status", "availableReplicas")},
	{"apps/v1/deployments", "progressing", "the first roll-out is under way", equals(int64(3), "status", "unavailableReplicas")},
	{"apps/v1/deployments", "stalled", "the roll-out took longer than its deadline", hasCondition("Progressing", "False")},
	{"apps/v1/deployments", "rolling", "new Pods do not get ready, old ones serve", equals(int64(3), "status", "readyReplicas")},
	{"apps/v1/deployments", "stopped", "zero replicas are asked for", hasCondition("Available", "True")},
	{"apps/v1/deployments", "paused", "nothing is rolled out", hasCondition("Progressing", "Unknown")},
	{"apps/v1/replicasets", "bare", "a ReplicaSet without Deployment", equals(int64(2), "status", "availableReplicas")},
	{"v1/replicationcontrollers", "old", "the predecessor of ReplicaSets", equals(int64(1), "status", "availableReplicas")},
	{"apps/v1/statefulsets", "ready", "all replicas are ready", equals(int64(2), "status", "availableReplicas")},
	{"apps/v1/statefulsets", "starting", "the first Pod is not ready, so the others wait", equals(int64(1), "status", "replicas")},
	{"apps/v1/daemonsets", "ready", "a Pod is ready on each node", equals(int64(3), "status", "numberAvailable")},
	{"apps/v1/daemonsets", "starting", "no Pod is ready", equals(int64(3), "status", "numberUnavailable")},
	{"batch/v1/jobs", "complete", "all completions succeeded", hasCondition("Complete", "True")},
	{"batch/v1/jobs", "failed", "the backoff limit is reached", hasCondition("Failed", "True")},
	{"batch/v1/jobs", "running", "Pods are active", equals(int64(2), "status", "active")},
	{"batch/v1/jobs", "suspended", "the Job is not started", hasCondition("Suspended", "True")},
	{"batch/v1/cronjobs", "nightly", "it never ran", exists("metadata", "uid")},
	{"batch/v1/cronjobs", "minutely", "it ran", exists("status", "lastSuccessfulTime")},
	{"v1/pods", "running", "all containers are ready", hasCondition("Ready", "True")},
	{"v1/pods", "pending", "the image cannot be pulled", exists("status", "containerStatuses")},
	{"v1/pods", "unschedulable", "no node fits", hasCondition("PodScheduled", "False")},
	{"v1/pods", "failed", "a container ended with an error", equals("Failed", "status", "phase")},
	{"v1/services", "cluster-ip", "an address inside the cluster", exists("spec", "clusterIP")},
	{"v1/services", "headless", "no address", exists("spec", "clusterIP")},
	{"v1/services", "node-port", "a port on each node", exists("spec", "ports")},
	{"v1/services", "load-balancer", "an address from the load balancer", exists("status", "loadBalancer", "ingress")},
	{"v1/services", "load-balancer-pending", "no load balancer cares", exists("spec", "ports")},
	{"v1/services", "external-name", "a name elsewhere", exists("spec", "externalName")},
	{"networking.k8s.io/v1/ingresses", "shop", "an address from the ingress controller", exists("status", "loadBalancer", "ingress")},
	{"v1/persistentvolumeclaims", "bound", "a volume is bound", equals("Bound", "status", "phase")},
	{"v1/persistentvolumeclaims", "pending", "no volume is provisioned", equals("Pending", "status", "phase")},
	{"v1/persistentvolumes", "recorded", "bound to a claim", equals("Bound", "status", "phase")},
	{"policy/v1/poddisruptionbudgets", "available", "one disruption is allowed", equals(int64(1), "status", "disruptionsAllowed")},
	{"autoscaling/v2/horizontalpodautoscalers", "available", "there are no metrics", hasCondition("ScalingActive", "False")},
	{"v1/resourcequotas", "quota", "use is counted", exists("status", "used", "configmaps")},
	{"v1/configmaps", "settings", "data without status", exists("data")},
	{"v1/secrets", "shop-token", "the token controller filled it", exists("data", "token")},
	{"v1/serviceaccounts", "shop", "an account without secrets", exists("metadata", "uid")},
}

// TestRecorded brings one object of each kind into each state that matters and checks that Kubernetes gets there.
func TestRecorded(t *testing.T) {
	member := Federation().Cluster("member1")
	namespace := NewNamespace(t, member)
	ApplyFile(t, member, namespace, "testdata/recorded.yaml")
	t.Cleanup(func() {
		volumes := schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumes"}
		require.NoError(t, member.Dynamic().Resource(volumes).Delete(cleanupContext(t), "recorded", metav1.DeleteOptions{}))
	})
	WaitForObject(t, member, deployments, namespace, "rolling", "available", equals(int64(4), "status", "availableReplicas"))
	patch(t, member, deployments, namespace, "rolling",
		`{"spec":{"template":{"metadata":{"annotations":{"stage.dragoman.io/outcome":"pending"}}}}}`)
	WaitForObject(t, member, deployments, namespace, "rolling", "rolling", equals(int64(2), "status", "updatedReplicas"))

	for _, r := range recordings {
		t.Run(r.resource+"/"+r.name, func(t *testing.T) {
			if r.name == "minutely" && *record == "" {
				return // Not worth a minute of every run.
			}
			resource := parseResource(t, r.resource)
			in := namespace
			if r.resource == "v1/persistentvolumes" {
				in = ""
			}
			object := WaitForObject(t, member, resource, in, r.name, r.reason, r.until)
			if *record == "" {
				return
			}
			if values, ok := object.Object["data"].(map[string]any); ok && object.GetKind() == "Secret" {
				for name := range values {
					values[name] = "cmVkYWN0ZWQ=" // A token in a repository worries people, even one that is worth nothing.
				}
			}
			data, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			text := fmt.Sprintf("# %s; written by Kubernetes v1.36.3.\n%s", r.reason, strings.ReplaceAll(string(data), namespace, "shop"))
			require.NoError(t, os.MkdirAll(*record, 0o755))
			file := filepath.Join(*record, strings.ToLower(object.GetKind())+"-"+r.name+".yaml")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		})
	}
}

// parseResource reads group/version/resource.
func parseResource(t *testing.T, text string) schema.GroupVersionResource {
	t.Helper()
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	require.Len(t, parts, 3, text)
	return schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}
}

// equals tells whether the field has the value.
func equals(want any, path ...string) func(*unstructured.Unstructured) bool {
	return func(object *unstructured.Unstructured) bool {
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		return value == want
	}
}

// exists tells whether the field is there.
func exists(path ...string) func(*unstructured.Unstructured) bool {
	return func(object *unstructured.Unstructured) bool {
		_, found, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		return found
	}
}

// hasCondition tells whether the condition has the status.
func hasCondition(conditionType, status string) func(*unstructured.Unstructured) bool {
	return func(object *unstructured.Unstructured) bool {
		conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, item := range conditions {
			if condition, ok := item.(map[string]any); ok && condition["type"] == conditionType && condition["status"] == status {
				return true
			}
		}
		return false
	}
}
