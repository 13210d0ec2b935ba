package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceInterpreterCustomization teaches the interpreter one or more operations of a kind by scripts.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=ric,categories={karmada-io}
// +kubebuilder:printcolumn:name="API-Version",type=string,JSONPath=`.spec.target.apiVersion`
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.target.kind`
// +kubebuilder:printcolumn:name="Engine",type=string,JSONPath=`.status.engine`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Failing",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Failing")].message`
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
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z]([-a-z0-9]*[a-z0-9])?$') || self.matches('^([*][.])?[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[*]$')",message="must be a version (v1), a group and version (apps/v1), every version of a group (apps/*) or of every group with a suffix (*.example.com/*)"
	APIVersion string `json:"apiVersion"`

	// Kind is the kind. Extension: "*" means every kind of the group.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^([*]|[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?)$')",message="must be a kind (Deployment), or * for every kind"
	Kind string `json:"kind"`

	// LabelSelector restricts the rules to objects whose labels match (the desired object's for Retain).
	// Nil and an empty selector match every object. Extension.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && e.values.size() > 0 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || e.values.size() == 0))",message="each of matchExpressions must have operator In or NotIn with values, or Exists or DoesNotExist without"
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
//
// +kubebuilder:validation:XValidation:rule="has(self.luaScript) || has(self.celExpression)",message="exactly one of luaScript and celExpression must be set, got neither"
// +kubebuilder:validation:XValidation:rule="!has(self.luaScript) || size(self.luaScript) == 0 || !has(self.celExpression) || size(self.celExpression) == 0",message="exactly one of luaScript and celExpression must be set, got both"
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

// ConditionFailing is the type of the condition that is True while rules fail when they run, and absent otherwise. Its
// message has a line for each operation.
const ConditionFailing = "Failing"

// ReasonRuleFailed is the reason of the condition Failing, and of the event about each rule that begins to fail.
const ReasonRuleFailed = "RuleFailed"

// ResourceInterpreterCustomizationStatus says what became of a customization's rules.
type ResourceInterpreterCustomizationStatus struct {
	// ObservedGeneration is the generation of the spec that the conditions speak about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Engine names the languages of the rules: "Lua", "CEL" or "CEL, Lua".
	// +optional
	Engine string `json:"engine,omitempty"`

	// Conditions holds the condition Ready; its message has the compile errors with their positions.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
