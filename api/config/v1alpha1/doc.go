// Package v1alpha1 holds the types with which users teach the interpreter about their resources:
// ResourceInterpreterCustomization (scripts), ResourceInterpreterWebhookConfiguration (remote interpreters) and
// ResourceInterpreterContext (the wire format between the two sides of such a webhook).
//
// Group, version, kinds and JSON names are those of Karmada, so that manifests and webhooks written for it work
// unchanged. What this project adds is optional everywhere and marked "Extension" in the field's comment.
//
// +kubebuilder:object:generate=true
// +groupName=config.karmada.io
package v1alpha1
