package scheduling

import (
	"cmp"
	"fmt"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// limits is how many groups a spread constraint wants.
type limits struct {
	least, most int
}

func limitsOf(constraints []policyv1alpha1.SpreadConstraint, field policyv1alpha1.SpreadFieldValue) (limits, bool) {
	for _, s := range constraints {
		if s.SpreadByField == field || s.SpreadByField == "" && s.SpreadByLabel == "" && field == policyv1alpha1.SpreadByFieldCluster {
			l := limits{least: max(1, s.MinGroups), most: s.MaxGroups}
			if l.most == 0 {
				l.most = int(^uint(0) >> 1)
			}
			return l, true
		}
	}
	return limits{least: 1, most: int(^uint(0) >> 1)}, false
}

// choose returns those of candidates that the spread constraints leave, best first. needs is for how many replicas
// there has to be room in them together; 0 when room does not matter. Constraints by zone and provider only filter, as
// in the peer.
func choose(candidates []candidate, constraints []policyv1alpha1.SpreadConstraint, needs int64) ([]candidate, error) {
	clusters, _ := limitsOf(constraints, policyv1alpha1.SpreadByFieldCluster)
	if regions, ok := limitsOf(constraints, policyv1alpha1.SpreadByFieldRegion); ok {
		return chooseByRegion(candidates, regions, clusters, needs)
	}
	if len(candidates) < clusters.least {
		return nil, fmt.Errorf("%w: want at least %d clusters, %d may take the object", ErrNoClusterFits, clusters.least, len(candidates))
	}
	return best(candidates, clusters.most, needs), nil
}

// best returns the first n of candidates; when they have too little room together, the last of them give way to
// later ones that have more.
func best(candidates []candidate, n int, needs int64) []candidate {
	if n >= len(candidates) {
		return candidates
	}
	chosen, rest := slices.Clone(candidates[:n]), slices.Clone(candidates[n:])
	byRoom := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.capacity(), a.capacity()), cmp.Compare(a.cluster.Name, b.cluster.Name))
	}
	slices.SortStableFunc(rest, byRoom)
	for i := n - 1; i >= 0 && len(rest) > 0 && capacity(chosen) < needs; i-- {
		if rest[0].capacity() <= chosen[i].capacity() {
			continue
		}
		chosen[i], rest = rest[0], rest[1:]
	}
	return chosen
}

// capacity is the number of replicas that a cluster can have, those that are there included.
func (c *candidate) capacity() int64 { return c.current + c.room }

func capacity(candidates []candidate) int64 {
	var sum int64
	for i := range candidates {
		sum += candidates[i].capacity()
	}
	return sum
}

// region is the candidates of one region, best first.
type region struct {
	name    string
	members []candidate
}

// chooseByRegion takes the regions with the most placed clusters and room, as few as the limits and the room allow, and
// from each its best cluster; what the limit on clusters leaves goes to the best of the others.
func chooseByRegion(candidates []candidate, regions, clusters limits, needs int64) ([]candidate, error) {
	groups := group(candidates)
	if len(groups) < regions.least {
		return nil, fmt.Errorf("%w: want clusters in at least %d regions, there are %d", ErrNoClusterFits, regions.least, len(groups))
	}
	slices.SortStableFunc(groups, func(a, b region) int {
		return cmp.Or(cmp.Compare(placed(b.members), placed(a.members)), cmp.Compare(capacity(b.members), capacity(a.members)), cmp.Compare(a.name, b.name))
	})
	n := regions.least
	enough := func(taken []region) bool {
		var count int
		var sum int64
		for _, r := range taken {
			count += len(r.members)
			sum += capacity(r.members)
		}
		return count >= clusters.least && sum >= needs
	}
	for n < min(regions.most, len(groups), clusters.most) && !enough(groups[:n]) {
		n++
	}
	var chosen, rest []candidate
	for _, r := range groups[:n] {
		chosen = append(chosen, r.members[0])
		rest = append(rest, r.members[1:]...)
	}
	if len(chosen)+len(rest) < clusters.least {
		return nil, fmt.Errorf("%w: want at least %d clusters, the %d chosen regions have %d", ErrNoClusterFits, clusters.least, n, len(chosen)+len(rest))
	}
	if len(chosen) > clusters.most {
		return nil, fmt.Errorf("%w: want one cluster in each of %d regions, at most %d clusters are allowed", ErrNoClusterFits, n, clusters.most)
	}
	return append(chosen, best(rest, clusters.most-len(chosen), needs-capacity(chosen))...), nil
}

func placed(candidates []candidate) int {
	var n int
	for _, c := range candidates {
		if c.placed {
			n++
		}
	}
	return n
}

// group returns the candidates by region, in order of first appearance. Filtering left none without a region.
func group(candidates []candidate) []region {
	var groups []region
	for _, c := range candidates {
		name := c.cluster.Spec.Region
		i := slices.IndexFunc(groups, func(r region) bool { return r.name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, region{name: name})
		}
		groups[i].members = append(groups[i].members, c)
	}
	return groups
}
