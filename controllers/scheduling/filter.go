package scheduling

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// candidate is a cluster that may take the object.
type candidate struct {
	cluster *clusterv1alpha1.Cluster
	// tier is the index of the affinity that selects it: 0, or that of the overflow from 1.
	tier int
	// placed tells that the object is there now, with current replicas.
	placed  bool
	current int64
	// room is for how many more replicas there is room, besides those that are there.
	room int64
}

// rejection is a cluster that may not, and why.
type rejection struct {
	cluster, reason string
}

// filter returns the clusters that may take the object, the best first: those that have it, then by room, then by
// name.
func filter(req Request, placement *policyv1alpha1.Placement, affinities []*policyv1alpha1.ClusterAffinity) ([]candidate, []rejection, error) {
	var candidates []candidate
	var rejected []rejection
	for _, cluster := range req.Clusters {
		c := candidate{cluster: cluster, tier: -1}
		for i, affinity := range affinities {
			ok, err := selection.Cluster(affinity, cluster)
			if err != nil {
				return nil, nil, fmt.Errorf("clusterAffinity: %w", err)
			}
			if ok {
				c.tier = i
				break
			}
		}
		if i := slices.IndexFunc(req.Binding.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster.Name }); i >= 0 {
			c.placed, c.current = true, int64(req.Binding.Clusters[i].Replicas)
		}
		if reason := unfit(req, placement, &c); reason != "" {
			rejected = append(rejected, rejection{cluster.Name, reason})
			continue
		}
		c.room = room(cluster, req.Binding)
		candidates = append(candidates, c)
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.tier, b.tier), prefer(a.placed, b.placed), cmp.Compare(b.room, a.room), cmp.Compare(a.cluster.Name, b.cluster.Name))
	})
	slices.SortFunc(rejected, func(a, b rejection) int {
		return cmp.Or(cmp.Compare(a.reason, b.reason), cmp.Compare(a.cluster, b.cluster))
	})
	return candidates, rejected, nil
}

// prefer orders true before false.
func prefer(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// unfit says why a cluster may not take the object; empty when it may.
func unfit(req Request, placement *policyv1alpha1.Placement, c *candidate) string {
	switch {
	case c.tier < 0:
		return "not selected by the placement"
	case c.cluster.DeletionTimestamp != nil:
		return "being removed"
	case slices.ContainsFunc(req.Binding.GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool {
		return t.FromCluster == c.cluster.Name
	}):
		return "being evicted from it"
	case !serves(c, req.Binding):
		return "does not serve " + gvkOf(&req.Binding.Resource).String()
	}
	if !c.placed {
		if taint := untolerated(c.cluster.Spec.Taints, placement.ClusterTolerations); taint != nil {
			return fmt.Sprintf("taint %s not tolerated", taint.ToString())
		}
	}
	for _, s := range placement.SpreadConstraints {
		if field := s.SpreadByField; field != "" && len(groupsOf(c.cluster, field)) == 0 {
			return "has no " + string(field)
		}
	}
	return ""
}

// serves tells whether the cluster serves the object's kind. When the list of what it serves is known to be incomplete,
// a cluster that has the object is taken to serve it.
func serves(c *candidate, binding *workv1alpha2.ResourceBindingSpec) bool {
	for i := range c.cluster.Status.APIEnablements {
		e := &c.cluster.Status.APIEnablements[i]
		if e.GroupVersion == binding.Resource.APIVersion && slices.ContainsFunc(e.Resources, func(r clusterv1alpha1.APIResource) bool {
			return r.Kind == binding.Resource.Kind
		}) {
			return true
		}
	}
	return c.placed && !meta.IsStatusConditionTrue(c.cluster.Status.Conditions, clusterv1alpha1.ClusterConditionCompleteAPIEnablements)
}

// untolerated returns a taint that keeps new objects away and is not tolerated, or nil.
func untolerated(taints []corev1.Taint, tolerations []corev1.Toleration) *corev1.Taint {
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		if !slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool { return tolerates(&t, taint) }) {
			return taint
		}
	}
	return nil
}

// tolerates is Kubernetes' rule: an empty key with Exists tolerates everything, an empty effect every effect.
func tolerates(t *corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case corev1.TolerationOpExists:
		return true
	case "", corev1.TolerationOpEqual:
		return t.Key != "" && t.Value == taint.Value
	default:
		return false
	}
}

// groupsOf returns the groups that a cluster belongs to by a field.
func groupsOf(cluster *clusterv1alpha1.Cluster, field policyv1alpha1.SpreadFieldValue) []string {
	one := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	switch field {
	case policyv1alpha1.SpreadByFieldRegion:
		return one(cluster.Spec.Region)
	case policyv1alpha1.SpreadByFieldProvider:
		return one(cluster.Spec.Provider)
	case policyv1alpha1.SpreadByFieldZone:
		return selection.Zones(cluster)
	case policyv1alpha1.SpreadByFieldCluster:
	}
	return []string{cluster.Name}
}
