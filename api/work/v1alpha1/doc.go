// Package v1alpha1 holds Work, the object that carries one manifest to one member cluster and brings its status back.
//
// Group, version, kind and JSON names are those of Karmada (work.karmada.io/v1alpha1). Its older versions of the
// bindings are not served here.
//
// +kubebuilder:object:generate=true
// +groupName=work.karmada.io
package v1alpha1
