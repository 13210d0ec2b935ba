package interpreter

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// ErrNotHandled is the error of a rule that finds that a question is not its to answer, and of a Client when nobody
	// answers.
	ErrNotHandled = errors.New("no rule answers")

	// ErrNotReady is the error of an Interpreter whose rules are not loaded yet. It is final: another link must not answer
	// in its place. Asking again later may succeed.
	ErrNotReady = errors.New("rules are not loaded yet")
)

// Error is the error of a Client: what was asked, about which object, and what went wrong.
type Error struct {
	// Operation is what was asked.
	Operation Operation
	// Kind, Namespace and Name identify the object; Namespace is empty for a cluster-scoped one.
	Kind            schema.GroupVersionKind
	Namespace, Name string
	// Err is the cause; never nil.
	Err error
}

// Error returns, for example, "AggregateStatus apps/v1 Deployment default/web: member1: status.replicas: want a whole
// number, got a string".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Operation))
	if e.Kind.Kind != "" {
		b.WriteString(" " + e.Kind.GroupVersion().String() + " " + e.Kind.Kind)
	}
	if e.Name != "" {
		b.WriteString(" ")
		if e.Namespace != "" {
			b.WriteString(e.Namespace + "/")
		}
		b.WriteString(e.Name)
	}
	b.WriteString(": " + e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Budget names something a rule may spend only so much of.
type Budget string

// The budgets.
const (
	// BudgetSteps counts work: instructions of the Lua machine, cost units of CEL. The same on every machine.
	BudgetSteps Budget = "steps"
	// BudgetMemory counts the bytes that a run allocates. The same on every machine.
	BudgetMemory Budget = "memory"
	// BudgetDepth counts nested calls.
	BudgetDepth Budget = "depth"
	// BudgetTime is wall clock.
	BudgetTime Budget = "time"
)

// BudgetError is the error of a rule that spent more than it may.
type BudgetError struct {
	// Rule names the rule, as its Source does.
	Rule string
	// Budget is what ran out.
	Budget Budget
	// Limit is how much there was, in words with the unit: "1000000 instructions", "16Mi", "1s".
	Limit string
}

// Error returns, for example, "flink.healthInterpretation: over its budget of 1000000 instructions".
func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s: over its %s budget of %s", e.Rule, e.Budget, e.Limit)
}
