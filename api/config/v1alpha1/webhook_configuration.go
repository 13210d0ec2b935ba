package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceInterpreterWebhookConfiguration names remote interpreters and the kinds and operations they answer.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=riwc,categories={karmada-io}
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourceInterpreterWebhookConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Webhooks are the remote interpreters. Their names differ.
	// +kubebuilder:validation:MaxItems=100
	// +listType=map
	// +listMapKey=name
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
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$')",message="must be a DNS name with at least three segments, such as workloads.interpreter.example.com"
	Name string `json:"name"`

	// ClientConfig says where the webhook is and how to trust it.
	ClientConfig WebhookClientConfig `json:"clientConfig"`

	// Rules are the operations and kinds that the webhook is asked about. Without any it is never asked.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	// +listType=atomic
	Rules []RuleWithOperations `json:"rules,omitempty"`

	// TimeoutSeconds bounds one call, from 1 to 30. Nil means 10.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`

	// InterpreterContextVersions are the versions of ResourceInterpreterContext that the webhook understands, most
	// preferred first. The first that this side knows is used; v1alpha1 has to be among them.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="'v1alpha1' in self",message="must include v1alpha1"
	// +kubebuilder:validation:XValidation:rule="self.all(v, self.exists_one(w, w == v))",message="must not name a version twice"
	// +listType=atomic
	InterpreterContextVersions []string `json:"interpreterContextVersions"`

	// FailurePolicy says what a failed call means: Fail, an error; Ignore, the next link of the chain is asked.
	// Empty means Fail. Extension.
	// +optional
	// +kubebuilder:default=Fail
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`

	// ClientCertificate names a Secret of type kubernetes.io/tls whose certificate is shown to the webhook. Extension.
	// +optional
	ClientCertificate *SecretReference `json:"clientCertificate,omitempty"`
}

// WebhookClientConfig says where a webhook is and how to trust it. Its JSON is that of the type of the same name in
// admissionregistration.k8s.io/v1; a type of our own is what lets the CRD bound and validate it.
//
// +kubebuilder:validation:XValidation:rule="has(self.url) != has(self.service)",message="exactly one of url and service must be set"
type WebhookClientConfig struct {
	// URL is where the webhook is, in the form https://host[/path], without user information, query and fragment.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="isURL(self) && self.matches('(?i)^https://[^/?#@:][^/?#@]*(/[^?#]*)?$')",message="must have the form https://host[/path], without user information, query and fragment"
	URL *string `json:"url,omitempty"`

	// Service is the Service in front of the webhook. It is asked for as name.namespace.svc.
	// +optional
	Service *ServiceReference `json:"service,omitempty"`

	// CABundle holds the PEM certificates of the authorities that may have signed the webhook's certificate. Without it
	// those of the system are trusted.
	// +optional
	CABundle []byte `json:"caBundle,omitempty"`
}

// ServiceReference names a port and a path of a Service.
type ServiceReference struct {
	// Namespace is the namespace of the Service.
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`

	// Name is the name of the Service.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Path is the path of the URL that requests are sent to: empty, or absolute with DNS names as segments.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^/?$|^(/[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)+/?$')",message="must be absolute, and each segment a DNS name"
	Path *string `json:"path,omitempty"`

	// Port is the port of the Service, from 1 to 65535. Nil means 443.
	// +optional
	// +kubebuilder:default=443
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`
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
	// Namespace is the namespace of the Secret.
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`

	// Name is the name of the Secret.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// RuleWithOperations selects operations of kinds. Every list takes "*", standing alone, for all.
type RuleWithOperations struct {
	// Operations are the operations that the webhook answers.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="size(self) == 1 || !('*' in self)",message="* must stand alone"
	// +listType=atomic
	Operations []InterpreterOperation `json:"operations"`

	// Rule selects the kinds.
	Rule `json:",inline"`
}

// Rule selects kinds by group, version and kind. "*", standing alone in a list, means all.
type Rule struct {
	// APIGroups are the groups. "" is the core group.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="size(self) == 1 || !('*' in self)",message="* must stand alone"
	// +listType=atomic
	APIGroups []string `json:"apiGroups"`

	// APIVersions are the versions, without the group.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="size(self) == 1 || !('*' in self)",message="* must stand alone"
	// +listType=atomic
	APIVersions []string `json:"apiVersions"`

	// Kinds are the kinds.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="size(self) == 1 || !('*' in self)",message="* must stand alone"
	// +listType=atomic
	Kinds []string `json:"kinds"`
}

// InterpreterOperation is the name of an operation as configuration and wire have it.
//
// +kubebuilder:validation:Enum="*";InterpretReplica;InterpretComponent;ReviseReplica;Retain;InterpretStatus;AggregateStatus;InterpretHealth;InterpretDependency
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
