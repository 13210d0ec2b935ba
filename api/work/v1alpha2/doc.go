// Package v1alpha2 holds the types that say where an object runs and what it needs there: replica requirements,
// components, target clusters and the statuses collected from members.
//
// Group, version, kinds and JSON names are those of Karmada (work.karmada.io/v1alpha2).
//
// +kubebuilder:object:generate=true
// +groupName=work.karmada.io
package v1alpha2
