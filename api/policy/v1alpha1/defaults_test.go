package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPropagationSpecDefaulted(t *testing.T) {
	for _, tc := range []struct {
		reason     string
		spec, want PropagationSpec
	}{
		{
			"an empty policy gets what the CRD would fill in, and no strategy",
			PropagationSpec{},
			PropagationSpec{},
		}, {
			"what is set stays",
			PropagationSpec{Priority: new(int32(3)), Preemption: PreemptAlways, SchedulerName: "other", ConflictResolution: ConflictOverwrite},
			PropagationSpec{Priority: new(int32(3)), Preemption: PreemptAlways, SchedulerName: "other", ConflictResolution: ConflictOverwrite},
		}, {
			"a ServiceImport brings its Service along",
			PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "multicluster.x-k8s.io/v1alpha1", Kind: "ServiceImport"}}},
			PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "multicluster.x-k8s.io/v1alpha1", Kind: "ServiceImport"}}, PropagateDeps: true},
		}, {
			"a ServiceImport of somebody else's does not",
			PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "example.com/v1", Kind: "ServiceImport"}}},
			PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "example.com/v1", Kind: "ServiceImport"}}},
		}, {
			"a given strategy is Divided, and Weighted",
			PropagationSpec{Placement: Placement{ReplicaScheduling: &ReplicaSchedulingStrategy{}}},
			PropagationSpec{Placement: Placement{ReplicaScheduling: &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: ReplicaDivisionPreferenceWeighted}}},
		}, {
			"Duplicated divides nothing",
			PropagationSpec{Placement: Placement{ReplicaScheduling: &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDuplicated}}},
			PropagationSpec{Placement: Placement{ReplicaScheduling: &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDuplicated}}},
		}, {
			"a constraint is by cluster unless it says otherwise, and asks for one group",
			PropagationSpec{Placement: Placement{SpreadConstraints: []SpreadConstraint{{}, {SpreadByLabel: "team"}, {SpreadByField: SpreadByFieldZone, MinGroups: 2}}}},
			PropagationSpec{Placement: Placement{SpreadConstraints: []SpreadConstraint{
				{SpreadByField: SpreadByFieldCluster, MinGroups: 1}, {SpreadByLabel: "team", MinGroups: 1}, {SpreadByField: SpreadByFieldZone, MinGroups: 2},
			}}},
		}, {
			"a graceful purge has ten minutes",
			PropagationSpec{Failover: &FailoverBehavior{Application: &ApplicationFailoverBehavior{}, Cluster: &ClusterFailoverBehavior{}}},
			PropagationSpec{Failover: &FailoverBehavior{
				Application: &ApplicationFailoverBehavior{
					DecisionConditions: DecisionConditions{TolerationSeconds: new(int32(300))},
					PurgeMode:          PurgeGracefully,
					GracePeriodSeconds: new(int32(600)),
				},
				Cluster: &ClusterFailoverBehavior{PurgeMode: PurgeGracefully},
			}},
		}, {
			"a direct purge has no time",
			PropagationSpec{Failover: &FailoverBehavior{Application: &ApplicationFailoverBehavior{PurgeMode: PurgeDirectly}}},
			PropagationSpec{Failover: &FailoverBehavior{Application: &ApplicationFailoverBehavior{
				DecisionConditions: DecisionConditions{TolerationSeconds: new(int32(300))}, PurgeMode: PurgeDirectly,
			}}},
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			before := tc.spec.DeepCopy()
			// These are the CRD's own: api/crds tests them.
			if tc.want.Priority == nil {
				tc.want.Priority = new(int32)
				tc.want.Preemption, tc.want.SchedulerName, tc.want.ConflictResolution = PreemptNever, "default-scheduler", ConflictAbort
			}
			got := tc.spec.Defaulted()
			assert.Equal(t, &tc.want, got)
			assert.Equal(t, got, got.Defaulted(), "defaulting twice is defaulting once")
			assert.Equal(t, before, &tc.spec, "the input is not modified")
		})
	}
}

func TestSelectorsLookInThePolicysNamespace(t *testing.T) {
	selectors := []ResourceSelector{{Kind: "ConfigMap"}, {Kind: "ConfigMap", Namespace: "other"}}
	want := []ResourceSelector{{Kind: "ConfigMap", Namespace: "default"}, {Kind: "ConfigMap", Namespace: "other"}}
	meta := metav1.ObjectMeta{Namespace: "default"}

	propagation := PropagationPolicy{ObjectMeta: meta, Spec: PropagationSpec{ResourceSelectors: selectors}}
	assert.Equal(t, want, propagation.Defaulted().Spec.ResourceSelectors)
	override := OverridePolicy{ObjectMeta: meta, Spec: OverrideSpec{ResourceSelectors: selectors}}
	assert.Equal(t, want, override.Defaulted().Spec.ResourceSelectors)
	cluster := ClusterPropagationPolicy{Spec: PropagationSpec{ResourceSelectors: selectors}}
	assert.Equal(t, selectors, cluster.Defaulted().Spec.ResourceSelectors, "a cluster-scoped policy looks in every namespace")
	assert.Empty(t, selectors[0].Namespace, "the input is not modified")
}
