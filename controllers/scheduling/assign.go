package scheduling

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// strategy is how replicas are shared out.
type strategy struct {
	// divided tells that every cluster gets a share, and not all replicas.
	divided bool
	// static tells that the shares follow given weights, and room does not matter.
	static bool
	// aggregated tells that as few clusters as possible are used.
	aggregated bool
	weights    []policyv1alpha1.StaticClusterWeight
}

func strategyOf(placement *policyv1alpha1.Placement) strategy {
	s := placement.ReplicaScheduling
	switch {
	case s == nil || s.ReplicaSchedulingType == policyv1alpha1.ReplicaSchedulingTypeDuplicated:
		return strategy{}
	case s.ReplicaDivisionPreference == policyv1alpha1.ReplicaDivisionPreferenceAggregated:
		return strategy{divided: true, aggregated: true}
	case s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "":
		return strategy{divided: true}
	case s.WeightPreference == nil:
		return strategy{divided: true, static: true}
	default:
		return strategy{divided: true, static: true, weights: s.WeightPreference.StaticWeightList}
	}
}

// needs returns for how many replicas there has to be room.
func (s strategy) needs(binding *workv1alpha2.ResourceBindingSpec) int64 {
	if !s.divided || s.static || len(binding.Components) > 0 {
		return 0
	}
	return int64(binding.Replicas)
}

// assign shares the object out over the clusters.
func assign(req Request, candidates []candidate, s strategy) ([]workv1alpha2.TargetCluster, error) {
	binding := req.Binding
	switch {
	case !binding.IsWorkload():
		return targets(candidates, func(int) int64 { return 0 }, true), nil
	case len(binding.Components) > 0:
		return assignComponents(binding, candidates)
	case !s.divided:
		return targets(candidates, func(int) int64 { return int64(binding.Replicas) }, true), nil
	case s.static:
		shares, err := staticShares(candidates, s.weights, int64(binding.Replicas))
		if err != nil {
			return nil, err
		}
		return targets(candidates, func(i int) int64 { return shares[i] }, binding.Replicas == 0), nil
	default:
		shares, err := roomShares(candidates, s.aggregated, int64(binding.Replicas), req.Fresh)
		if err != nil {
			return nil, err
		}
		return targets(candidates, func(i int) int64 { return shares[i] }, binding.Replicas == 0), nil
	}
}

// assignComponents gives the whole object to each cluster: components are not divided over clusters. Only where
// exactly one cluster is wanted does its room matter, and are the shares recorded.
func assignComponents(binding *workv1alpha2.ResourceBindingSpec, candidates []candidate) ([]workv1alpha2.TargetCluster, error) {
	out := targets(candidates, func(int) int64 { return 0 }, true)
	if !oneCluster(binding.Placement) {
		return out, nil
	}
	if c := candidates[0]; !c.placed && c.room < 1 {
		return nil, fmt.Errorf("%w: cluster %s has none for one set of the object's components", ErrNoRoom, c.cluster.Name)
	}
	if len(binding.Components) > 1 {
		for _, c := range binding.Components {
			out[0].Components = append(out[0].Components, workv1alpha2.TargetComponent{Name: c.Name, Replicas: c.Replicas})
		}
	}
	return out, nil
}

func oneCluster(placement *policyv1alpha1.Placement) bool {
	if placement == nil {
		return false
	}
	l, ok := limitsOf(placement.SpreadConstraints, policyv1alpha1.SpreadByFieldCluster)
	return ok && l.least == 1 && l.most == 1
}

