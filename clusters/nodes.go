package clusters

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	nodeResource           = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	serviceAccountResource = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

// createNodes makes the simulated nodes of a member where they are missing, and waits until all are ready to be scheduled to.
func (c *Cluster) createNodes(ctx context.Context, count int) error {
	for i := range count {
		node := c.node(i + 1)
		_, err := c.dynamic.Resource(nodeResource).Create(ctx, node, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create node %s in %s: %w", node.GetName(), c.Name, err)
		}
	}
	err := poll(ctx, func(ctx context.Context) error {
		nodes, err := c.dynamic.Resource(nodeResource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, node := range nodes.Items {
			if taints, _, _ := unstructured.NestedSlice(node.Object, "spec", "taints"); len(taints) > 0 {
				return fmt.Errorf("node %s is not ready yet", node.GetName())
			}
		}
		// Pods are refused until their namespace has its default service account.
		_, err = c.dynamic.Resource(serviceAccountResource).Namespace(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("wait for the nodes of %s: %w", c.Name, err)
	}
	return nil
}

// node returns a simulated node: 32 CPUs, 128 GiB, in one of three zones.
func (c *Cluster) node(number int) *unstructured.Unstructured {
	name := fmt.Sprintf("%s-node-%d", c.Name, number)
	resources := map[string]any{"cpu": "32", "memory": "128Gi", "ephemeral-storage": "500Gi", "pods": "110"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": map[string]any{
			"name":        name,
			"annotations": map[string]any{"kwok.x-k8s.io/node": "fake"},
			"labels": map[string]any{
				"kubernetes.io/arch":            "amd64",
				"kubernetes.io/hostname":        name,
				"kubernetes.io/os":              "linux",
				"node.kubernetes.io/type":       "simulated",
				"topology.kubernetes.io/region": c.Name,
				"topology.kubernetes.io/zone":   fmt.Sprintf("%s-%c", c.Name, 'a'+rune((number-1)%3)),
			},
		},
		"spec": map[string]any{},
		"status": map[string]any{
			"capacity":    resources,
			"allocatable": resources,
			"addresses": []any{
				map[string]any{"type": "InternalIP", "address": fmt.Sprintf("10.%d.%d.%d", 146+c.number%50, number/250, 1+number%250)},
				map[string]any{"type": "Hostname", "address": name},
			},
			"nodeInfo": map[string]any{
				"architecture": "amd64", "operatingSystem": "linux", "osImage": "simulated", "kernelVersion": "simulated",
				"containerRuntimeVersion": "kwok://0.7.0", "kubeletVersion": KubernetesVersion, "kubeProxyVersion": "",
				"machineID": name, "systemUUID": name, "bootID": name,
			},
		},
	}}
}
