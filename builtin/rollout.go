package builtin

import (
	"fmt"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

// rollout is what the health of a workload is read from.
type rollout struct {
	spec, status map[string]any
	// waiting is why the rollout is not complete; empty when it is.
	waiting string
}

// readRollout reads an object whose status has an observedGeneration.
func readRollout(object map[string]any) (*rollout, error) {
	var r rollout
	var err error
	if r.spec, err = value.Map(object, "spec"); err != nil {
		return nil, err
	}
	if r.status, err = value.Map(object, "status"); err != nil {
		return nil, err
	}
	metadata, err := value.Map(object, "metadata")
	if err != nil {
		return nil, err
	}
	generation, _, err := value.Int(metadata, "generation")
	if err != nil {
		return nil, value.In("metadata", err)
	}
	observed, _, err := value.Int(r.status, "observedGeneration")
	if err != nil {
		return nil, value.In("status", err)
	}
	if observed != generation {
		r.waitFor("generation %d is not observed yet: the status is about %d", generation, observed)
	}
	return &r, nil
}

// waitFor records why the rollout is not complete, unless something before it is.
func (r *rollout) waitFor(format string, args ...any) {
	if r.waiting == "" {
		r.waiting = fmt.Sprintf(format, args...)
	}
}

// count returns a number of the status, 0 when it has none.
func (r *rollout) count(field string) (int32, error) {
	n, _, err := value.Count(r.status, field)
	return n, value.In("status", err)
}

// reach waits until the status counts at least want in field; the message says what is counted.
func (r *rollout) reach(field string, want int32, what string) (int32, error) {
	n, err := r.count(field)
	if err != nil {
		return 0, err
	}
	if n < want {
		r.waitFor("%d of %d %s", n, want, what)
	}
	return n, nil
}

// reachReplicas waits until the status counts spec.replicas in field, if the spec says how many.
func (r *rollout) reachReplicas(field, what string) (int32, error) {
	want, _, err := value.Count(r.spec, "replicas")
	if err != nil {
		return 0, value.In("spec", err)
	}
	return r.reach(field, want, what)
}

// health returns Healthy when the rollout is complete. Otherwise it is Degraded when one of failures tells so, and
// Progressing when none does.
func (r *rollout) health(failures ...failure) (interpreter.Health, error) {
	if r.waiting == "" {
		return interpreter.Health{State: interpreter.Healthy}, nil
	}
	for _, f := range failures {
		message, failed, err := f.in(r.status)
		if err != nil {
			return interpreter.Health{}, err
		}
		if failed {
			return interpreter.Health{State: interpreter.Degraded, Message: message}, nil
		}
	}
	return interpreter.Health{State: interpreter.Progressing, Message: r.waiting}, nil
}

// failure is a condition that tells that a rollout does not go on by itself.
type failure struct{ condition, status string }

// replicaFailure is the condition of a controller that cannot create or delete pods.
var replicaFailure = failure{"ReplicaFailure", "True"}

// in returns the failure's message in a status, and whether it is there.
func (f failure) in(of map[string]any) (string, bool, error) {
	condition, err := status.Condition(of, f.condition)
	if err != nil {
		return "", false, value.In("status", err)
	}
	if condition == nil || condition["status"] != f.status {
		return "", false, nil
	}
	return reasonOf(condition), true, nil
}

// reasonOf returns what an object says about itself in its fields reason and message, as "reason: message".
func reasonOf(m map[string]any) string {
	reason, _ := m["reason"].(string)
	message, _ := m["message"].(string)
	switch {
	case reason == "":
		return message
	case message == "":
		return reason
	}
	return reason + ": " + message
}
