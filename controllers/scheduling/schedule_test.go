package scheduling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
)

// member returns a cluster that serves Deployments and has room for so many pods of one CPU each.
func member(name string, room int64, edit ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: clusterv1alpha1.ClusterStatus{
			APIEnablements: []clusterv1alpha1.APIEnablement{
				{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
			},
			Conditions: []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionCompleteAPIEnablements, Status: metav1.ConditionTrue}},
			ResourceSummary: &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{
				"pods": *resource.NewQuantity(1000, resource.DecimalSI),
				"cpu":  *resource.NewQuantity(room+2, resource.DecimalSI),
			}, Allocated: corev1.ResourceList{"cpu": resource.MustParse("1500m")}, Allocating: corev1.ResourceList{"cpu": resource.MustParse("500m")}},
		},
	}
	for _, e := range edit {
		e(c)
	}
	return c
}

func in(region string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) { c.Spec.Region = region }
}

func tainted(key string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
	}
}

func servingNothing(c *clusterv1alpha1.Cluster) { c.Status.APIEnablements = nil }

// placement decodes a policy's placement with the defaults of its CRD.
func placement(t *testing.T, text string) *policyv1alpha1.Placement {
	t.Helper()
	var p policyv1alpha1.Placement
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &p))
	if s := p.ReplicaScheduling; s != nil && s.ReplicaSchedulingType == "" {
		s.ReplicaSchedulingType = policyv1alpha1.ReplicaSchedulingTypeDivided
	}
	return &p
}

// at returns targets from "m1=2 m2=0".
func at(t *testing.T, text string) []workv1alpha2.TargetCluster {
	t.Helper()
	var out []workv1alpha2.TargetCluster
	for field := range strings.FieldsSeq(text) {
		var target workv1alpha2.TargetCluster
		name, n, _ := strings.Cut(field, "=")
		_, err := fmt.Sscan(n, &target.Replicas)
		require.NoError(t, err)
		target.Name = name
		out = append(out, target)
	}
	return out
}

func text(targets []workv1alpha2.TargetCluster) string {
	var fields []string
	for _, target := range targets {
		fields = append(fields, fmt.Sprintf("%s=%d", target.Name, target.Replicas))
	}
	return strings.Join(fields, " ")
}

