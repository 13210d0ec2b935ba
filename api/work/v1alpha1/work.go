package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Work is what one member cluster is to hold. It lives in the namespace of the cluster: see ExecutionNamespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=wk,categories={karmada-io}
// +kubebuilder:printcolumn:name="Workload-Kind",type=string,JSONPath=`.spec.workload.manifests[*].kind`
// +kubebuilder:printcolumn:name="Applied",type=string,JSONPath=`.status.conditions[?(@.type=="Applied")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Work struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the cluster is to hold.
	Spec WorkSpec `json:"spec"`

	// Status says what became of it.
	// +optional
	Status WorkStatus `json:"status,omitzero"`
}

// WorkList is a list of Work.
//
// +kubebuilder:object:root=true
type WorkList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Work `json:"items"`
}

// WorkSpec is what a cluster is to hold.
type WorkSpec struct {
	// Workload holds the objects.
	// +optional
	Workload WorkloadTemplate `json:"workload,omitzero"`

	// SuspendDispatching stops what is new from reaching the cluster. What is there stays.
	// +optional
	SuspendDispatching *bool `json:"suspendDispatching,omitempty"`

	// PreserveResourcesOnDeletion keeps the objects in the cluster when the Work is deleted.
	// +optional
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`
}

// WorkloadTemplate holds objects.
type WorkloadTemplate struct {
	// Manifests are the objects. The controllers write exactly one.
	// +optional
	// +listType=atomic
	Manifests []Manifest `json:"manifests,omitempty"`
}

// Manifest is an object of any kind. The CRD does not look into it, so that it is stored exactly as it was written.
//
// +kubebuilder:pruning:PreserveUnknownFields
type Manifest struct {
	runtime.RawExtension `json:",inline"`
}

// WorkStatus says what became of the objects.
type WorkStatus struct {
	// Conditions are Applied and Dispatching.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// ManifestStatuses are what the cluster reports about each object.
	// +optional
	// +listType=atomic
	ManifestStatuses []ManifestStatus `json:"manifestStatuses,omitempty"`
}

// Types of a Work's conditions.
const (
	// WorkApplied says whether the objects are applied in the cluster.
	WorkApplied = "Applied"
	// WorkDispatching is False while dispatching is suspended.
	WorkDispatching = "Dispatching"
	// WorkAvailable says whether the objects exist in the cluster. Declared, and written by nobody.
	WorkAvailable = "Available"
	// WorkProgressing says whether the objects are being applied. Declared, and written by nobody.
	WorkProgressing = "Progressing"
	// WorkDegraded says whether the objects are in the cluster, but not as they should be. Declared, and written by
	// nobody.
	WorkDegraded = "Degraded"
)

// Reasons of a Work's conditions.
const (
	// AppliedSuccessfulReason means that the objects are applied.
	AppliedSuccessfulReason = "AppliedSuccessful"
	// AppliedFailedReason means that at least one of them could not be.
	AppliedFailedReason = "AppliedFailed"
	// SuspendDispatchingReason means that SuspendDispatching is true.
	SuspendDispatchingReason = "SuspendDispatching"
	// DispatchingReason means that dispatching is not suspended.
	DispatchingReason = "Dispatching"
)

// ManifestStatus is what a cluster reports about an object.
type ManifestStatus struct {
	// Identifier names the object.
	Identifier ResourceIdentifier `json:"identifier"`

	// Status is the part of the object's status worth collecting. Nil when it has none.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Status *runtime.RawExtension `json:"status,omitempty"`

	// Health is the object's health.
	// +optional
	Health workv1alpha2.ResourceHealth `json:"health,omitempty"`
}

// ResourceIdentifier names an object in a Work.
type ResourceIdentifier struct {
	// Ordinal is the object's index in the manifests. It stays unique when the object does not exist.
	Ordinal int `json:"ordinal"`

	// Group is the object's API group.
	// +optional
	Group string `json:"group,omitempty"`

	// Version is the object's API version.
	Version string `json:"version"`

	// Kind is the object's kind.
	Kind string `json:"kind"`

	// Resource is the object's resource, the plural of its kind.
	Resource string `json:"resource"`

	// Namespace is the object's namespace, empty for a cluster-scoped one.
	// +optional
	Namespace string `json:"namespace"`

	// Name is the object's name.
	Name string `json:"name"`
}
