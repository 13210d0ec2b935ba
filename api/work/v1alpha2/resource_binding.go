package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// ResourceBinding says where one namespaced object goes, and how it fares there. Its name is that of the object and its
// kind, in lower case: see BindingName.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Namespaced,shortName=rb,categories={karmada-io}
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="Scheduled")].status`
// +kubebuilder:printcolumn:name="FullyApplied",type=string,JSONPath=`.status.conditions[?(@.type=="FullyApplied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says where the object goes.
	Spec ResourceBindingSpec `json:"spec"`

	// Status says how it fares there.
	// +optional
	Status ResourceBindingStatus `json:"status,omitzero"`
}

// ResourceBindingList is a list of ResourceBinding.
//
// +kubebuilder:object:root=true
type ResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceBinding `json:"items"`
}

// ClusterResourceBinding says where one cluster-scoped object goes, and how it fares there.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Cluster,shortName=crb,categories={karmada-io}
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="Scheduled")].status`
// +kubebuilder:printcolumn:name="FullyApplied",type=string,JSONPath=`.status.conditions[?(@.type=="FullyApplied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterResourceBinding struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says where the object goes.
	Spec ResourceBindingSpec `json:"spec"`

	// Status says how it fares there.
	// +optional
	Status ResourceBindingStatus `json:"status,omitzero"`
}

// ClusterResourceBindingList is a list of ClusterResourceBinding.
//
// +kubebuilder:object:root=true
type ClusterResourceBindingList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterResourceBinding `json:"items"`
}

// ResourceBindingSpec says where one object goes. All but Clusters, RequiredBy and GracefulEvictionTasks follows from the
// object and its policy.
type ResourceBindingSpec struct {
	// Resource is the object.
	Resource ObjectReference `json:"resource"`

	// PropagateDeps makes the object's dependencies travel along.
	// +optional
	PropagateDeps bool `json:"propagateDeps,omitempty"`

	// ReplicaRequirements is what each replica needs.
	// +optional
	ReplicaRequirements *ReplicaRequirements `json:"replicaRequirements,omitempty"`

	// Replicas is the number of replicas. Not for an object with Components.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// Components are the pod templates of an object that has several.
	// +optional
	// +listType=map
	// +listMapKey=name
	Components []Component `json:"components,omitempty"`

	// Clusters are where the object goes, as the scheduler decided.
	// +optional
	// +listType=atomic
	Clusters []TargetCluster `json:"clusters,omitempty"`

	// Placement is what the scheduler decides by. Nil for an object that travels along with another.
	// +optional
	Placement *policyv1alpha1.Placement `json:"placement,omitempty"`

	// GracefulEvictionTasks are the clusters that the object leaves, each as long as it is still there.
	// +optional
	// +listType=atomic
	GracefulEvictionTasks []GracefulEvictionTask `json:"gracefulEvictionTasks,omitempty"`

	// RequiredBy are the bindings of the objects that this one travels along with. It goes where they go.
	// +optional
	// +listType=atomic
	RequiredBy []BindingSnapshot `json:"requiredBy,omitempty"`

	// SchedulerName is the scheduler that decides.
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`

	// Failover says when and how the object is moved away from a cluster.
	// +optional
	Failover *policyv1alpha1.FailoverBehavior `json:"failover,omitempty"`

	// ConflictResolution says what happens when the object exists in a member cluster already.
	// +optional
	// +kubebuilder:default=Abort
	ConflictResolution policyv1alpha1.ConflictResolution `json:"conflictResolution,omitempty"`

	// RescheduleTriggeredAt asks for the object to be scheduled anew: after LastScheduledTime, it has not been yet.
	// +optional
	RescheduleTriggeredAt *metav1.Time `json:"rescheduleTriggeredAt,omitempty"`

	// Suspension stops parts of the propagation for as long as it is set.
	// +optional
	Suspension *Suspension `json:"suspension,omitempty"`

	// PreserveResourcesOnDeletion keeps the object in the member clusters when its template is deleted.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`

	// SchedulePriority says how early the object is scheduled.
	// +optional
	SchedulePriority *SchedulePriority `json:"schedulePriority,omitempty"`

	// WorkloadAffinityGroups are the groups that the object is placed by.
	// +optional
	WorkloadAffinityGroups *WorkloadAffinityGroups `json:"workloadAffinityGroups,omitempty"`
}

// IsWorkload tells whether the object has replicas at all: a number of them, requirements or components.
func (s *ResourceBindingSpec) IsWorkload() bool {
	return s.Replicas > 0 || s.ReplicaRequirements != nil || len(s.Components) > 0
}

