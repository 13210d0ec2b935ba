package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceInterpreterCustomization teaches the interpreter one or more operations of a kind by scripts.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=ric,categories={karmada-io}
type ResourceInterpreterCustomization struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which kind is meant and how its operations are answered.
	Spec ResourceInterpreterCustomizationSpec `json:"spec"`

	// Status says whether the scripts took effect. Extension.
	// +optional
	Status ResourceInterpreterCustomizationStatus `json:"status,omitzero"`
}

// ResourceInterpreterCustomizationList is a list of ResourceInterpreterCustomization.
//
// +kubebuilder:object:root=true
type ResourceInterpreterCustomizationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceInterpreterCustomization `json:"items"`
}

// ResourceInterpreterCustomizationSpec is the target and the rules of a customization.
type ResourceInterpreterCustomizationSpec struct {
	// Target selects the objects that the rules are about.
	Target CustomizationTarget `json:"target"`

	// Customizations are the rules, at most one for each operation.
	Customizations CustomizationRules `json:"customizations"`
}

// CustomizationTarget selects objects by kind and, as an extension, by label.
type CustomizationTarget struct {
	// APIVersion is the group and version of the kind. Extension: "group/*" means every version of a group and
	// "*.suffix/*" every version of every group whose name ends with ".suffix".
	APIVersion string `json:"apiVersion"`

	// Kind is the kind. Extension: "*" means every kind of the group.
	Kind string `json:"kind"`

	// LabelSelector restricts the rules to objects whose labels match (the desired object's for Retain).
	// Nil and an empty selector match every object. Extension.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// CustomizationRules holds a script for each operation that the customization answers. A nil field is no rule.
type CustomizationRules struct {
	// Retention answers Retain: the desired object with the values that the member cluster owns.
	// Lua: Retain(desiredObj, observedObj) returns the object.
	// +optional
	Retention *Script `json:"retention,omitempty"`

	// ReplicaResource answers InterpretReplica: how many replicas, and what does each need.
	// Lua: GetReplicas(obj) returns a number and a requirements table or nil.
	// +optional
	ReplicaResource *Script `json:"replicaResource,omitempty"`

	// ComponentResource answers InterpretComponent: the pod templates, how many of each, and what each needs.
	// Lua: GetComponents(obj) returns a list of components.
	// +optional
	ComponentResource *Script `json:"componentResource,omitempty"`

	// ReplicaRevision answers ReviseReplica: the object with another number of replicas.
	// Lua: ReviseReplica(obj, desiredReplica) returns the object.
	// +optional
	ReplicaRevision *Script `json:"replicaRevision,omitempty"`

	// StatusReflection answers InterpretStatus: the part of the status worth collecting.
	// Lua: ReflectStatus(observedObj) returns the status.
	// +optional
	StatusReflection *Script `json:"statusReflection,omitempty"`

	// StatusAggregation answers AggregateStatus: the template with its members' statuses merged in.
	// Lua: AggregateStatus(desiredObj, statusItems) returns the object.
	// +optional
	StatusAggregation *Script `json:"statusAggregation,omitempty"`

	// HealthInterpretation answers InterpretHealth: is the object healthy.
	// Lua: InterpretHealth(observedObj) returns a boolean or, as an extension, a state and a message.
	// +optional
	HealthInterpretation *Script `json:"healthInterpretation,omitempty"`

	// DependencyInterpretation answers InterpretDependency: the objects that must travel with this one.
	// Lua: GetDependencies(desiredObj) returns a list of references.
	// +optional
	DependencyInterpretation *Script `json:"dependencyInterpretation,omitempty"`
}

// Script is one rule, in exactly one of the languages. A script that is empty counts as unset.
type Script struct {
	// LuaScript is Lua 5.1 source that defines the operation's function.
	// +optional
	LuaScript string `json:"luaScript,omitempty"`

	// CELExpression is one CEL expression whose value is the operation's result. Extension.
	// +optional
	CELExpression string `json:"celExpression,omitempty"`
}

// IsSet tells whether s holds a script at all. It may be called on nil.
func (s *Script) IsSet() bool {
	return s != nil && (s.LuaScript != "" || s.CELExpression != "")
}

// ConditionReady is the type of the condition that says whether a customization's rules are in force.
const ConditionReady = "Ready"

// Reasons of the condition Ready.
const (
	// ReasonCompiled means every rule compiled and answers.
	ReasonCompiled = "Compiled"
	// ReasonCompileError means at least one rule did not compile; its operation answers with that error.
	ReasonCompileError = "CompileError"
)

// ResourceInterpreterCustomizationStatus says what became of a customization's rules.
type ResourceInterpreterCustomizationStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions holds the condition Ready; its message has the compile errors with their positions.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