// targets returns a target for each candidate, sorted by name; those without replicas only if empty.
func targets(candidates []candidate, replicas func(i int) int64, empty bool) []workv1alpha2.TargetCluster {
	out := make([]workv1alpha2.TargetCluster, 0, len(candidates))
	for i := range candidates {
		if n := replicas(i); n > 0 || empty {
			out = append(out, workv1alpha2.TargetCluster{Name: candidates[i].cluster.Name, Replicas: int32(n)}) //nolint:gosec // n is at most the binding's replicas, an int32
		}
	}
	slices.SortFunc(out, func(a, b workv1alpha2.TargetCluster) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// staticShares divides replicas by given weights. A cluster that several entries select has the greatest weight; one
// that none selects gets nothing; without entries all weigh the same.
func staticShares(candidates []candidate, weights []policyv1alpha1.StaticClusterWeight, replicas int64) ([]int64, error) {
	by := make([]int64, len(candidates))
	for i := range candidates {
		if len(weights) == 0 {
			by[i] = 1
		}
		for w := range weights {
			ok, err := selection.Cluster(&weights[w].TargetCluster, candidates[i].cluster)
			if err != nil {
				return nil, fmt.Errorf("staticWeightList[%d].targetCluster: %w", w, err)
			}
			if ok {
				by[i] = max(by[i], weights[w].Weight)
			}
		}
	}
	if !slices.ContainsFunc(by, func(w int64) bool { return w > 0 }) {
		// No entry selects any candidate: the list says nothing about them, and they weigh the same.
		for i := range by {
			by[i] = 1
		}
	}
	return divide(candidates, by, replicas), nil
}

// roomShares divides replicas by room. What is placed stays, unless fresh: scaling up divides only what is new, and
// scaling down takes from each in proportion. Aggregated uses as few clusters as have room enough, those that have
// replicas first. An overflow takes only what the affinities before it have no room for.
func roomShares(candidates []candidate, aggregated bool, replicas int64, fresh bool) ([]int64, error) {
	shares := make([]int64, len(candidates))
	var assigned int64
	for i := range candidates {
		shares[i] = candidates[i].current
		assigned += shares[i]
	}
	switch {
	case fresh:
		assigned = 0
		clear(shares)
	case assigned == replicas:
		return shares, nil
	case assigned > replicas:
		return divide(candidates, shares, replicas), nil
	}
	left := replicas - assigned
	by := make([]int64, len(candidates))
	var total int64
	for i := range candidates {
		by[i] = candidates[i].room
		if fresh {
			by[i] = candidates[i].capacity()
		}
		total += by[i]
	}
	if total < left {
		return nil, fmt.Errorf("%w: %d replicas to place, the %d clusters have room for %d", ErrNoRoom, left, len(candidates), total)
	}
	for tier := 0; left > 0; tier++ {
		room, sum := inTier(candidates, by, tier)
		take := min(left, sum)
		if aggregated {
			room = fewest(candidates, room, take)
		}
		for i, n := range divide(candidates, room, take) {
			shares[i] += n
		}
		left -= take
	}
	return shares, nil
}

// inTier returns the room of the clusters of one tier, the others' as 0, and its sum.
func inTier(candidates []candidate, room []int64, tier int) ([]int64, int64) {
	out := make([]int64, len(room))
	var sum int64
	for i := range candidates {
		if candidates[i].tier == tier {
			out[i] = room[i]
			sum += room[i]
		}
	}
	return out, sum
}

// fewest returns the room in as few clusters as have enough of it, the others 0.
func fewest(candidates []candidate, room []int64, want int64) []int64 {
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(prefer(candidates[a].current > 0, candidates[b].current > 0), cmp.Compare(room[b], room[a]))
	})
	out := make([]int64, len(room))
	for _, i := range order {
		if want <= 0 {
			break
		}
		out[i] = room[i]
		want -= room[i]
	}
	return out
}

// divide gives each candidate its share of n by weight: the whole part first, and what is left over one by one to the
// largest remainders; of equal ones, to the cluster that has more replicas now, then by name. No share is negative, and
// none exceeds its weight when n is at most their sum.
func divide(candidates []candidate, weights []int64, n int64) []int64 {
	var total uint64
	for _, w := range weights {
		total += uint64(w) //nolint:gosec // weights are never negative
	}
	shares := make([]int64, len(weights))
	if total == 0 || n <= 0 {
		return shares
	}
	type remainder struct {
		index int
		of    uint64
	}
	remainders := make([]remainder, len(weights))
	left := n
	for i, w := range weights {
		hi, lo := bits.Mul64(uint64(w), uint64(n)) //nolint:gosec // neither is negative
		whole, rest := bits.Div64(hi, lo, total)
		shares[i] = int64(whole) //nolint:gosec // at most n
		left -= shares[i]
		remainders[i] = remainder{i, rest}
	}
	slices.SortStableFunc(remainders, func(a, b remainder) int {
		return cmp.Or(cmp.Compare(b.of, a.of),
			cmp.Compare(candidates[b.index].current, candidates[a.index].current),
			cmp.Compare(candidates[a.index].cluster.Name, candidates[b.index].cluster.Name))
	})
	for _, r := range remainders[:left] {
		shares[r.index]++
	}
	return shares
}
