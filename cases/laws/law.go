package laws

import (
	"slices"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Law is something that must hold for every rule.
type Law struct {
	// Name is what exemptions call it.
	Name string
	// Text says what must hold, in one sentence.
	Text string
	// Operations are those that it is about; nil means all.
	Operations []interpreter.Operation

	// breaks says how the answer a to in breaks the law; "" means that it does not. It is nil for the laws that are about
	// more than one question, which are checked apart.
	breaks func(t *trial, in inputs, a *answer) string
}

// The names of the laws that are checked apart from the others.
const (
	absentFields = "absent-fields"
	isolated     = "isolated"
)

var objectOperations = []interpreter.Operation{interpreter.ReviseReplica, interpreter.Retain, interpreter.AggregateStatus}

// laws is the table. It is never written to.
var laws = [...]Law{
	{
		Name: absentFields,
		Text: "a rule answers when a field that it reads is absent, null or empty, or says what it wants in place of an empty text",
	},
	{
		Name:   "deterministic",
		Text:   "the same question has the same answer, at the same cost",
		breaks: differsWhenRepeated,
	},
	{
		Name:   "input-untouched",
		Text:   "a rule does not change its inputs, and its answer shares no memory with them",
		breaks: changesInputs,
	},
	{
		Name: isolated,
		Text: "what was asked before does not change an answer",
	},
	{
		Name:   "types-kept",
		Text:   "a field keeps its type: a whole number, a fraction, a list, an object",
		breaks: changesTypes,
	},
	{
		Name:       "values-kept",
		Text:       "what a rule does not touch comes back exactly: whole numbers beyond 2^53, explicit nulls, {} and []",
		Operations: objectOperations,
		breaks:     losesValues,
	},
	{
		Name:       "retain-idempotent",
		Text:       "retaining twice is retaining once",
		Operations: []interpreter.Operation{interpreter.Retain},
		breaks:     retainsTwice,
	},
	{
		Name:       "retain-observed",
		Text:       "every value that Retain changes is that of the observed object, and no other is lost",
		Operations: []interpreter.Operation{interpreter.Retain},
		breaks:     retainsOthers,
	},
	{
		Name:       "revise-replica",
		Text:       "ReviseReplica to n, then InterpretReplica, gives n",
		Operations: []interpreter.Operation{interpreter.ReviseReplica},
		breaks:     revisesOtherwise,
	},
	{
		Name:       "components-agree",
		Text:       "the components have as many replicas together as InterpretReplica says, and a single one needs the same",
		Operations: []interpreter.Operation{interpreter.InterpretReplica, interpreter.InterpretComponent},
		breaks:     componentsDisagree,
	},
	{
		Name:       "members-order",
		Text:       "AggregateStatus counts the same in whatever order the members come, and lists the same",
		Operations: []interpreter.Operation{interpreter.AggregateStatus},
		breaks:     countsByOrder,
	},
	{
		Name:       "members-choice",
		Text:       "which member a text or an object of the status is taken from does not depend on the order of the members",
		Operations: []interpreter.Operation{interpreter.AggregateStatus},
		breaks:     choosesByOrder,
	},
	{
		Name:       "members-neutral",
		Text:       "AggregateStatus of no member counts nothing, and of one member says what that one says",
		Operations: []interpreter.Operation{interpreter.AggregateStatus},
		breaks:     inventsStatus,
	},
	{
		Name:       "status-accepted",
		Text:       "what InterpretStatus collects is accepted as a member's status",
		Operations: []interpreter.Operation{interpreter.InterpretStatus},
		breaks:     collectsUnusable,
	},
	{
		Name:       "dependencies-valid",
		Text:       "dependencies are complete, sorted, there once, and never the object itself",
		Operations: []interpreter.Operation{interpreter.InterpretDependency},
		breaks:     dependsWrongly,
	},
	{
		Name:   "cost-linear",
		Text:   "the cost grows no faster than the input",
		breaks: costsTooMuch,
	},
}

// All returns the laws, in the order in which they are reported. The slice is the caller's.
func All() []Law { return slices.Clone(laws[:]) }

// Named returns the law called name, or nil.
func Named(name string) *Law {
	for i := range laws {
		if laws[i].Name == name {
			return &laws[i]
		}
	}
	return nil
}

// appliesTo tells whether the law is about op.
func (l *Law) appliesTo(op interpreter.Operation) bool {
	return l.Operations == nil || slices.Contains(l.Operations, op)
}
