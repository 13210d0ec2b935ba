package v1alpha1

// FailoverBehavior says when and how an object is moved away from a cluster.
type FailoverBehavior struct {
	// Application moves an object that is unhealthy in a cluster. Nil means that its health moves nothing.
	// +optional
	Application *ApplicationFailoverBehavior `json:"application,omitempty"`

	// Cluster moves the objects of a cluster that is not ready.
	// +optional
	Cluster *ClusterFailoverBehavior `json:"cluster,omitempty"`
}

// ApplicationFailoverBehavior says when and how an unhealthy object is moved.
//
// +kubebuilder:validation:XValidation:rule="!has(self.gracePeriodSeconds) || !has(self.purgeMode) || self.purgeMode == 'Gracefully'",message="gracePeriodSeconds must be set with purgeMode Gracefully only"
type ApplicationFailoverBehavior struct {
	// DecisionConditions are what must hold before the object is moved.
	DecisionConditions DecisionConditions `json:"decisionConditions"`

	// PurgeMode says what becomes of the object in the cluster that it leaves.
	// +optional
	// +kubebuilder:default=Gracefully
	PurgeMode PurgeMode `json:"purgeMode,omitempty"`

	// GracePeriodSeconds is how long the object is kept in the cluster that it leaves, at most, when PurgeMode is
	// Gracefully. Nil means 600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`

	// StatePreservation says what of the object's status is handed on to where it goes.
	// +optional
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// ClusterFailoverBehavior says how the objects of a cluster that is not ready are moved.
type ClusterFailoverBehavior struct {
	// PurgeMode says what becomes of the objects in the cluster that they leave.
	// +optional
	// +kubebuilder:default=Gracefully
	PurgeMode PurgeMode `json:"purgeMode,omitempty"`

	// StatePreservation says what of the objects' statuses is handed on to where they go.
	// +optional
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions are what must hold before an unhealthy object is moved.
type DecisionConditions struct {
	// TolerationSeconds is how long the object must have been unhealthy.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=0
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// PurgeMode says what becomes of an object in the cluster that it leaves.
//
// +kubebuilder:validation:Enum=Directly;Gracefully;Never
type PurgeMode string

// The purge modes.
const (
	// PurgeDirectly deletes the object before it is created elsewhere.
	PurgeDirectly PurgeMode = "Directly"
	// PurgeGracefully deletes the object once it is healthy elsewhere, or the grace period is over.
	PurgeGracefully PurgeMode = "Gracefully"
	// PurgeNever leaves the object to its user.
	PurgeNever PurgeMode = "Never"
)

// StatePreservation says what of a status is handed on, as labels, to the cluster that an object moves to.
type StatePreservation struct {
	// Rules are the values that are handed on.
	// +listType=atomic
	Rules []StatePreservationRule `json:"rules"`
}

// StatePreservationRule hands on one value.
type StatePreservationRule struct {
	// AliasLabelName is the label that the value is put in.
	AliasLabelName string `json:"aliasLabelName"`

	// JSONPath finds the value in the status, in the notation of kubectl and without the outer braces.
	JSONPath string `json:"jsonPath"`
}