func TestSchedule(t *testing.T) {
	three := []*clusterv1alpha1.Cluster{member("m1", 10), member("m2", 20), member("m3", 30)}
	const (
		divided    = "replicaScheduling: {replicaSchedulingType: Divided}"
		dynamic    = "replicaScheduling: {replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}"
		aggregated = "replicaScheduling: {replicaDivisionPreference: Aggregated}"
		weights    = "replicaScheduling: {replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [m1]}, weight: 1}, {targetCluster: {clusterNames: [m2]}, weight: 2}]}}"
	)
	for _, tc := range []struct {
		reason    string
		clusters  []*clusterv1alpha1.Cluster
		placement string
		replicas  int32
		now       string
		fresh     bool
		observed  string
		notPods   bool
		want      string
		affinity  string
		err       string
	}{
		{reason: "without replicaScheduling every cluster gets all", placement: "{}", replicas: 3, want: "m1=3 m2=3 m3=3"},
		{reason: "something without replicas goes everywhere", placement: "{}", notPods: true, want: "m1=0 m2=0 m3=0"},
		{reason: "names select", placement: "clusterAffinity: {clusterNames: [m1, m3]}", replicas: 1, want: "m1=1 m3=1"},
		{reason: "exclusion wins over names", placement: "clusterAffinity: {clusterNames: [m1, m3], exclude: [m3]}", replicas: 1, want: "m1=1"},
		{
			reason: "nobody selected is an error that says so", placement: "clusterAffinity: {clusterNames: [m9]}", replicas: 1,
			err: "no cluster fits: not selected by the placement (m1, m2, m3)",
		},
		{reason: "divided without weights divides evenly", placement: divided, replicas: 6, want: "m1=2 m2=2 m3=2"},
		{reason: "what is left over goes by name", placement: divided, replicas: 7, want: "m1=3 m2=2 m3=2"},
		{reason: "what is left over stays where it is", placement: divided, replicas: 7, now: "m1=2 m2=2 m3=3", want: "m1=2 m2=2 m3=3"},
		{reason: "fewer replicas than clusters leaves clusters out", placement: divided, replicas: 1, want: "m1=1"},
		{reason: "weights; who is in no entry gets nothing", placement: weights, replicas: 9, want: "m1=3 m2=6"},
		{reason: "weights give the largest remainder the rest", placement: weights, replicas: 4, want: "m1=1 m2=3"},
		{reason: "weights do not ask for room", placement: weights, replicas: 900, want: "m1=300 m2=600"},
		{reason: "dynamic weight divides by room", placement: dynamic, replicas: 12, want: "m1=2 m2=4 m3=6"},
		{reason: "the right number of replicas is left alone", placement: dynamic, replicas: 6, now: "m1=6", want: "m1=6"},
		{reason: "scaling up divides only what is new", placement: dynamic, replicas: 12, now: "m1=6", want: "m1=7 m2=2 m3=3"},
		{reason: "scaling down takes in proportion", placement: dynamic, replicas: 6, now: "m1=8 m2=4", want: "m1=4 m2=2"},
		{reason: "a fresh decision forgets where replicas are", placement: dynamic, replicas: 12, now: "m1=12", fresh: true, want: "m1=4 m2=3 m3=5"},
		{
			reason: "no room is an error that counts", placement: dynamic, replicas: 61,
			err: "not enough room: 61 replicas to place, the 3 clusters have room for 60",
		},
		{reason: "aggregated takes the roomiest one", placement: aggregated, replicas: 12, want: "m3=12"},
		{reason: "aggregated takes as few as possible", placement: aggregated, replicas: 40, want: "m2=16 m3=24"},
		{reason: "aggregated scales up where it is", placement: aggregated, replicas: 8, now: "m1=4", want: "m1=8"},
		{reason: "scaling to nothing keeps the clusters", placement: divided, replicas: 0, want: "m1=0 m2=0 m3=0"},
		{
			reason: "a taint keeps new objects away", placement: "{}", replicas: 1,
			clusters: []*clusterv1alpha1.Cluster{member("m1", 1, tainted("gpu")), member("m2", 1)}, want: "m2=1",
		},
		{
			reason: "a taint does not send away what is there", placement: "{}", replicas: 1, now: "m1=1",
			clusters: []*clusterv1alpha1.Cluster{member("m1", 1, tainted("gpu")), member("m2", 1)}, want: "m1=1 m2=1",
		},
		{
			reason: "a toleration lets in", placement: "clusterTolerations: [{key: gpu, operator: Exists}]", replicas: 1,
			clusters: []*clusterv1alpha1.Cluster{member("m1", 1, tainted("gpu"))}, want: "m1=1",
		},
		{
			reason: "a cluster that does not serve the kind is left out", placement: "{}", replicas: 1,
			clusters: []*clusterv1alpha1.Cluster{member("m1", 1, servingNothing), member("m2", 1, tainted("a"))},
			err:      "no cluster fits: does not serve apps/v1, Kind=Deployment (m1); taint a:NoSchedule not tolerated (m2)",
		},
		{
			reason: "spread over at most two clusters prefers where it is", placement: "spreadConstraints: [{spreadByField: cluster, maxGroups: 2, minGroups: 1}]",
			replicas: 1, now: "m1=1", want: "m1=1 m3=1",
		},
		{
			reason: "spread over more clusters than there are", placement: "spreadConstraints: [{spreadByField: cluster, minGroups: 4}]", replicas: 1,
			err: "no cluster fits: want at least 4 clusters, 3 may take the object",
		},
		{
			reason:    "a cluster with too little room gives way to one with more",
			placement: "spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]\n" + dynamic, replicas: 25, now: "m1=5",
			want: "m3=25",
		},
		{
			reason: "one cluster in each of two regions", replicas: 1,
			placement: "spreadConstraints: [{spreadByField: region, minGroups: 2, maxGroups: 2}, {spreadByField: cluster, maxGroups: 2}]",
			clusters:  []*clusterv1alpha1.Cluster{member("m1", 9, in("east")), member("m2", 5, in("east")), member("m3", 1, in("west")), member("m4", 9)},
			want:      "m1=1 m3=1",
		},
		{
			reason: "too few regions", replicas: 1, placement: "spreadConstraints: [{spreadByField: region, minGroups: 2}]",
			clusters: []*clusterv1alpha1.Cluster{member("m1", 9, in("east")), member("m2", 5, in("east"))},
			err:      "no cluster fits: want clusters in at least 2 regions, there are 1",
		},
		{
			reason: "groups are tried in order", replicas: 3, want: "m2=3", affinity: "second",
			placement: "clusterAffinities: [{affinityName: first, clusterNames: [m9]}, {affinityName: second, clusterNames: [m2]}]",
		},
		{
			reason: "the observed group is tried first, and never an earlier one", replicas: 3, want: "m2=3", affinity: "second", observed: "second",
			placement: "clusterAffinities: [{affinityName: first, clusterNames: [m1]}, {affinityName: second, clusterNames: [m2]}]",
		},
		{
			reason: "an overflow takes what has no room", replicas: 15, want: "m1=10 m2=5", affinity: "own",
			placement: "clusterAffinities: [{affinityName: own, clusterNames: [m1], overflowAffinities: [{affinityName: cloud, clusterNames: [m2]}]}]\n" + aggregated,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if tc.clusters == nil {
				tc.clusters = three
			}
			binding := &workv1alpha2.ResourceBindingSpec{
				Resource:  workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
				Placement: placement(t, tc.placement),
				Clusters:  at(t, tc.now),
			}
			if !tc.notPods {
				binding.Replicas = tc.replicas
				binding.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1")}}
			}
			got, err := scheduling.Schedule(scheduling.Request{Binding: binding, Clusters: tc.clusters, Fresh: tc.fresh, ObservedAffinity: tc.observed})
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				assert.Empty(t, got.Clusters, "an error comes without a decision")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, text(got.Clusters))
			assert.Equal(t, tc.affinity, got.AffinityName)
		})
	}
}

