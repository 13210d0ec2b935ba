package builtin

import (
	"context"
	"fmt"
	"maps"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
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
func (g Generic) Lookup(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	switch op {
	case interpreter.InterpretStatus:
		return traced(wholeStatus, g)
	case interpreter.InterpretHealth:
		return traced(conditionsHealth, g)
	default:
		return nil
	}
}

// Explain names the link for the operations that it answers.
func (g Generic) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	if g.Lookup(gvk, op) == nil {
		return nil
	}
	return []interpreter.Source{g.source()}
}

func (Generic) source() interpreter.Source {
	return interpreter.Source{Link: "generic", Language: "go"}
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
	if err := checkContract(req.Object.Object); err != nil {
		return nil, err
	}
	result, err := kstatus.Compute(withoutNulls(req.Object))
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

// withoutNulls returns object without explicit nulls in its metadata and status: kstatus takes them for values of the
// wrong type. It shares memory with object.
func withoutNulls(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := maps.Clone(object.Object)
	for _, part := range []string{"metadata", "status"} {
		fields, ok := out[part].(map[string]any)
		if !ok {
			continue
		}
		fields = maps.Clone(fields)
		maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })
		out[part] = fields
	}
	return &unstructured.Unstructured{Object: out}
}

// checkContract returns which of the fields that health is read from has the wrong shape; kstatus does not say.
func checkContract(object map[string]any) error {
	metadata, err := value.Map(object, "metadata")
	if err != nil {
		return err
	}
	if _, _, err := value.Int(metadata, "generation"); err != nil {
		return value.In("metadata", err)
	}
	if _, err := value.String(metadata, "deletionTimestamp"); err != nil {
		return value.In("metadata", err)
	}
	of, err := value.Map(object, "status")
	if err != nil {
		return err
	}
	if _, _, err := value.Int(of, "observedGeneration"); err != nil {
		return value.In("status", err)
	}
	return value.In("status", value.Each(of, "conditions", func(condition map[string]any) error {
		for _, field := range [...]string{"type", "status", "reason", "message"} {
			if _, err := value.String(condition, field); err != nil {
				return err
			}
		}
		return nil
	}))
}
