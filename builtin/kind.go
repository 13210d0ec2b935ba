package builtin

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// kind is what one kind means. Each function is one rule, nil where there is none. They only read what they are given,
// except for an object that is said to be a copy: that one they change, and it is thrown away when they return an error.
type kind struct {
	gvk schema.GroupVersionKind
	// templates are the paths of its pod templates; an empty path is the object itself.
	templates [][]string

	// replicas answers InterpretReplica, and with it InterpretComponent.
	replicas func(object map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error)
	// pods answers InterpretComponent of a kind that has no replicas: how many pods there are is decided elsewhere, which
	// is written as 0, and this is what each of them needs.
	pods func(object map[string]any) (*workv1alpha2.ReplicaRequirements, error)
	// revise answers ReviseReplica in a copy of the request's object.
	revise func(copied map[string]any, req *interpreter.Request) error
	// retain answers Retain in a copy of the desired object.
	retain func(copied, observed map[string]any) error
	// reflect answers InterpretStatus with a new map, or nil for none.
	reflect func(observed map[string]any) (map[string]any, error)
	// aggregate answers AggregateStatus in a copy of the template.
	aggregate func(copied map[string]any, items []interpreter.StatusItem) error
	// health answers InterpretHealth.
	health func(object map[string]any) (interpreter.Health, error)
	// dependencies answers InterpretDependency.
	dependencies func(object map[string]any) ([]configv1alpha1.DependentObjectReference, error)

	// prune removes from a copy what must not travel, beyond what no object of any kind takes along.
	prune func(copied map[string]any)
}

// rule returns the kind's rule for op, or nil.
func (k *kind) rule(op interpreter.Operation) interpreter.Rule {
	switch {
	case op == interpreter.InterpretReplica && k.replicas != nil:
		return k.interpretReplica
	case op == interpreter.InterpretComponent && (k.replicas != nil || k.pods != nil):
		return k.interpretComponent
	case op == interpreter.ReviseReplica && k.revise != nil:
		return k.reviseReplica
	case op == interpreter.Retain && k.retain != nil:
		return k.retainObserved
	case op == interpreter.InterpretStatus && k.reflect != nil:
		return k.interpretStatus
	case op == interpreter.AggregateStatus && k.aggregate != nil:
		return k.aggregateStatus
	case op == interpreter.InterpretHealth && k.health != nil:
		return k.interpretHealth
	case op == interpreter.InterpretDependency && k.dependencies != nil:
		return k.interpretDependency
	}
	return nil
}

func (k *kind) interpretReplica(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	replicas, requirements, err := k.replicas(req.Object.Object)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Replicas: replicas, ReplicaRequirements: requirements}, nil
}

// mainComponent is the name of the only component of a kind that has one pod template.
const mainComponent = "main"

func (k *kind) interpretComponent(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	replicas, requirements, err := k.mainPods(req.Object.Object)
	if err != nil {
		return nil, err
	}
	component := workv1alpha2.Component{Name: mainComponent, Replicas: replicas}
	if requirements != nil {
		component.ReplicaRequirements = &workv1alpha2.ComponentReplicaRequirements{
			NodeClaim: requirements.NodeClaim, ResourceRequest: requirements.ResourceRequest,
		}
	}
	return &interpreter.Response{Components: []workv1alpha2.Component{component}}, nil
}

// mainPods returns how many pods the only component has, and what each needs.
func (k *kind) mainPods(object map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error) {
	if k.replicas != nil {
		return k.replicas(object)
	}
	requirements, err := k.pods(object)
	return 0, requirements, err
}

func (k *kind) reviseReplica(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	return changed(req.Object, func(copied map[string]any) error { return k.revise(copied, req) })
}

func (k *kind) retainObserved(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	return changed(req.Object, func(copied map[string]any) error { return k.retain(copied, req.ObservedObject.Object) })
}

func (k *kind) aggregateStatus(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	return changed(req.Object, func(copied map[string]any) error {
		_, had := copied["status"]
		if err := k.aggregate(copied, req.AggregatedStatus); err != nil {
			return err
		}
		if merged, _ := copied["status"].(map[string]any); !had && len(merged) == 0 {
			delete(copied, "status")
		}
		return nil
	})
}

// changed returns a copy of object that change has changed.
func changed(object *unstructured.Unstructured, change func(map[string]any) error) (*interpreter.Response, error) {
	out := &unstructured.Unstructured{Object: value.CopyMap(object.Object)}
	if err := change(out.Object); err != nil {
		return nil, err
	}
	return &interpreter.Response{Object: out}, nil
}

func (k *kind) interpretStatus(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	collected, err := k.reflect(req.Object.Object)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Status: collected}, nil
}

func (k *kind) interpretHealth(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	health, err := k.health(req.Object.Object)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Health: health}, nil
}

func (k *kind) interpretDependency(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	refs, err := k.dependencies(req.Object.Object)
	if err != nil {
		return nil, err
	}
	return &interpreter.Response{Dependencies: refs}, nil
}