func TestComponentsAreNotDivided(t *testing.T) {
	one := func(cpu string) *workv1alpha2.ComponentReplicaRequirements {
		return &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}
	}
	binding := &workv1alpha2.ResourceBindingSpec{
		Resource:  workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment"},
		Placement: placement(t, "spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]"),
		Components: []workv1alpha2.Component{
			{Name: "jobmanager", Replicas: 1, ReplicaRequirements: one("1")},
			{Name: "taskmanager", Replicas: 2, ReplicaRequirements: one("2")},
		},
	}
	req := scheduling.Request{Binding: binding, Clusters: []*clusterv1alpha1.Cluster{member("m1", 4), member("m2", 5)}}

	got, err := scheduling.Schedule(req)
	require.NoError(t, err)
	assert.Equal(t, []workv1alpha2.TargetCluster{{Name: "m2", Components: []workv1alpha2.TargetComponent{
		{Name: "jobmanager", Replicas: 1}, {Name: "taskmanager", Replicas: 2},
	}}}, got.Clusters)

	req.Clusters = req.Clusters[:1]
	_, err = scheduling.Schedule(req)
	require.ErrorIs(t, err, scheduling.ErrNoRoom)

	binding.Placement = placement(t, "{}")
	got, err = scheduling.Schedule(req)
	require.NoError(t, err, "where several clusters may take it, room does not matter")
	assert.Equal(t, "m1=0", text(got.Clusters))
}

func TestDecisionsAreStableAndComplete(t *testing.T) {
	clusters := []*clusterv1alpha1.Cluster{member("m1", 7), member("m2", 11), member("m3", 13)}
	for _, p := range []string{
		"replicaScheduling: {replicaSchedulingType: Divided}",
		"replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}",
		"replicaScheduling: {replicaDivisionPreference: Aggregated}",
	} {
		binding := &workv1alpha2.ResourceBindingSpec{
			Resource:            workv1alpha2.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment"},
			Placement:           placement(t, p),
			ReplicaRequirements: &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1")}},
		}
		for _, n := range []int32{1, 2, 5, 31, 30, 17, 3, 1, 0, 4} {
			binding.Replicas = n
			got, err := scheduling.Schedule(scheduling.Request{Binding: binding, Clusters: clusters})
			require.NoError(t, err)
			var sum int32
			for _, target := range got.Clusters {
				require.GreaterOrEqual(t, target.Replicas, int32(0))
				sum += target.Replicas
			}
			require.Equal(t, n, sum, "%s: every replica is placed once", p)
			binding.Clusters = got.Clusters
			again, err := scheduling.Schedule(scheduling.Request{Binding: binding, Clusters: clusters})
			require.NoError(t, err)
			require.Equal(t, got, again, "%s: a decision that holds is not changed", p)
		}
	}
}
