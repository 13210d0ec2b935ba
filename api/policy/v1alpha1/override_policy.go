package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OverridePolicy says how the objects that it selects in its namespace differ from cluster to cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=op,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type OverridePolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is changed, and where.
	Spec OverrideSpec `json:"spec"`
}

// OverridePolicyList is a list of OverridePolicy.
//
// +kubebuilder:object:root=true
type OverridePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OverridePolicy `json:"items"`
}

// ClusterOverridePolicy says how the objects that it selects, cluster-scoped or in any namespace, differ from cluster to
// cluster. It is applied before every OverridePolicy.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=cop,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterOverridePolicy struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is changed, and where.
	Spec OverrideSpec `json:"spec"`
}

// ClusterOverridePolicyList is a list of ClusterOverridePolicy.
//
// +kubebuilder:object:root=true
type ClusterOverridePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterOverridePolicy `json:"items"`
}

// OverrideSpec says what is changed, and where.
//
// +kubebuilder:validation:XValidation:rule="!has(self.overrideRules) || self.overrideRules.size() == 0 || !has(self.targetCluster)",message="overrideRules and the deprecated targetCluster must not both be set"
// +kubebuilder:validation:XValidation:rule="!has(self.overrideRules) || self.overrideRules.size() == 0 || !has(self.overriders) || !(has(self.overriders.plaintext) || has(self.overriders.imageOverrider) || has(self.overriders.commandOverrider) || has(self.overriders.argsOverrider) || has(self.overriders.labelsOverrider) || has(self.overriders.annotationsOverrider) || has(self.overriders.fieldOverrider))",message="overrideRules and the deprecated overriders must not both be set"
type OverrideSpec struct {
	// ResourceSelectors select the objects. Empty means all that are propagated.
	// +optional
	// +listType=atomic
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`

	// OverrideRules are the changes, applied in order.
	// +optional
	// +listType=atomic
	OverrideRules []RuleWithCluster `json:"overrideRules,omitempty"`

	// TargetCluster selects the clusters that Overriders are for. Nil means every cluster.
	//
	// Deprecated: use OverrideRules.
	// +optional
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`

	// Overriders are the changes.
	//
	// Deprecated: use OverrideRules.
	// +optional
	Overriders Overriders `json:"overriders,omitzero"`
}

// RuleWithCluster changes objects in some clusters.
type RuleWithCluster struct {
	// TargetCluster selects the clusters. Nil means every cluster.
	// +optional
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`

	// Overriders are the changes.
	Overriders Overriders `json:"overriders"`
}
