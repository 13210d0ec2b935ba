package v1alpha2

import "k8s.io/apimachinery/pkg/runtime"

// AggregatedStatusItem is what one member cluster reports about an object.
type AggregatedStatusItem struct {
	// ClusterName is the member's name.
	ClusterName string `json:"clusterName"`

	// Status is the collected status; nil when the member has none.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Status *runtime.RawExtension `json:"status,omitempty"`

	// Applied tells whether the object is applied in the member.
	// +optional
	Applied bool `json:"applied,omitempty"`

	// AppliedMessage says why the object is not applied.
	// +optional
	AppliedMessage string `json:"appliedMessage,omitempty"`

	// Health is the object's health in the member.
	// +optional
	Health ResourceHealth `json:"health,omitempty"`
}

// ResourceHealth is the health of an object in a member cluster.
//
// +kubebuilder:validation:Enum=Healthy;Unhealthy;Unknown
type ResourceHealth string

// The healths.
const (
	ResourceHealthy   ResourceHealth = "Healthy"
	ResourceUnhealthy ResourceHealth = "Unhealthy"
	ResourceUnknown   ResourceHealth = "Unknown"
)

// TargetCluster is a cluster that an object is placed on.
type TargetCluster struct {
	// Name is the cluster's name.
	Name string `json:"name"`

	// Replicas is the cluster's share of the replicas.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// Components are the cluster's shares of an object with several components.
	// +optional
	Components []TargetComponent `json:"components,omitempty"`
}

// TargetComponent is a cluster's share of one component.
type TargetComponent struct {
	// Name is the component's name.
	Name string `json:"name"`

	// Replicas is the cluster's share of the component's replicas.
	Replicas int32 `json:"replicas"`
}
