package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PropagationPolicy says to which clusters the objects that it selects in its namespace are propagated.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=pp,categories={karmada-io}
// +kubebuilder:printcolumn:name="Conflict-Resolution",type=string,JSONPath=`.spec.conflictResolution`
// +kubebuilder:printcolumn:name="Priority",type=string,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type PropagationPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which objects go where.
	Spec PropagationSpec `json:"spec"`
}

// PropagationPolicyList is a list of PropagationPolicy.
//
// +kubebuilder:object:root=true
type PropagationPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PropagationPolicy `json:"items"`
}

// ClusterPropagationPolicy says to which clusters the objects that it selects, cluster-scoped or in any namespace, are
// propagated.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=cpp,categories={karmada-io}
// +kubebuilder:printcolumn:name="Conflict-Resolution",type=string,JSONPath=`.spec.conflictResolution`
// +kubebuilder:printcolumn:name="Priority",type=string,JSONPath=`.spec.priority`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterPropagationPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which objects go where.
	Spec PropagationSpec `json:"spec"`
}

// ClusterPropagationPolicyList is a list of ClusterPropagationPolicy.
//
// +kubebuilder:object:root=true
type ClusterPropagationPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterPropagationPolicy `json:"items"`
}

// PropagationSpec says which objects go where.
type PropagationSpec struct {
	// ResourceSelectors select the objects. An object that any of them selects is propagated.
	// +kubebuilder:validation:MinItems=1
	// +listType=atomic
	ResourceSelectors []ResourceSelector `json:"resourceSelectors"`

	// Association is an older name of PropagateDeps.
	//
	// Deprecated: it has no effect.
	// +optional
	Association bool `json:"association,omitempty"`

	// PropagateDeps makes the objects' dependencies travel along: ConfigMaps, Secrets and the like that they refer to.
	// +optional
	PropagateDeps bool `json:"propagateDeps,omitempty"`

	// Placement selects the clusters. Without one every cluster is selected.
	// +optional
	Placement Placement `json:"placement,omitzero"`

	// Priority decides between policies that select the same object: the higher one wins; of equal ones the one that
	// selects more specifically, by name before by label before by kind; then the one whose name sorts first.
	// +optional
	// +kubebuilder:default=0
	Priority *int32 `json:"priority,omitempty"`

	// Preemption says whether this policy takes over objects that a policy of lower priority has claimed.
	// +optional
	// +kubebuilder:default=Never
	Preemption PreemptionBehavior `json:"preemption,omitempty"`

	// DependentOverrides names override policies that must exist before anything is propagated.
	// +optional
	// +listType=atomic
	DependentOverrides []string `json:"dependentOverrides,omitempty"`

	// SchedulerName is the scheduler that chooses the clusters.
	// +optional
	// +kubebuilder:default=default-scheduler
	SchedulerName string `json:"schedulerName,omitempty"`

	// Failover says when and how an object is moved away from a cluster. Nil means never.
	// +optional
	Failover *FailoverBehavior `json:"failover,omitempty"`

	// ConflictResolution says what happens when an object exists in a member cluster already and is managed by nobody.
	// +optional
	// +kubebuilder:default=Abort
	ConflictResolution ConflictResolution `json:"conflictResolution,omitempty"`

	// ActivationPreference says when a change of this policy takes effect: Lazy, with the next change of each object.
	// Empty means at once.
	// +optional
	ActivationPreference ActivationPreference `json:"activationPreference,omitempty"`

	// Suspension stops parts of the propagation for as long as it is set.
	// +optional
	Suspension *Suspension `json:"suspension,omitempty"`

	// PreserveResourcesOnDeletion keeps the objects in the member clusters when their templates are deleted.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`

	// SchedulePriority says which objects are scheduled first.
	// +optional
	SchedulePriority *SchedulePriority `json:"schedulePriority,omitempty"`
}

// ResourceSelector selects objects of a kind: one by name, some by label, or, with neither, all of them.
type ResourceSelector struct {
	// APIVersion is the group and version of the kind.
	APIVersion string `json:"apiVersion"`

	// Kind is the kind.
	Kind string `json:"kind"`

	// Namespace is the namespace of the objects. Empty means the namespace of the policy, or, in a cluster-scoped
	// policy, every namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name of the one object. If it is set LabelSelector is ignored.
	// +optional
	Name string `json:"name,omitempty"`

	// LabelSelector selects the objects by label.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// PreemptionBehavior says whether a policy takes over what another has claimed.
//
// +kubebuilder:validation:Enum=Always;Never
type PreemptionBehavior string

// The preemption behaviors.
const (
	PreemptAlways PreemptionBehavior = "Always"
	PreemptNever  PreemptionBehavior = "Never"
)

// ConflictResolution says what happens to an object that exists in a member cluster already.
//
// +kubebuilder:validation:Enum=Abort;Overwrite
type ConflictResolution string

// The conflict resolutions.
const (
	// ConflictAbort leaves the existing object alone and reports the conflict.
	ConflictAbort ConflictResolution = "Abort"
	// ConflictOverwrite takes the existing object over.
	ConflictOverwrite ConflictResolution = "Overwrite"
)

// ActivationPreference says when a change of a policy takes effect.
//
// +kubebuilder:validation:Enum=Lazy
type ActivationPreference string

// LazyActivation lets a change of a policy take effect with the next change of each object.
const LazyActivation ActivationPreference = "Lazy"

// Suspension stops parts of the propagation.
type Suspension struct {
	// Dispatching stops what is new from reaching any cluster. What is there stays.
	// +optional
	Dispatching *bool `json:"dispatching,omitempty"`

	// DispatchingOnClusters stops what is new from reaching these clusters.
	// +optional
	DispatchingOnClusters *SuspendClusters `json:"dispatchingOnClusters,omitempty"`
}

// SuspendClusters names clusters.
type SuspendClusters struct {
	// ClusterNames are the names of the clusters.
	// +optional
	// +listType=atomic
	ClusterNames []string `json:"clusterNames,omitempty"`
}

// SchedulePriority says where the priority of scheduling comes from.
type SchedulePriority struct {
	// PriorityClassSource is the kind of class that PriorityClassName names.
	PriorityClassSource PriorityClassSource `json:"priorityClassSource"`

	// PriorityClassName is the name of the class.
	PriorityClassName string `json:"priorityClassName"`
}

// PriorityClassSource is a kind of priority class.
//
// +kubebuilder:validation:Enum=KubePriorityClass
type PriorityClassSource string

// KubePriorityClass is the PriorityClass of scheduling.k8s.io/v1.
const KubePriorityClass PriorityClassSource = "KubePriorityClass"
