package v1alpha2

import (
	corev1 "k8s.io/api/core/v1"
)

// ReplicaRequirements is what one replica of an object needs.
type ReplicaRequirements struct {
	// NodeClaim is what the replica asks of its node.
	// +optional
	NodeClaim *NodeClaim `json:"nodeClaim,omitempty"`

	// ResourceRequest is what the replica asks for of each resource.
	// +optional
	ResourceRequest corev1.ResourceList `json:"resourceRequest,omitempty"`

	// Namespace is the namespace whose quota the replica is charged to.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// PriorityClassName is the replica's priority class.
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// NodeClaim is what a replica asks of its node.
type NodeClaim struct {
	// HardNodeAffinity is the required node affinity.
	// +optional
	HardNodeAffinity *corev1.NodeSelector `json:"hardNodeAffinity,omitempty"`

	// NodeSelector holds the labels that the node must have.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations are the taints that the replica tolerates.
	// +optional
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Component is one pod template of an object that has several.
type Component struct {
	// Name identifies the component within its object.
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// Replicas is how many pods the component runs; at least 0.
	Replicas int32 `json:"replicas"`

	// ReplicaRequirements is what each of them needs.
	// +optional
	ReplicaRequirements *ComponentReplicaRequirements `json:"replicaRequirements,omitempty"`
}

// ComponentReplicaRequirements is what one replica of a component needs.
type ComponentReplicaRequirements struct {
	// NodeClaim is what the replica asks of its node.
	// +optional
	NodeClaim *NodeClaim `json:"nodeClaim,omitempty"`

	// ResourceRequest is what the replica asks for of each resource.
	// +optional
	ResourceRequest corev1.ResourceList `json:"resourceRequest,omitempty"`

	// PriorityClassName is the replica's priority class.
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`
}
