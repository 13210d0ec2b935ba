package cases

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// sample is an interpreter of kind Sample that answers from the object: spec.replicas, spec.cpu, spec.components, and the
// like. Its answers are simple enough to be read in the cases.
type sample struct{}

func (sample) Lookup(gvk schema.GroupVersionKind, _ interpreter.Operation) interpreter.Rule {
	if gvk.Kind != "Sample" {
		return nil
	}
	return answerSample
}

func answerSample(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	source := interpreter.Source{Link: "sample", Name: "rules", Field: string(req.Operation), Language: "go", Position: "sample.go:7"}
	if t := interpreter.TraceOf(ctx); t.Step != nil {
		t.Step(interpreter.Step{Source: source, Line: 1, Text: "ready = 0"})
		t.Step(interpreter.Step{Source: source, Line: 3, Text: "status = {ready = sum, already = 1}"})
		t.Step(interpreter.Step{Source: source, Line: 4, Text: "return already"})
	} else {
		t.Answered(source, nil)
		t.Spent(source, interpreter.Usage{Steps: 120, Bytes: 4096})
	}
	object := req.Object.DeepCopy()
	spec, _ := object.Object["spec"].(map[string]any)
	if text, ok := spec["error"].(string); ok {
		return nil, errors.New(text)
	}
	if text, ok := spec["panic"].(string); ok {
		panic(text)
	}
	if text, ok := spec["print"].(string); ok && interpreter.TraceOf(ctx).Printed != nil {
		interpreter.TraceOf(ctx).Printed(source, text)
	}
	replicas, _ := spec["replicas"].(int64)
	switch req.Operation {
	case interpreter.InterpretReplica:
		resp := &interpreter.Response{Replicas: int32(replicas)} //nolint:gosec // small numbers of cases
		if cpu, ok := spec["cpu"].(string); ok {
			resp.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}
		}
		return resp, nil
	case interpreter.InterpretComponent:
		resp := &interpreter.Response{}
		names, _ := spec["components"].([]any)
		for _, name := range names {
			resp.Components = append(resp.Components, workv1alpha2.Component{Name: name.(string), Replicas: int32(replicas)}) //nolint:gosec // small
		}
		return resp, nil
	case interpreter.ReviseReplica:
		spec["replicas"] = int64(req.DesiredReplicas)
		return &interpreter.Response{Object: object}, nil
	case interpreter.Retain:
		object.Object["kept"] = req.ObservedObject.Object["kept"]
		return &interpreter.Response{Object: object}, nil
	case interpreter.InterpretStatus:
		status, _ := object.Object["status"].(map[string]any)
		return &interpreter.Response{Status: status}, nil
	case interpreter.AggregateStatus:
		var sum int64
		for _, item := range req.AggregatedStatus {
			n, _ := item.Status["ready"].(int64)
			sum += n
		}
		object.Object["status"] = map[string]any{"ready": sum, "conditions": []any{}, "seen": interpreter.ClockOf(ctx).Now().UTC().Format("2006-01-02")}
		return &interpreter.Response{Object: object}, nil
	case interpreter.InterpretHealth:
		state, _ := spec["state"].(string)
		message, _ := spec["message"].(string)
		return &interpreter.Response{Health: interpreter.Health{State: interpreter.HealthState(state), Message: message}}, nil
	case interpreter.InterpretDependency:
		resp := &interpreter.Response{}
		names, _ := spec["secrets"].([]any)
		for _, name := range names {
			resp.Dependencies = append(resp.Dependencies, configv1alpha1.DependentObjectReference{
				APIVersion: "v1", Kind: "Secret", Namespace: req.Namespace, Name: name.(string),
			})
		}
		return resp, nil
	}
	return nil, interpreter.ErrNotHandled
}
