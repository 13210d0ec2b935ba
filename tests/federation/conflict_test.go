package federation

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const onlyMember1 = "{clusterAffinity: {clusterNames: [member1]}}"

// An object that a member has already is left alone, and the user is told how to take it over; then it is.
func TestConflict(t *testing.T) {
	ns := newNamespace(t)
	applyTo(t, member("member1"), ns, deployment("web", "theirs:1", 1))
	apply(t, ns, deployment("web", "ours:1", 1)+policy("web", "apps/v1", "Deployment", onlyMember1, ""))
	awaits(t, control(), bindings, ns, "web-deployment", "told that it is not applied", func(o *unstructured.Unstructured) error {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		for _, item := range items {
			if message, _ := item.(map[string]any)["appliedMessage"].(string); message != "" {
				assert.Contains(t, message, "conflictResolution: Overwrite")
				return nil
			}
		}
		return errors.New("nothing is told")
	})
	awaits(t, member("member1"), deployments, ns, "web", "left alone", image("theirs:1"))

	apply(t, ns, policy("web", "apps/v1", "Deployment", onlyMember1, "conflictResolution: Overwrite"))
	awaits(t, member("member1"), deployments, ns, "web", "taken over", image("ours:1"))
}

// With preserveResourcesOnDeletion the objects stay in the members when their template goes, without the federation's
// marks.
func TestPreserve(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", onlyMember1, "preserveResourcesOnDeletion: true"))
	awaits(t, control(), deployments, ns, "web", "aggregated", caughtUp)
	remove(t, control(), deployments, ns, "web")
	nothingLeft(t, ns)
	o, err := member("member1").Dynamic().Resource(deployments).Namespace(ns).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotContains(t, o.GetLabels(), "karmada.io/managed")
	assert.NotContains(t, o.GetAnnotations(), "work.karmada.io/name")
}

// A policy that goes lets go of its objects: they stay where they are.
func TestPolicyDeleted(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", onlyMember1, ""))
	awaits(t, control(), deployments, ns, "web", "aggregated", caughtUp)
	remove(t, control(), policies, ns, "web")
	awaits(t, control(), deployments, ns, "web", "released", func(o *unstructured.Unstructured) error {
		if _, claimed := o.GetLabels()["propagationpolicy.karmada.io/permanent-id"]; claimed {
			return errors.New("it is claimed")
		}
		return nil
	})
	awaits(t, member("member1"), deployments, ns, "web", "there", image("nginx:1"))
}

// Replicas follow the room of the members, in as few regions as the policy wants.
func TestSpreadByRegion(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 2)+policy("web", "apps/v1", "Deployment",
		"{spreadConstraints: [{spreadByField: region, minGroups: 1, maxGroups: 1}, {spreadByField: cluster, minGroups: 1, maxGroups: 1}], replicaScheduling: {replicaDivisionPreference: Aggregated}}", ""))
	b := awaits(t, control(), bindings, ns, "web-deployment", "scheduled", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Scheduled") != "True" {
			return errors.New("not yet")
		}
		return nil
	})
	targets, _, _ := unstructured.NestedSlice(b.Object, "spec", "clusters")
	require.Len(t, targets, 1)
	assert.Equal(t, int64(2), targets[0].(map[string]any)["replicas"])
}
