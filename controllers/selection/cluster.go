package selection

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Cluster tells whether affinity selects cluster: every part of it has to. Nil selects every cluster.
func Cluster(affinity *policyv1alpha1.ClusterAffinity, cluster *clusterv1alpha1.Cluster) (bool, error) {
	if affinity == nil {
		return true, nil
	}
	if slices.Contains(affinity.ExcludeClusters, cluster.Name) {
		return false, nil
	}
	if len(affinity.ClusterNames) > 0 && !slices.Contains(affinity.ClusterNames, cluster.Name) {
		return false, nil
	}
	if affinity.LabelSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(affinity.LabelSelector)
		if err != nil {
			return false, fmt.Errorf("labelSelector: %w", err)
		}
		if !selector.Matches(labels.Set(cluster.Labels)) {
			return false, nil
		}
	}
	if affinity.FieldSelector != nil {
		for i := range affinity.FieldSelector.MatchExpressions {
			ok, err := matchesField(&affinity.FieldSelector.MatchExpressions[i], cluster)
			if err != nil {
				return false, fmt.Errorf("fieldSelector.matchExpressions[%d]: %w", i, err)
			}
			if !ok {
				return false, nil
			}
		}
	}
	return true, nil
}

// Zones returns the zones of cluster: spec.zones, or the older spec.zone.
func Zones(cluster *clusterv1alpha1.Cluster) []string {
	if old := cluster.Spec.Zone; len(cluster.Spec.Zones) == 0 && old != "" { //nolint:staticcheck // users still write it
		return []string{old}
	}
	return cluster.Spec.Zones
}

// matchesField evaluates e on a field of cluster. Of several zones, In wants all among the values, NotIn none, as the
// peer has it.
func matchesField(e *corev1.NodeSelectorRequirement, cluster *clusterv1alpha1.Cluster) (bool, error) {
	var values []string
	switch e.Key {
	case "provider":
		values = nonEmpty(cluster.Spec.Provider)
	case "region":
		values = nonEmpty(cluster.Spec.Region)
	case "zone":
		values = Zones(cluster)
	default:
		return false, fmt.Errorf("key: want provider, region or zone, got %q", e.Key)
	}
	among := func(v string) bool { return slices.Contains(e.Values, v) }
	switch e.Operator {
	case corev1.NodeSelectorOpIn:
		return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !among(v) }), nil
	case corev1.NodeSelectorOpNotIn:
		return !slices.ContainsFunc(values, among), nil
	case corev1.NodeSelectorOpExists:
		return len(values) > 0, nil
	case corev1.NodeSelectorOpDoesNotExist:
		return len(values) == 0, nil
	default:
		return false, fmt.Errorf("operator: want In, NotIn, Exists or DoesNotExist, got %q", e.Operator)
	}
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
