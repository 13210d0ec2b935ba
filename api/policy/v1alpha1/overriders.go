package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Overriders are changes of an object. They are applied in the order image, command, args, labels, annotations, field,
// plaintext.
type Overriders struct {
	// Plaintext are JSON patch operations on the object.
	// +optional
	// +listType=atomic
	Plaintext []PlaintextOverrider `json:"plaintext,omitempty"`

	// ImageOverrider change parts of images.
	// +optional
	// +listType=atomic
	ImageOverrider []ImageOverrider `json:"imageOverrider,omitempty"`

	// CommandOverrider change the commands of containers.
	// +optional
	// +listType=atomic
	CommandOverrider []CommandArgsOverrider `json:"commandOverrider,omitempty"`

	// ArgsOverrider change the arguments of containers.
	// +optional
	// +listType=atomic
	ArgsOverrider []CommandArgsOverrider `json:"argsOverrider,omitempty"`

	// LabelsOverrider change the object's labels.
	// +optional
	// +listType=atomic
	LabelsOverrider []LabelAnnotationOverrider `json:"labelsOverrider,omitempty"`

	// AnnotationsOverrider change the object's annotations.
	// +optional
	// +listType=atomic
	AnnotationsOverrider []LabelAnnotationOverrider `json:"annotationsOverrider,omitempty"`

	// FieldOverrider change documents that a field of the object holds as text, such as a key of a ConfigMap.
	// +optional
	// +listType=atomic
	FieldOverrider []FieldOverrider `json:"fieldOverrider,omitempty"`
}

// OverriderOperator is what is done to a value.
type OverriderOperator string

// The operators.
const (
	OverriderOpAdd     OverriderOperator = "add"
	OverriderOpRemove  OverriderOperator = "remove"
	OverriderOpReplace OverriderOperator = "replace"
)

// PlaintextOverrider is one JSON patch operation (RFC 6902).
type PlaintextOverrider struct {
	// Path is a JSON pointer to what is changed.
	// +kubebuilder:validation:Pattern=`^/`
	Path string `json:"path"`

	// Operator is the operation.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is the value, of any type. Not for remove.
	// +optional
	Value apiextensionsv1.JSON `json:"value,omitzero"`
}

// ImageOverrider changes a part of images.
type ImageOverrider struct {
	// Predicate says which images are meant. Nil means those of every container of the pod template.
	// +optional
	Predicate *ImagePredicate `json:"predicate,omitempty"`

	// Component is the part that is changed.
	Component ImageComponent `json:"component"`

	// Operator is the operation. add appends to what is there.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is the value. Not for remove.
	// +optional
	Value string `json:"value,omitempty"`
}

// ImagePredicate says which images are meant.
type ImagePredicate struct {
	// Path is a JSON pointer to the image.
	// +kubebuilder:validation:Pattern=`^/`
	Path string `json:"path"`
}

// ImageComponent is a part of an image's name: registry/repository:tag or registry/repository@digest.
//
// +kubebuilder:validation:Enum=Registry;Repository;Tag
type ImageComponent string

// The parts of an image's name.
const (
	ImageRegistry   ImageComponent = "Registry"
	ImageRepository ImageComponent = "Repository"
	// ImageTag is the tag, or the digest.
	ImageTag ImageComponent = "Tag"
)

// CommandArgsOverrider changes the command or the arguments of a container.
type CommandArgsOverrider struct {
	// ContainerName is the name of the container.
	ContainerName string `json:"containerName"`

	// Operator is the operation: add appends, remove takes away.
	// +kubebuilder:validation:Enum=add;remove
	Operator OverriderOperator `json:"operator"`

	// Value are the words.
	// +optional
	// +listType=atomic
	Value []string `json:"value,omitempty"`
}

// LabelAnnotationOverrider changes labels or annotations.
type LabelAnnotationOverrider struct {
	// Operator is the operation: add and replace set, replace only what is there; remove takes away.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value are keys and values. remove looks at the keys alone.
	// +optional
	Value map[string]string `json:"value,omitempty"`
}

// FieldOverrider changes a document that a field holds as text.
type FieldOverrider struct {
	// FieldPath is a JSON pointer to the field.
	// +kubebuilder:validation:Pattern=`^/`
	FieldPath string `json:"fieldPath"`

	// JSON are operations on a JSON document. Ignored if YAML is set.
	// +optional
	// +listType=atomic
	JSON []SubPathOperation `json:"json,omitempty"`

	// YAML are operations on a YAML document.
	// +optional
	// +listType=atomic
	YAML []SubPathOperation `json:"yaml,omitempty"`
}

// SubPathOperation is one JSON patch operation on a document.
type SubPathOperation struct {
	// SubPath is a JSON pointer to what is changed.
	// +kubebuilder:validation:Pattern=`^/`
	SubPath string `json:"subPath"`

	// Operator is the operation.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator OverriderOperator `json:"operator"`

	// Value is the value, of any type. Not for remove.
	// +optional
	Value apiextensionsv1.JSON `json:"value,omitzero"`
}
