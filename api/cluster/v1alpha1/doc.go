// Package v1alpha1 holds Cluster, a member of the federation.
//
// Group, version, kind and JSON names are those of Karmada (cluster.karmada.io/v1alpha1); there it is served by an
// aggregated API server, here it is a CustomResourceDefinition.
//
// +kubebuilder:object:generate=true
// +groupName=cluster.karmada.io
package v1alpha1
