package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// ResourceInterpreterContext is what travels between the two sides of an interpreter webhook: the caller sends one
// with a request, the webhook answers with one that has a response.
//
// +kubebuilder:object:root=true
type ResourceInterpreterContext struct {
	metav1.TypeMeta `json:",inline"`

	// Request is the question. Nil in an answer.
	// +optional
	Request *ResourceInterpreterRequest `json:"request,omitempty"`

	// Response is the answer. Nil in a question.
	// +optional
	Response *ResourceInterpreterResponse `json:"response,omitempty"`
}

// ResourceInterpreterRequest is one question about one object.
type ResourceInterpreterRequest struct {
	// UID identifies the question; the answer repeats it.
	UID types.UID `json:"uid"`

	// Kind is the kind of the object.
	Kind metav1.GroupVersionKind `json:"kind"`

	// Name is the name of the object.
	Name string `json:"name"`

	// Namespace is the namespace of the object, empty for a cluster-scoped one.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Operation is what is asked.
	Operation InterpreterOperation `json:"operation"`

	// Object is the object: the desired one of Retain, the template of AggregateStatus.
	Object runtime.RawExtension `json:"object"`

	// ObservedObject is the object in the member cluster. Only Retain has one.
	// +optional
	ObservedObject *runtime.RawExtension `json:"observedObject,omitempty"`

	// DesiredReplicas is the number of replicas that ReviseReplica asks for.
	// +optional
	DesiredReplicas *int32 `json:"replicas,omitempty"`

	// AggregatedStatus holds the members' results for AggregateStatus. Nil and empty differ: "no list" and "no members".
	// +optional
	AggregatedStatus []workv1alpha2.AggregatedStatusItem `json:"aggregatedStatus,omitzero"`

	// Cluster is the cluster that ReviseReplica and Retain are about. Extension.
	// +optional
	Cluster string `json:"cluster,omitempty"`

	// Targets are all clusters that the object is placed on, for ReviseReplica and Retain. Extension.
	// +optional
	Targets []workv1alpha2.TargetCluster `json:"targets,omitempty"`
}

// ResourceInterpreterResponse is the answer to a ResourceInterpreterRequest.
type ResourceInterpreterResponse struct {
	// UID is the one of the request.
	UID types.UID `json:"uid"`

	// Successful is false when the webhook could not answer; Status says why.
	Successful bool `json:"successful"`

	// Status is the reason of an unsuccessful answer.
	// +optional
	Status *RequestStatus `json:"status,omitempty"`

	// Patch changes the object that was sent (Retain: the desired one), for ReviseReplica, Retain and AggregateStatus.
	// +optional
	Patch []byte `json:"patch,omitempty"`

	// PatchType is the type of Patch: "JSONPatch" (RFC 6902).
	// +optional
	PatchType *PatchType `json:"patchType,omitempty"`

	// ReplicaRequirements is what each replica needs, for InterpretReplica.
	// +optional
	ReplicaRequirements *workv1alpha2.ReplicaRequirements `json:"replicaRequirements,omitempty"`

	// Replicas is the number of replicas, for InterpretReplica.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// Components are the object's pod templates, for InterpretComponent.
	// +optional
	Components []workv1alpha2.Component `json:"components,omitempty"`

	// Dependencies are the objects that must travel along, for InterpretDependency.
	// +optional
	Dependencies []DependentObjectReference `json:"dependencies,omitempty"`

	// RawStatus is the collected status, for InterpretStatus.
	// +optional
	RawStatus *runtime.RawExtension `json:"rawStatus,omitempty"`

	// Healthy is the answer to InterpretHealth.
	// +optional
	Healthy *bool `json:"healthy,omitempty"`

	// Health is the answer to InterpretHealth with its reason. It agrees with Healthy. Extension.
	// +optional
	Health *Health `json:"health,omitempty"`
}

// Health is a state and why it is so.
type Health struct {
	// State is one of Healthy, Progressing, Degraded, Suspended, Missing, Unknown.
	State string `json:"state"`

	// Message says why, in words for a person. It may be empty.
	// +optional
	Message string `json:"message,omitempty"`
}

// RequestStatus is the reason of an unsuccessful answer.
type RequestStatus struct {
	// Message says what went wrong.
	// +optional
	Message string `json:"message,omitempty"`

	// Code is an HTTP status code: 400 a malformed question, 422 an object that cannot be interpreted, 501 not handled.
	// +optional
	Code int32 `json:"code,omitempty"`

	// Reason is a machine-readable reason such as NotHandled. Extension.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// ReasonNotHandled is the RequestStatus reason of a webhook that has no rule for what it was asked (code 501).
const ReasonNotHandled = "NotHandled"

// PatchType is the type of a patch.
type PatchType string

// PatchTypeJSONPatch is RFC 6902.
const PatchTypeJSONPatch PatchType = "JSONPatch"

// DependentObjectReference names an object, or selects objects, that must travel with another one.
type DependentObjectReference struct {
	// APIVersion is the group and version of the dependency.
	APIVersion string `json:"apiVersion"`

	// Kind is the kind of the dependency.
	Kind string `json:"kind"`

	// Namespace is the namespace of the dependency; empty means the one of the object, or none.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Name is the name of the dependency. Either Name or LabelSelector is set.
	// +optional
	Name string `json:"name,omitempty"`

	// LabelSelector selects the dependencies by label. Either Name or LabelSelector is set.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}
