package builtin

import (
	"context"
	"fmt"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/status"
)

// Generic is the end of a chain: it answers for objects of any kind what can be told without knowing the kind. Its zero
// value is ready.
//
// InterpretStatus is the whole status. InterpretHealth is read from the deletion timestamp, generation and observed
// generation, and the conditions Reconciling, Stalled and Ready, as kstatus defines it; an object that says nothing by
// these is Healthy.
type Generic struct{}

var (
	_ interpreter.Interpreter = Generic{}
	_ interpreter.Explainer   = Generic{}
)

// Lookup returns the rule for op, the same for every kind, or nil.
func (Generic) Lookup(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	switch op {
	case interpreter.InterpretStatus:
		return wholeStatus
	case interpreter.InterpretHealth:
		return conditionsHealth
	default:
		return nil
	}
}

// Explain names the link for the operations that it answers.
func (g Generic) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	if g.Lookup(gvk, op) == nil {
		return nil
	}
	return []interpreter.Source{{Link: "generic", Language: "go"}}
}

func wholeStatus(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	collected, err := status.Whole(req.Object.Object)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Status: collected}, nil
}

// healthStates says which state of health each status of kstatus is.
var healthStates = map[kstatus.Status]interpreter.HealthState{
	kstatus.CurrentStatus:     interpreter.Healthy,
	kstatus.InProgressStatus:  interpreter.Progressing,
	kstatus.TerminatingStatus: interpreter.Progressing,
	kstatus.FailedStatus:      interpreter.Degraded,
	kstatus.NotFoundStatus:    interpreter.Missing,
}

func conditionsHealth(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	result, err := kstatus.Compute(req.Object)
	if err != nil {
		return nil, fmt.Errorf("by its conditions: %w", err)
	}
	state, ok := healthStates[result.Status]
	if !ok {
		state = interpreter.Unknown
	}
	health := interpreter.Health{State: state, Message: result.Message}
	if state == interpreter.Healthy {
		health.Message = ""
	}
	return &interpreter.Response{Health: health}, nil
}