// ObjectReference names an object, and the state of it that was seen.
type ObjectReference struct {
	// APIVersion is the group and version of the object.
	APIVersion string `json:"apiVersion"`

	// Kind is the kind of the object.
	Kind string `json:"kind"`

	// Namespace is the namespace of the object.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name of the object.
	Name string `json:"name"`

	// UID is the UID of the object.
	// +optional
	UID types.UID `json:"uid,omitempty"`

	// ResourceVersion is that of the object when it was seen.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// GracefulEvictionTask is a cluster that an object leaves.
type GracefulEvictionTask struct {
	// FromCluster is the cluster.
	FromCluster string `json:"fromCluster"`

	// PurgeMode says what becomes of the object in the cluster.
	// +optional
	PurgeMode policyv1alpha1.PurgeMode `json:"purgeMode,omitempty"`

	// Replicas is how many replicas leave. Nil means all.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// Reason is a word for the cause.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// Message is the cause in words for a person.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// Producer is the controller that wants the object to leave.
	Producer string `json:"producer"`

	// GracePeriodSeconds is how long the object may still be there, at most.
	// +optional
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`

	// SuppressDeletion keeps the object in the cluster for as long as it is true, whatever else says.
	// +optional
	SuppressDeletion *bool `json:"suppressDeletion,omitempty"`

	// PreservedLabelState are the labels by which the object's state is handed on.
	// +optional
	PreservedLabelState map[string]string `json:"preservedLabelState,omitempty"`

	// CreationTimestamp is when the task began. Whoever writes the binding sets it.
	// +optional
	CreationTimestamp *metav1.Time `json:"creationTimestamp,omitempty"`

	// ClustersBeforeFailover are the clusters that the object was in when the task began.
	// +optional
	// +listType=atomic
	ClustersBeforeFailover []string `json:"clustersBeforeFailover,omitempty"`
}

// BindingSnapshot is what a binding said at one time.
type BindingSnapshot struct {
	// Namespace is the namespace of the binding.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name of the binding.
	Name string `json:"name"`

	// Clusters are where its object went.
	// +optional
	// +listType=atomic
	Clusters []TargetCluster `json:"clusters,omitempty"`
}

// Suspension stops parts of the propagation of an object.
type Suspension struct {
	policyv1alpha1.Suspension `json:",inline"`

	// Scheduling stops the scheduler from deciding.
	// +optional
	Scheduling *bool `json:"scheduling,omitempty"`
}

// SchedulePriority says how early an object is scheduled.
type SchedulePriority struct {
	// Priority is the priority: higher ones are scheduled first. Nil in the policy means 0.
	// +optional
	// +kubebuilder:default=0
	Priority int32 `json:"priority,omitempty"`
}

// WorkloadAffinityGroups are the groups that an object is placed by, each as "label key=label value".
type WorkloadAffinityGroups struct {
	// AffinityGroup is the group that the object is placed near.
	// +optional
	AffinityGroup string `json:"affinityGroup,omitempty"`

	// AntiAffinityGroup is the group that the object is placed apart from.
	// +optional
	AntiAffinityGroup string `json:"antiAffinityGroup,omitempty"`
}

// ResourceBindingStatus says how an object fares where it went.
type ResourceBindingStatus struct {
	// SchedulerObservedGeneration is the generation of the spec that the scheduler last decided on.
	// +optional
	SchedulerObservedGeneration int64 `json:"schedulerObservedGeneration,omitempty"`

	// SchedulerObservedAffinityName is the group of clusters that the scheduler chose.
	// +optional
	SchedulerObservedAffinityName string `json:"schedulerObservingAffinityName,omitempty"`

	// LastScheduledTime is when the scheduler last decided.
	// +optional
	LastScheduledTime *metav1.Time `json:"lastScheduledTime,omitempty"`

	// Conditions are Scheduled and FullyApplied.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// AggregatedStatus is what each cluster reports, sorted by its name.
	// +optional
	// +listType=atomic
	AggregatedStatus []AggregatedStatusItem `json:"aggregatedStatus,omitempty"`
}

// Types of a binding's conditions.
const (
	// Scheduled says whether the scheduler has decided.
	Scheduled = "Scheduled"
	// FullyApplied says whether the object is applied in every cluster that it goes to.
	FullyApplied = "FullyApplied"
)

// Reasons of the condition Scheduled.
const (
	// BindingReasonSuccess means that the scheduler has decided.
	BindingReasonSuccess = "Success"
	// BindingReasonSchedulerError means that the scheduler could not decide, and tries again.
	BindingReasonSchedulerError = "SchedulerError"
	// BindingReasonNoClusterFit means that no cluster is allowed by the placement.
	BindingReasonNoClusterFit = "NoClusterFit"
	// BindingReasonUnschedulable means that the clusters allowed by the placement have no room.
	BindingReasonUnschedulable = "Unschedulable"
	// BindingReasonQuotaExceeded means that a quota has no room.
	BindingReasonQuotaExceeded = "QuotaExceeded"
)

// Reasons of the condition FullyApplied.
const (
	// FullyAppliedSuccessReason means that the object is applied in every cluster that it goes to.
	FullyAppliedSuccessReason = "FullyAppliedSuccess"
	// FullyAppliedFailedReason means that it is not yet, or could not be, in at least one of them.
	FullyAppliedFailedReason = "FullyAppliedFailed"
)
