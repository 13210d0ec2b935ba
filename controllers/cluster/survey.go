package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	resourcehelper "k8s.io/component-helpers/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// health says whether the cluster's API server answers, and says that it is healthy: the condition Ready.
func health(ctx context.Context, d discovery.DiscoveryInterface) (online, healthy bool, message string) {
	body, err := d.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	if err != nil {
		body, errLive := d.RESTClient().Get().AbsPath("/healthz").DoRaw(ctx)
		if errLive != nil {
			return false, false, fmt.Sprintf("the API server does not answer: %v", errLive)
		}
		return true, strings.TrimSpace(string(body)) == "ok", fmt.Sprintf("the API server is not ready: %v", err)
	}
	return true, true, "the API server says " + strings.TrimSpace(string(body))
}

// enablements returns what the cluster serves, sorted, and whether the list is complete.
func enablements(d discovery.DiscoveryInterface) ([]clusterv1alpha1.APIEnablement, bool, error) {
	_, lists, err := d.ServerGroupsAndResources()
	var failed *discovery.ErrGroupDiscoveryFailed
	complete := err == nil
	if err != nil && (!errors.As(err, &failed) || len(lists) == 0) {
		return nil, false, fmt.Errorf("discover what the cluster serves: %w", err)
	}
	var out []clusterv1alpha1.APIEnablement
	for _, list := range lists {
		e := clusterv1alpha1.APIEnablement{GroupVersion: list.GroupVersion}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "delete") {
				e.Resources = append(e.Resources, clusterv1alpha1.APIResource{Name: r.Name, Kind: r.Kind})
			}
		}
		if len(e.Resources) == 0 {
			continue
		}
		slices.SortFunc(e.Resources, func(a, b clusterv1alpha1.APIResource) int { return cmp.Compare(a.Name, b.Name) })
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b clusterv1alpha1.APIEnablement) int { return cmp.Compare(a.GroupVersion, b.GroupVersion) })
	return out, complete, nil
}

// page is how many objects are asked for at once.
const page = 500

// resources sums up what the cluster's nodes have and its pods ask for.
func resources(ctx context.Context, c kubernetes.Interface) (*clusterv1alpha1.NodeSummary, *clusterv1alpha1.ResourceSummary, error) {
	nodes := &clusterv1alpha1.NodeSummary{}
	summary := &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{}, Allocated: corev1.ResourceList{}, Allocating: corev1.ResourceList{}}
	for next := ""; ; {
		list, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: page, Continue: next, ResourceVersion: "0"})
		if err != nil {
			return nil, nil, fmt.Errorf("list Nodes: %w", err)
		}
		for i := range list.Items {
			node := &list.Items[i]
			nodes.TotalNum++
			if slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			}) {
				nodes.ReadyNum++
			}
			if !node.Spec.Unschedulable {
				add(summary.Allocatable, node.Status.Allocatable)
			}
		}
		if next = list.Continue; next == "" {
			break
		}
	}
	for next := ""; ; {
		list, err := c.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
			Limit: page, Continue: next, ResourceVersion: "0", FieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
		})
		if err != nil {
			return nil, nil, fmt.Errorf("list Pods: %w", err)
		}
		for i := range list.Items {
			pod := &list.Items[i]
			into := summary.Allocated
			if pod.Spec.NodeName == "" {
				into = summary.Allocating
			}
			add(into, resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}))
			add(into, corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(1, resource.DecimalSI)})
		}
		if next = list.Continue; next == "" {
			break
		}
	}
	return nodes, summary, nil
}

func add(into, more corev1.ResourceList) {
	for name, quantity := range more {
		sum := into[name]
		sum.Add(quantity)
		into[name] = sum
	}
}
