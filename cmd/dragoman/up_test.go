package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"
)

func TestDescribe(t *testing.T) {
	tests := []struct {
		reason        string
		before, after string
		want          string
	}{{
		reason: "a new object is worth a line",
		after:  "{kind: Deployment, metadata: {name: web, namespace: shop}, status: {replicas: 1}}",
		want:   "Deployment shop/web created",
	}, {
		reason: "cluster-scoped objects have no namespace",
		before: "{kind: ClusterRole, metadata: {name: admin}}",
		want:   "ClusterRole admin is gone",
	}, {
		reason: "finalizers keep an object for a while",
		before: "{kind: Job, metadata: {name: a, namespace: b}}",
		after:  `{kind: Job, metadata: {name: a, namespace: b, deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
		want:   "Job b/a is being deleted",
	}, {
		reason: "changes come first, then what is new, then what went",
		before: "{kind: Deployment, metadata: {name: web, namespace: shop}, status: {readyReplicas: 1, unavailableReplicas: 2}}",
		after:  "{kind: Deployment, metadata: {name: web, namespace: shop}, status: {readyReplicas: 3, availableReplicas: 3}}",
		want:   "Deployment shop/web: readyReplicas 1 → 3, availableReplicas 3, no unavailableReplicas",
	}, {
		reason: "conditions go by their type, without times",
		before: `{kind: Deployment, metadata: {name: web, namespace: shop}, status: {conditions: [{type: Available, status: "False", reason: None}]}}`,
		after: `{kind: Deployment, metadata: {name: web, namespace: shop}, status: {conditions: [
			{type: Available, status: "True", reason: Enough, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`,
		want: "Deployment shop/web: Available False (None) → True (Enough)",
	}, {
		reason: "a changed spec is the author's own doing",
		before: "{kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 1}, status: {replicas: 1}}",
		after:  "{kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 2}, status: {replicas: 1, observedGeneration: 2}}",
	}, {
		reason: "the owner speaks for what it controls",
		after:  "{kind: Pod, metadata: {name: p, namespace: shop, ownerReferences: [{kind: ReplicaSet, name: r, uid: u, apiVersion: apps/v1, controller: true}]}}",
	}, {
		reason: "system namespaces are the cluster's own affair",
		after:  "{kind: ConfigMap, metadata: {name: c, namespace: kube-system}}",
	}, {
		reason: "every namespace gets this one",
		after:  "{kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: shop}}",
	}, {
		reason: "many changes are cut",
		before: "{kind: A, metadata: {name: a}, status: {}}",
		after:  "{kind: A, metadata: {name: a}, status: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: [1, {name: x, value: 7}]}}",
		want:   "A a: a 1, b 2, c 3, d 4, e 5, and 4 more",
	}, {
		reason: "events tell what happened to an object",
		after:  "{kind: Event, metadata: {namespace: shop}, type: Normal, reason: Submit, message: \"Starting\\ndeployment\", involvedObject: {kind: FlinkDeployment, name: f, namespace: shop}}",
		want:   "FlinkDeployment shop/f: Submit: Starting deployment",
	}, {
		reason: "events about cluster-scoped objects are in the namespace default",
		after:  "{kind: Event, metadata: {namespace: default}, type: Normal, reason: Joined, message: hello, involvedObject: {kind: Cluster, name: member1}}",
		want:   "Cluster member1: Joined: hello",
	}, {
		reason: "long lists are left out",
		before: "{kind: Cluster, metadata: {name: a}, status: {}}",
		after:  "{kind: Cluster, metadata: {name: a}, status: {apis: [1, 2, 3, 4, 5, 6], version: v1}}",
		want:   "Cluster a: version v1",
	}, {
		reason: "the everyday life of Pods is left out",
		after:  "{kind: Event, metadata: {namespace: shop}, type: Normal, reason: Scheduled, involvedObject: {kind: Pod, name: p}}",
	}, {
		reason: "warnings are not left out",
		after:  "{kind: Event, metadata: {namespace: shop}, type: Warning, reason: FailedScheduling, message: no node, involvedObject: {kind: Pod, name: p, namespace: shop}}",
		want:   "Pod shop/p: FailedScheduling: no node",
	}, {
		reason: "old events are deleted after an hour",
		before: "{kind: Event, metadata: {namespace: shop}, type: Warning, reason: Old, involvedObject: {kind: Pod, name: p}}",
	}}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			assert.Equal(t, test.want, describe(parseObject(t, test.before), parseObject(t, test.after)))
		})
	}
}

func TestReplaceableKubeconfigs(t *testing.T) {
	require.NoError(t, replaceable(""))
	require.NoError(t, replaceable(filepath.Join(t.TempDir(), "new")))
	require.NoError(t, replaceable(writeKubeconfig(t, "https://127.0.0.1:1", "control-plane", "member1", "member12")), "an earlier federation's")
}

// parseObject parses an object; nil for an empty text.
func parseObject(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	if text == "" {
		return nil
	}
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
	return object
}

func TestToldResources(t *testing.T) {
	watchable := metav1.Verbs{"get", "list", "watch"}
	lists := []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "configmaps", Verbs: watchable}, {Name: "nodes", Verbs: watchable}, {Name: "bindings", Verbs: metav1.Verbs{"create"}},
		}},
		{GroupVersion: "coordination.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "leases", Verbs: watchable}}},
		{GroupVersion: "flink.apache.org/v1beta1", APIResources: []metav1.APIResource{{Name: "flinkdeployments", Verbs: watchable}}},
	}
	var names []string
	for _, resource := range told(lists) {
		names = append(names, resource.Resource)
	}
	assert.Equal(t, []string{"configmaps", "flinkdeployments"}, names)
}

func TestUpRefusesBadInput(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	require.NoError(t, os.WriteFile(broken, []byte("kind: ["), 0o600))
	own := writeKubeconfig(t, "https://127.0.0.1:1", "member1", "production")
	tests := []struct {
		reason string
		args   []string
		want   string
	}{
		{"a user's own kubeconfig is not replaced", []string{"--kubeconfig", own}, "has the context production"},
		{"what is no kubeconfig is not replaced", []string{"--kubeconfig", broken}, "no kubeconfig of a federation"},
		{"a kubeconfig that cannot be written is told at once", []string{"--kubeconfig", filepath.Join(own, "x", "y")}, "--kubeconfig: "},
		{"an argument without -- is a mistake", []string{"member1"}, "want no arguments"},
		{"an argument before -- is a mistake", []string{"member1", "--", "true"}, "want no arguments"},
		{"members are counted", []string{"--members", "51"}, "want 0 to 50 members"},
		{"members are not fewer than none", []string{"--members", "-1"}, "want 0 to 50 members"},
		{"a member needs a node", []string{"--nodes", "-1"}, "at least one node"},
		{"objects are read before anything is started", []string{"--apply", broken}, "broken.yaml"},
		{"a missing file is told", []string{"--apply", "does-not-exist.yaml"}, "does-not-exist.yaml"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			streams, _, _, errOut := genericiooptions.NewTestIOStreams()
			code := run(t.Context(), append([]string{"dragoman", "up"}, test.args...), streams)
			assert.Equal(t, exitUnusable, code)
			assert.Contains(t, errOut.String(), test.want)
		})
	}
}
