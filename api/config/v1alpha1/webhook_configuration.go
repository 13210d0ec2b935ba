package v1alpha1

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceInterpreterWebhookConfiguration names remote interpreters and the kinds and operations they answer.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=riwc,categories={karmada-io}
type ResourceInterpreterWebhookConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Webhooks are the remote interpreters.
	Webhooks []ResourceInterpreterWebhook `json:"webhooks"`
}

// ResourceInterpreterWebhookConfigurationList is a list of ResourceInterpreterWebhookConfiguration.
//
// +kubebuilder:object:root=true
type ResourceInterpreterWebhookConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceInterpreterWebhookConfiguration `json:"items"`
}

// ResourceInterpreterWebhook is one remote interpreter.
type ResourceInterpreterWebhook struct {
	// Name is the fully qualified name of the webhook, of at least three DNS segments.
	Name string `json:"name"`

	// ClientConfig says where the webhook is and how to trust it: exactly one of url and service.
	ClientConfig admissionregistrationv1.WebhookClientConfig `json:"clientConfig"`

	// Rules are the operations and kinds that the webhook is asked about.
	// +optional
	Rules []RuleWithOperations `json:"rules,omitempty"`

	// TimeoutSeconds bounds one call, from 1 to 30. Nil means 10.
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`

	// InterpreterContextVersions are the versions of ResourceInterpreterContext that the webhook understands, most
	// preferred first. The first that this side knows is used; v1alpha1 has to be among them.
	InterpreterContextVersions []string `json:"interpreterContextVersions"`

	// FailurePolicy says what a failed call means: Fail, an error; Ignore, the next link of the chain is asked.
	// Empty means Fail. Extension.
	// +optional
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`

	// ClientCertificate names a Secret of type kubernetes.io/tls whose certificate is shown to the webhook. Extension.
	// +optional
	ClientCertificate *SecretReference `json:"clientCertificate,omitempty"`
}

// FailurePolicy says what a failed call of a webhook means.
// +kubebuilder:validation:Enum=Fail;Ignore
type FailurePolicy string

// The failure policies.
const (
	Fail   FailurePolicy = "Fail"
	Ignore FailurePolicy = "Ignore"
)

// SecretReference names a Secret.
type SecretReference struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// RuleWithOperations selects operations of kinds. Every list takes "*", standing alone, for all.
type RuleWithOperations struct {
	// Operations are the operations that the webhook answers.
	Operations []InterpreterOperation `json:"operations"`

	// Rule selects the kinds.
	Rule `json:",inline"`
}

// Rule selects kinds by group, version and kind. "*", standing alone in a list, means all.
type Rule struct {
	APIGroups   []string `json:"apiGroups"`
	APIVersions []string `json:"apiVersions"`
	Kinds       []string `json:"kinds"`
}

// InterpreterOperation is the name of an operation as configuration and wire have it.
type InterpreterOperation string

// The operations, and the wildcard of RuleWithOperations.
const (
	InterpreterOperationAll                 InterpreterOperation = "*"
	InterpreterOperationInterpretReplica    InterpreterOperation = "InterpretReplica"
	InterpreterOperationInterpretComponent  InterpreterOperation = "InterpretComponent"
	InterpreterOperationReviseReplica       InterpreterOperation = "ReviseReplica"
	InterpreterOperationRetain              InterpreterOperation = "Retain"
	InterpreterOperationInterpretStatus     InterpreterOperation = "InterpretStatus"
	InterpreterOperationAggregateStatus     InterpreterOperation = "AggregateStatus"
	InterpreterOperationInterpretHealth     InterpreterOperation = "InterpretHealth"
	InterpreterOperationInterpretDependency InterpreterOperation = "InterpretDependency"
)
