// Package v1alpha1 holds the types with which users say where their objects go and how they differ there:
// PropagationPolicy and OverridePolicy, and their cluster-scoped siblings.
//
// Group, version, kinds and JSON names are those of Karmada (policy.karmada.io/v1alpha1), so that policies written for
// it work unchanged. Defaults that depend on nothing else are in the CRD; the others are filled in when a policy is read:
// see PropagationPolicy.Defaulted and OverridePolicy.Defaulted.
//
// +kubebuilder:object:generate=true
// +groupName=policy.karmada.io
package v1alpha1
