package scheduling

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var (
	// ErrNoClusterFits is the cause of an error when no cluster may take the object.
	ErrNoClusterFits = errors.New("no cluster fits")
	// ErrNoRoom is the cause of an error when clusters may take the object, and have no room for its replicas.
	ErrNoRoom = errors.New("not enough room")
)

// Request is what a decision is made from. It is only read.
type Request struct {
	// Binding is the object's binding. Its Clusters are the decision in force.
	Binding *workv1alpha2.ResourceBindingSpec
	// Clusters are all clusters there are.
	Clusters []*clusterv1alpha1.Cluster
	// ObservedAffinity is the name of the affinity group of the decision in force; empty for none.
	ObservedAffinity string
	// Fresh asks for replicas to be divided anew, without regard to where they are.
	Fresh bool
}

// Decision is where an object goes.
type Decision struct {
	// Clusters are the targets, sorted by name.
	Clusters []workv1alpha2.TargetCluster
	// AffinityName is the affinity group that was chosen; empty when the placement has no groups.
	AffinityName string
}

// Schedule decides. A placement with affinity groups takes the first group, from the observed one on, in which the
// object can be scheduled; the error is then that of every group. Errors satisfy errors.Is for ErrNoClusterFits or
// ErrNoRoom and say which clusters were turned down and why.
func Schedule(req Request) (Decision, error) {
	placement := req.Binding.Placement
	if placement == nil {
		placement = &policyv1alpha1.Placement{}
	}
	if len(placement.ClusterAffinities) == 0 {
		clusters, err := scheduleOver(req, placement, placement.ClusterAffinity, nil)
		return Decision{Clusters: clusters}, err
	}
	start := max(0, slices.IndexFunc(placement.ClusterAffinities, func(t policyv1alpha1.ClusterAffinityTerm) bool {
		return t.AffinityName == req.ObservedAffinity
	}))
	var errs []error
	for i := range placement.ClusterAffinities[start:] {
		term := &placement.ClusterAffinities[start+i]
		clusters, err := scheduleOver(req, placement, &term.ClusterAffinity, term.OverflowAffinities)
		if err == nil {
			return Decision{Clusters: clusters, AffinityName: term.AffinityName}, nil
		}
		errs = append(errs, fmt.Errorf("affinity %q: %w", term.AffinityName, err))
	}
	return Decision{}, errors.Join(errs...)
}

// scheduleOver decides within one affinity, growing it by its overflows, in order, while there is no room.
func scheduleOver(req Request, placement *policyv1alpha1.Placement, affinity *policyv1alpha1.ClusterAffinity, overflow []policyv1alpha1.OverflowAffinity) ([]workv1alpha2.TargetCluster, error) {
	affinities := []*policyv1alpha1.ClusterAffinity{affinity}
	for {
		clusters, err := scheduleIn(req, placement, affinities)
		if err == nil || len(overflow) == 0 || !req.Binding.IsWorkload() {
			return clusters, err
		}
		affinities = append(affinities, &overflow[0].ClusterAffinity)
		overflow = overflow[1:]
	}
}

func scheduleIn(req Request, placement *policyv1alpha1.Placement, affinities []*policyv1alpha1.ClusterAffinity) ([]workv1alpha2.TargetCluster, error) {
	candidates, rejected, err := filter(req, placement, affinities)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoClusterFits, explain(rejected))
	}
	strategy := strategyOf(placement)
	if !strategy.static {
		if candidates, err = choose(candidates, placement.SpreadConstraints, strategy.needs(req.Binding)); err != nil {
			return nil, err
		}
	}
	return assign(req, candidates, strategy)
}

func gvkOf(ref *workv1alpha2.ObjectReference) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
}

// explain lists why clusters were turned down: the same reason once, with the clusters it is about.
func explain(rejected []rejection) string {
	if len(rejected) == 0 {
		return "there are no clusters"
	}
	var reasons []string
	clusters := map[string][]string{}
	for _, r := range rejected {
		if _, ok := clusters[r.reason]; !ok {
			reasons = append(reasons, r.reason)
		}
		clusters[r.reason] = append(clusters[r.reason], r.cluster)
	}
	for i, reason := range reasons {
		names := clusters[reason]
		if len(names) > 5 {
			names = append(names[:5:5], fmt.Sprintf("%d more", len(names)-5))
		}
		reasons[i] = fmt.Sprintf("%s (%s)", reason, strings.Join(names, ", "))
	}
	return strings.Join(reasons, "; ")
}
