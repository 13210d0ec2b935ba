package federation

import (
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var nodes = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// accelerator is a resource that nobody else in these tests asks for.
const accelerator = "example.com/accelerator"

// equip gives a member's node accelerators, and waits until the control plane knows.
func equip(t *testing.T, name string, count int) {
	t.Helper()
	patch(t, member(name), nodes, "", name+"-node-1",
		fmt.Sprintf(`{"status":{"capacity":{%[1]q:"%[2]d"},"allocatable":{%[1]q:"%[2]d"}}}`, accelerator, count), "status")
	awaits(t, control(), clusterResource, "", name, "known to have accelerators", accelerators("allocatable", fmt.Sprint(count)))
}

// accelerators returns the condition of a Cluster that so many are allocatable or allocated there.
func accelerators(what, want string) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		if got, _, _ := unstructured.NestedString(o.Object, "status", "resourceSummary", what, accelerator); got != want {
			return fmt.Errorf("%q are %s, want %q", got, what, want)
		}
		return nil
	}
}

// accelerated returns the YAML of a Deployment whose replicas want one accelerator each.
func accelerated(name string, replicas int) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: main, image: "nginx:1", resources: {requests: {%[3]s: 1}, limits: {%[3]s: 1}}}]}
---
`, name, replicas, accelerator)
}

// shares returns the condition of a binding that its clusters have so many replicas each, and no others have any.
func shares(want map[string]int64) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", "clusters")
		got := map[string]int64{}
		for _, target := range list {
			m := target.(map[string]any)
			got[m["name"].(string)], _ = m["replicas"].(int64)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("clusters are %v, want %v: %v", got, want, o.Object["status"])
		}
		return nil
	}
}

// Members with nodes of different sizes: by dynamic weight replicas go in proportion to what is free, and Aggregated
// takes the member that has room for all, and a second one when the first is full. More than there is room for is told.
func TestRoom(t *testing.T) {
	ns := newNamespace(t)
	equip(t, "member1", 4)
	equip(t, "member2", 8)

	apply(t, ns, accelerated("weighted", 6)+policy("weighted", "apps/v1", "Deployment",
		"{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}}", ""))
	awaits(t, control(), bindings, ns, "weighted-deployment", "divided by what is free", shares(map[string]int64{"member1": 2, "member2": 4}))
	awaits(t, control(), deployments, ns, "weighted", "running", both(has("status.readyReplicas", int64(6)), caughtUp))
	remove(t, control(), deployments, ns, "weighted")
	for _, m := range []string{"member1", "member2"} {
		gone(t, member(m), deployments, ns, "weighted")
		awaits(t, control(), clusterResource, "", m, "free again", accelerators("allocated", ""))
	}

	apply(t, ns, policy("weighted", "apps/v1", "Deployment", "{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}", ""))
	apply(t, ns, accelerated("aggregated", 6))
	awaits(t, control(), bindings, ns, "aggregated-deployment", "in the member with room for all", shares(map[string]int64{"member2": 6}))
	awaits(t, control(), deployments, ns, "aggregated", "running", both(has("status.readyReplicas", int64(6)), caughtUp))
	awaits(t, control(), clusterResource, "", "member2", "nearly full", accelerators("allocated", "6"))
	patch(t, control(), deployments, ns, "aggregated", `{"spec":{"replicas":10}}`)
	awaits(t, control(), bindings, ns, "aggregated-deployment", "in two members", shares(map[string]int64{"member1": 3, "member2": 7}))
	awaits(t, control(), deployments, ns, "aggregated", "running", both(has("status.readyReplicas", int64(10)), caughtUp))

	patch(t, control(), deployments, ns, "aggregated", `{"spec":{"replicas":30}}`)
	awaits(t, control(), bindings, ns, "aggregated-deployment", "told that there is no room, and left where it is", both(
		shares(map[string]int64{"member1": 3, "member2": 7}),
		func(o *unstructured.Unstructured) error {
			conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
			for _, c := range conditions {
				if m := c.(map[string]any); m["type"] == "Scheduled" && m["status"] == "False" && m["reason"] == "Unschedulable" {
					return nil
				}
			}
			return errors.New("it is not told")
		}))
}
