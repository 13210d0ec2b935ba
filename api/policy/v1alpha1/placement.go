package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Placement selects clusters and says how replicas are spread over them.
//
// +kubebuilder:validation:XValidation:rule="!has(self.clusterAffinity) || !has(self.clusterAffinities)",message="clusterAffinity and clusterAffinities must not both be set"
type Placement struct {
	// ClusterAffinity selects the clusters. Nil, without ClusterAffinities either, means every cluster.
	// +optional
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`

	// ClusterAffinities are groups of clusters, tried in order: the first in which the object can be scheduled is taken.
	// +optional
	// +listType=map
	// +listMapKey=affinityName
	ClusterAffinities []ClusterAffinityTerm `json:"clusterAffinities,omitempty"`

	// ClusterTolerations are the taints of clusters that are tolerated.
	// +optional
	// +listType=atomic
	ClusterTolerations []corev1.Toleration `json:"clusterTolerations,omitempty"`

	// SpreadConstraints say how many clusters, regions, zones or providers are used.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	SpreadConstraints []SpreadConstraint `json:"spreadConstraints,omitempty"`

	// ReplicaScheduling says how replicas are shared out. Nil means Duplicated.
	// +optional
	ReplicaScheduling *ReplicaSchedulingStrategy `json:"replicaScheduling,omitempty"`

	// WorkloadAffinity places objects near or apart from others.
	// +optional
	WorkloadAffinity *WorkloadAffinity `json:"workloadAffinity,omitempty"`
}

// ClusterAffinity selects clusters: those that every one of its parts allows. An empty one selects all.
type ClusterAffinity struct {
	// LabelSelector selects clusters by label.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// FieldSelector selects clusters by their provider, region and zone.
	// +optional
	FieldSelector *FieldSelector `json:"fieldSelector,omitempty"`

	// ClusterNames are the names of the clusters. Empty means that any name will do.
	// +optional
	// +listType=atomic
	ClusterNames []string `json:"clusterNames,omitempty"`

	// ExcludeClusters are the names of clusters that are not selected whatever the other parts say.
	// +optional
	// +listType=atomic
	ExcludeClusters []string `json:"exclude,omitempty"`
}

// ClusterAffinityTerm is a named group of clusters.
type ClusterAffinityTerm struct {
	// AffinityName is the name of the group. It differs from the others'.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	AffinityName string `json:"affinityName"`

	ClusterAffinity `json:",inline"`

	// OverflowAffinities are groups that take, in order, the replicas for which this one has no room.
	// +optional
	// +listType=map
	// +listMapKey=affinityName
	OverflowAffinities []OverflowAffinity `json:"overflowAffinities,omitempty"`
}

// OverflowAffinity is a named group of clusters that another one overflows to.
type OverflowAffinity struct {
	// AffinityName is the name of the group. It differs from the others'.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	AffinityName string `json:"affinityName"`

	ClusterAffinity `json:",inline"`
}

// FieldSelector selects clusters by fields of their spec.
type FieldSelector struct {
	// MatchExpressions must all hold. The keys are provider, region and zone.
	// +optional
	// +listType=atomic
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// SpreadConstraint says how many groups of clusters are used. Clusters that agree in a field, or in a label, are a group.
//
// +kubebuilder:validation:XValidation:rule="!has(self.spreadByField) || !has(self.spreadByLabel)",message="spreadByField and spreadByLabel must not both be set"
// +kubebuilder:validation:XValidation:rule="!has(self.maxGroups) || self.maxGroups == 0 || !has(self.minGroups) || self.minGroups <= self.maxGroups",message="maxGroups must not be less than minGroups"
type SpreadConstraint struct {
	// SpreadByField groups clusters by a field. Without SpreadByLabel either it means cluster.
	// +optional
	SpreadByField SpreadFieldValue `json:"spreadByField,omitempty"`

	// SpreadByLabel groups clusters by a label.
	// +optional
	SpreadByLabel string `json:"spreadByLabel,omitempty"`

	// MaxGroups is how many groups are used at most. Zero means no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxGroups int `json:"maxGroups,omitempty"`

	// MinGroups is how many groups are used at least. Zero means 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MinGroups int `json:"minGroups,omitempty"`
}

// SpreadFieldValue is a field of a cluster.
//
// +kubebuilder:validation:Enum=cluster;region;zone;provider
type SpreadFieldValue string

// The fields that clusters are grouped by.
const (
	SpreadByFieldCluster  SpreadFieldValue = "cluster"
	SpreadByFieldRegion   SpreadFieldValue = "region"
	SpreadByFieldZone     SpreadFieldValue = "zone"
	SpreadByFieldProvider SpreadFieldValue = "provider"
)

// ReplicaSchedulingStrategy says how replicas are shared out.
type ReplicaSchedulingStrategy struct {
	// ReplicaSchedulingType says whether every cluster gets all replicas or a share.
	// +optional
	// +kubebuilder:default=Divided
	ReplicaSchedulingType ReplicaSchedulingType `json:"replicaSchedulingType,omitempty"`

	// ReplicaDivisionPreference says how replicas are divided. Empty means Weighted. Only for Divided.
	// +optional
	ReplicaDivisionPreference ReplicaDivisionPreference `json:"replicaDivisionPreference,omitempty"`

	// WeightPreference gives the weights. Nil means that every cluster weighs the same. Only for Weighted.
	// +optional
	WeightPreference *ClusterPreferences `json:"weightPreference,omitempty"`
}

// ReplicaSchedulingType says what a cluster gets.
//
// +kubebuilder:validation:Enum=Duplicated;Divided
type ReplicaSchedulingType string

// The types of replica scheduling.
const (
	// ReplicaSchedulingTypeDuplicated gives all replicas to every cluster.
	ReplicaSchedulingTypeDuplicated ReplicaSchedulingType = "Duplicated"
	// ReplicaSchedulingTypeDivided gives a share to every cluster.
	ReplicaSchedulingTypeDivided ReplicaSchedulingType = "Divided"
)

// ReplicaDivisionPreference says how replicas are divided.
//
// +kubebuilder:validation:Enum=Aggregated;Weighted
type ReplicaDivisionPreference string

// The preferences of division.
const (
	// ReplicaDivisionPreferenceAggregated uses as few clusters as possible.
	ReplicaDivisionPreferenceAggregated ReplicaDivisionPreference = "Aggregated"
	// ReplicaDivisionPreferenceWeighted divides by weight.
	ReplicaDivisionPreferenceWeighted ReplicaDivisionPreference = "Weighted"
)

// ClusterPreferences are the weights of clusters.
type ClusterPreferences struct {
	// StaticWeightList gives weights to clusters. A cluster takes the greatest weight of the entries that select it; one
	// that none selects gets no replicas. When no entry selects any of the chosen clusters, all weigh the same.
	// +optional
	// +listType=atomic
	StaticWeightList []StaticClusterWeight `json:"staticWeightList,omitempty"`

	// DynamicWeight derives the weights from the clusters. If it is set StaticWeightList is ignored.
	// +optional
	DynamicWeight DynamicWeightFactor `json:"dynamicWeight,omitempty"`
}

// StaticClusterWeight gives a weight to clusters.
type StaticClusterWeight struct {
	// TargetCluster selects the clusters.
	TargetCluster ClusterAffinity `json:"targetCluster"`

	// Weight is the weight of each of them.
	// +kubebuilder:validation:Minimum=1
	Weight int64 `json:"weight"`
}

// DynamicWeightFactor is what weights are derived from.
//
// +kubebuilder:validation:Enum=AvailableReplicas
type DynamicWeightFactor string

// DynamicWeightByAvailableReplicas weighs a cluster by the number of replicas for which it has room.
const DynamicWeightByAvailableReplicas DynamicWeightFactor = "AvailableReplicas"

// WorkloadAffinity places objects near or apart from others. Objects of which a label has the same value are a group.
type WorkloadAffinity struct {
	// Affinity places an object in clusters that have the rest of its group.
	// +optional
	Affinity *WorkloadAffinityTerm `json:"affinity,omitempty"`

	// AntiAffinity places an object in clusters that have nothing of its group.
	// +optional
	AntiAffinity *WorkloadAffinityTerm `json:"antiAffinity,omitempty"`
}

// WorkloadAffinityTerm says what makes a group.
type WorkloadAffinityTerm struct {
	// GroupByLabelKey is the key of the label.
	// +kubebuilder:validation:MinLength=1
	GroupByLabelKey string `json:"groupByLabelKey"`
}
