package interpreter

import (
	"fmt"
	"slices"
	"strings"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// Operation is the name of a question that can be asked about an object. The names are those of the webhook protocol.
type Operation string

// The operations.
const (
	InterpretReplica    Operation = "InterpretReplica"
	InterpretComponent  Operation = "InterpretComponent"
	ReviseReplica       Operation = "ReviseReplica"
	Retain              Operation = "Retain"
	InterpretStatus     Operation = "InterpretStatus"
	AggregateStatus     Operation = "AggregateStatus"
	InterpretHealth     Operation = "InterpretHealth"
	InterpretDependency Operation = "InterpretDependency"
)

// Input is something that an operation is given, by the name that a CEL expression uses for it.
type Input string

// The inputs.
const (
	// InputObject is Request.Object.
	InputObject Input = "object"
	// InputObserved is Request.ObservedObject.
	InputObserved Input = "observed"
	// InputReplicas is Request.DesiredReplicas.
	InputReplicas Input = "replicas"
	// InputItems is Request.AggregatedStatus.
	InputItems Input = "items"
	// InputContext is Request.Cluster and Request.Targets.
	InputContext Input = "context"
)

// Result is the kind of answer that an operation has: which fields of the Response count.
type Result string

// The results.
const (
	// ResultReplicas is Response.Replicas and Response.ReplicaRequirements.
	ResultReplicas Result = "replicas"
	// ResultComponents is Response.Components.
	ResultComponents Result = "components"
	// ResultObject is Response.Object.
	ResultObject Result = "object"
	// ResultStatus is Response.Status.
	ResultStatus Result = "status"
	// ResultHealth is Response.Health.
	ResultHealth Result = "health"
	// ResultDependencies is Response.Dependencies.
	ResultDependencies Result = "dependencies"
)

// OperationInfo is what there is to know about an operation. Whatever differs between operations is a column here, so
// that no other place has to switch over them.
type OperationInfo struct {
	// Operation is the operation's name.
	Operation Operation
	// Question is the operation in words.
	Question string
	// Function is the name of the Lua function that answers it.
	Function string
	// Field is the JSON name of its rule in spec.customizations.
	Field string
	// Inputs are the operation's inputs, in the order of the Lua function's arguments.
	Inputs []Input
	// Result is the kind of its answer.
	Result Result
	// Outputs are the names that case files and the command line have for the parts of the answer, main one first.
	Outputs []string
	// Observed tells that the natural subject of the question is an object in a member cluster, not a template.
	Observed bool
	// Union tells that every rule of the matching customizations answers, and the answers are joined.
	Union bool
	// Script returns the place of the operation's rule in r.
	Script func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script
}

// operations is the table. It is never written to.
var operations = [...]OperationInfo{
	{
		Operation: InterpretReplica,
		Question:  "how many replicas, and what does each need?",
		Function:  "GetReplicas",
		Field:     "replicaResource",
		Inputs:    []Input{InputObject},
		Result:    ResultReplicas,
		Outputs:   []string{"replica", "requires"},
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.ReplicaResource
		},
	},
	{
		Operation: InterpretComponent,
		Question:  "which pod templates, how many of each, and what does each need?",
		Function:  "GetComponents",
		Field:     "componentResource",
		Inputs:    []Input{InputObject},
		Result:    ResultComponents,
		Outputs:   []string{"components"},
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.ComponentResource
		},
	},
	{
		Operation: ReviseReplica,
		Question:  "what is the object with n replicas?",
		Function:  "ReviseReplica",
		Field:     "replicaRevision",
		Inputs:    []Input{InputObject, InputReplicas, InputContext},
		Result:    ResultObject,
		Outputs:   []string{"revised"},
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.ReplicaRevision
		},
	},
	{
		Operation: Retain,
		Question:  "what is the desired object, with the values that the member cluster owns?",
		Function:  "Retain",
		Field:     "retention",
		Inputs:    []Input{InputObject, InputObserved, InputContext},
		Result:    ResultObject,
		Outputs:   []string{"retained"},
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.Retention
		},
	},
	{
		Operation: InterpretStatus,
		Question:  "which part of the status is worth collecting?",
		Function:  "ReflectStatus",
		Field:     "statusReflection",
		Inputs:    []Input{InputObject},
		Result:    ResultStatus,
		Outputs:   []string{"status"},
		Observed:  true,
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.StatusReflection
		},
	},
	{
		Operation: AggregateStatus,
		Question:  "what is the template with its members' statuses merged in?",
		Function:  "AggregateStatus",
		Field:     "statusAggregation",
		Inputs:    []Input{InputObject, InputItems},
		Result:    ResultObject,
		Outputs:   []string{"aggregatedStatus"},
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.StatusAggregation
		},
	},
	{
		Operation: InterpretHealth,
		Question:  "is it healthy, and why not?",
		Function:  "InterpretHealth",
		Field:     "healthInterpretation",
		Inputs:    []Input{InputObject},
		Result:    ResultHealth,
		Outputs:   []string{"healthy", "health", "message"},
		Observed:  true,
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.HealthInterpretation
		},
	},
	{
		Operation: InterpretDependency,
		Question:  "which other objects must travel with it?",
		Function:  "GetDependencies",
		Field:     "dependencyInterpretation",
		Inputs:    []Input{InputObject},
		Result:    ResultDependencies,
		Outputs:   []string{"dependencies"},
		Union:     true,
		Script: func(r *configv1alpha1.CustomizationRules) **configv1alpha1.Script {
			return &r.DependencyInterpretation
		},
	},
}

// Operations returns the table of all operations, in the order in which they are shown to people. The slice is the
// caller's; the rows share memory and must not be modified.
func Operations() []OperationInfo {
	return slices.Clone(operations[:])
}

// Info returns the row of o. It is nil when o is no operation. The row must not be modified.
func (o Operation) Info() *OperationInfo {
	for i := range operations {
		if operations[i].Operation == o {
			return &operations[i]
		}
	}
	return nil
}

// Takes tells whether the operation has the input in.
func (i *OperationInfo) Takes(in Input) bool {
	return slices.Contains(i.Inputs, in)
}

// ParseOperation returns the operation called name, in any letter case. Its error lists the names there are.
func ParseOperation(name string) (Operation, error) {
	names := make([]string, len(operations))
	for i := range operations {
		if strings.EqualFold(string(operations[i].Operation), name) {
			return operations[i].Operation, nil
		}
		names[i] = string(operations[i].Operation)
	}
	return "", fmt.Errorf("unknown operation %q: want one of %s", name, strings.Join(names, ", "))
}
