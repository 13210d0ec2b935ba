package interpreter

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Client is the typed face of an Interpreter: one method for each operation, as http.Client is to http.RoundTripper.
//
// Every error is an *Error that names the operation and the object. Nobody answering is an error for which
// errors.Is(err, ErrNotHandled) holds; callers ask and look at the error, they need no Lookup first. Objects that are
// passed in are only read. A Client is safe for concurrent use.
type Client struct {
	// Interpreter is asked; it must not be nil.
	Interpreter Interpreter
}

// Placement says where an object goes; both fields may be empty.
type Placement struct {
	// Cluster is the member that the question is about.
	Cluster string
	// Targets are all the members that the object is placed on.
	Targets []workv1alpha2.TargetCluster
}

// Do completes req and asks. It is what the other methods are made of.
func (c Client) Do(ctx context.Context, req *Request) (*Response, error) {
	if err := req.Complete(); err != nil {
		return nil, req.wrap(err)
	}
	rule := c.Interpreter.Lookup(req.Kind, req.Operation)
	if rule == nil {
		return nil, req.wrap(ErrNotHandled)
	}
	resp, err := rule(ctx, req)
	if err != nil {
		return nil, req.wrap(err)
	}
	return resp, nil
}

func (r *Request) wrap(err error) error {
	return &Error{Operation: r.Operation, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Err: err}
}

// InterpretReplica returns how many replicas obj asks for, and what each needs (nil: nothing in particular).
func (c Client) InterpretReplica(ctx context.Context, obj *unstructured.Unstructured) (int32, *workv1alpha2.ReplicaRequirements, error) {
	resp, err := c.Do(ctx, &Request{Operation: InterpretReplica, Object: obj})
	if err != nil {
		return 0, nil, err
	}
	return resp.Replicas, resp.ReplicaRequirements, nil
}

// InterpretComponent returns the pod templates of obj.
func (c Client) InterpretComponent(ctx context.Context, obj *unstructured.Unstructured) ([]workv1alpha2.Component, error) {
	resp, err := c.Do(ctx, &Request{Operation: InterpretComponent, Object: obj})
	if err != nil {
		return nil, err
	}
	return resp.Components, nil
}

// ReviseReplica returns obj with the given number of replicas, which is at least 0.
func (c Client) ReviseReplica(ctx context.Context, obj *unstructured.Unstructured, replicas int32, to Placement) (*unstructured.Unstructured, error) {
	resp, err := c.Do(ctx, &Request{
		Operation: ReviseReplica, Object: obj, DesiredReplicas: replicas, Cluster: to.Cluster, Targets: to.Targets,
	})
	if err != nil {
		return nil, err
	}
	return resp.Object, nil
}

// Retain returns desired with the values that the member cluster owns, taken from observed.
func (c Client) Retain(ctx context.Context, desired, observed *unstructured.Unstructured, to Placement) (*unstructured.Unstructured, error) {
	resp, err := c.Do(ctx, &Request{
		Operation: Retain, Object: desired, ObservedObject: observed, Cluster: to.Cluster, Targets: to.Targets,
	})
	if err != nil {
		return nil, err
	}
	return resp.Object, nil
}

// InterpretStatus returns the part of obj's status that is worth collecting; nil for none.
func (c Client) InterpretStatus(ctx context.Context, obj *unstructured.Unstructured) (map[string]any, error) {
	resp, err := c.Do(ctx, &Request{Operation: InterpretStatus, Object: obj})
	if err != nil {
		return nil, err
	}
	return resp.Status, nil
}

// AggregateStatus returns template with the members' statuses merged in. Nil items mean that there is no list at all.
func (c Client) AggregateStatus(ctx context.Context, template *unstructured.Unstructured, items []StatusItem) (*unstructured.Unstructured, error) {
	resp, err := c.Do(ctx, &Request{Operation: AggregateStatus, Object: template, AggregatedStatus: items})
	if err != nil {
		return nil, err
	}
	return resp.Object, nil
}

// InterpretHealth returns obj's health.
func (c Client) InterpretHealth(ctx context.Context, obj *unstructured.Unstructured) (Health, error) {
	resp, err := c.Do(ctx, &Request{Operation: InterpretHealth, Object: obj})
	if err != nil {
		return Health{}, err
	}
	return resp.Health, nil
}

// InterpretDependency returns the objects that must travel with obj.
func (c Client) InterpretDependency(ctx context.Context, obj *unstructured.Unstructured) ([]configv1alpha1.DependentObjectReference, error) {
	resp, err := c.Do(ctx, &Request{Operation: InterpretDependency, Object: obj})
	if err != nil {
		return nil, err
	}
	return resp.Dependencies, nil
}
