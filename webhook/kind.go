package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// A Kind is an Interpreter of one kind, written on Go types: Object is the kind's type, a struct, and Status that of its
// status. A nil function is an operation that the Kind does not answer.
//
// The objects that a function is given are its own. Revise, Retain and Aggregate change them in place; the answer is the
// object that was asked about with the fields changed that the function changed. Fields that the Go types do not have
// stay as they are, in the elements of lists too that the function left alone or moved; an element that it changed keeps
// them when the list is as long as it was, and that element where it was.
//
// A field goes when its Go type leaves it out: a number with omitempty that becomes 0 is no longer there, and a control
// plane may give it its default. Where 0 means something, as it does for replicas, the type needs a pointer.
//
// An error says that this object cannot be interpreted. A Kind is safe for concurrent use when its functions are.
type Kind[Object, Status any] struct {
	// Kind is answered in this version alone.
	Kind schema.GroupVersionKind

	// Replicas returns how many replicas there are, and what each needs; nil for nothing in particular.
	Replicas func(context.Context, *Object) (int32, *workv1alpha2.ReplicaRequirements, error)
	// Components returns the pod templates.
	Components func(context.Context, *Object) ([]workv1alpha2.Component, error)
	// Revise gives the object that many replicas.
	Revise func(ctx context.Context, object *Object, replicas int32) error
	// Retain gives the desired object the values that the member cluster owns. Changes of observed are of no consequence.
	Retain func(ctx context.Context, desired, observed *Object) error
	// Reflect returns the status to collect; nil for none.
	Reflect func(context.Context, *Object) (*Status, error)
	// Aggregate merges the members' statuses into the object's. Nil items mean that there is no list at all.
	Aggregate func(ctx context.Context, object *Object, items []Item[Status]) error
	// Health tells whether the object does what it should, and why not.
	Health func(context.Context, *Object) (interpreter.Health, error)
	// Dependencies returns what must travel with the object.
	Dependencies func(context.Context, *Object) ([]configv1alpha1.DependentObjectReference, error)
}

// Item is what one member cluster reports about an object.
type Item[Status any] struct {
	// Cluster is the member's name.
	Cluster string
	// Status is the status collected from the member; nil when it has none.
	Status *Status
	// Applied tells whether the object is applied in the member; AppliedMessage says why it is not.
	Applied        bool
	AppliedMessage string
	// Health is the object's health in the member; empty when unknown.
	Health workv1alpha2.ResourceHealth
}

// Lookup returns the rule for op, or nil when gvk is another kind or there is no function for op.
func (k Kind[Object, Status]) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	if gvk != k.Kind {
		return nil
	}
	switch {
	case op == interpreter.InterpretReplica && k.Replicas != nil:
		return k.interpretReplica
	case op == interpreter.InterpretComponent && k.Components != nil:
		return k.interpretComponent
	case op == interpreter.ReviseReplica && k.Revise != nil:
		return k.reviseReplica
	case op == interpreter.Retain && k.Retain != nil:
		return k.retain
	case op == interpreter.InterpretStatus && k.Reflect != nil:
		return k.interpretStatus
	case op == interpreter.AggregateStatus && k.Aggregate != nil:
		return k.aggregateStatus
	case op == interpreter.InterpretHealth && k.Health != nil:
		return k.interpretHealth
	case op == interpreter.InterpretDependency && k.Dependencies != nil:
		return k.interpretDependency
	}
	return nil
}

func (k Kind[Object, Status]) interpretReplica(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	object, err := typed[Object]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	replicas, requirements, err := k.Replicas(ctx, object)
	return respond(&interpreter.Response{Replicas: replicas, ReplicaRequirements: requirements}, err)
}

func (k Kind[Object, Status]) interpretComponent(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	object, err := typed[Object]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	components, err := k.Components(ctx, object)
	return respond(&interpreter.Response{Components: components}, err)
}

func (k Kind[Object, Status]) reviseReplica(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	return change(req, func(object *Object) error { return k.Revise(ctx, object, req.DesiredReplicas) })
}

func (k Kind[Object, Status]) retain(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	observed, err := typed[Object]("observedObject", req.ObservedObject.Object)
	if err != nil {
		return nil, err
	}
	return change(req, func(desired *Object) error { return k.Retain(ctx, desired, observed) })
}

func (k Kind[Object, Status]) aggregateStatus(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	var items []Item[Status]
	if req.AggregatedStatus != nil {
		items = make([]Item[Status], len(req.AggregatedStatus))
	}
	for i, item := range req.AggregatedStatus {
		items[i] = Item[Status]{
			Cluster: item.ClusterName, Applied: item.Applied, AppliedMessage: item.AppliedMessage, Health: item.Health,
		}
		if item.Status == nil {
			continue
		}
		var err error
		if items[i].Status, err = typed[Status](item.ClusterName+": status", item.Status); err != nil {
			return nil, err
		}
	}
	return change(req, func(object *Object) error { return k.Aggregate(ctx, object, items) })
}

func (k Kind[Object, Status]) interpretStatus(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	object, err := typed[Object]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	status, err := k.Reflect(ctx, object)
	if err != nil || status == nil {
		return respond(&interpreter.Response{}, err)
	}
	content, err := plain(status)
	return respond(&interpreter.Response{Status: content}, err)
}

func (k Kind[Object, Status]) interpretHealth(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	object, err := typed[Object]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	health, err := k.Health(ctx, object)
	return respond(&interpreter.Response{Health: health}, err)
}

func (k Kind[Object, Status]) interpretDependency(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	object, err := typed[Object]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	refs, err := k.Dependencies(ctx, object)
	return respond(&interpreter.Response{Dependencies: interpreter.SortDependencies(refs)}, err)
}

func respond(resp *interpreter.Response, err error) (*interpreter.Response, error) {
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// change answers with the request's object changed as apply changes its typed form.
func change[T any](req *interpreter.Request, apply func(*T) error) (*interpreter.Response, error) {
	object, err := typed[T]("object", req.Object.Object)
	if err != nil {
		return nil, err
	}
	before, err := plain(object)
	if err != nil {
		return nil, err
	}
	if err := apply(object); err != nil {
		return nil, err
	}
	after, err := plain(object)
	if err != nil {
		return nil, err
	}
	changed := mergeObject(runtime.DeepCopyJSON(req.Object.Object), before, after)
	return &interpreter.Response{Object: &unstructured.Unstructured{Object: changed}}, nil
}

// typed returns the value of type T that content holds. They share no memory. The error names the field, in what field
// names.
func typed[T any](field string, content map[string]any) (*T, error) {
	out, err := decode[T](content)
	if err == nil {
		return out, nil
	}
	path, wrong := misfit[T](content)
	if path == nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if errors.Is(err, resource.ErrFormatWrong) {
		return nil, fmt.Errorf("%s.%s: want a quantity, got %v", field, strings.Join(path, "."), quoted(wrong))
	}
	return nil, fmt.Errorf("%s.%s: %w", field, strings.Join(path, "."), err)
}

func decode[T any](content map[string]any) (*T, error) {
	data, err := appendJSON(nil, content)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, utiljson.Unmarshal(data, out)
}

// misfit returns the path of the first field that does not fit T, and its value; nil when it is none of them alone.
func misfit[T any](content map[string]any) (path []string, wrong any) {
	for inside := any(content); ; inside = wrong {
		object, _ := inside.(map[string]any)
		names := slices.Sorted(maps.Keys(object))
		i := slices.IndexFunc(names, func(name string) bool {
			_, err := decode[T](nested(append(slices.Clip(path), name), object[name]))
			return err != nil
		})
		if i < 0 {
			return path, wrong
		}
		path, wrong = append(path, names[i]), object[names[i]]
	}
}

// nested returns the object that has nothing but value, at path.
func nested(path []string, value any) map[string]any {
	for _, name := range slices.Backward(path[1:]) {
		value = map[string]any{name: value}
	}
	return map[string]any{path[0]: value}
}

// quoted returns a plain value as JSON.
func quoted(value any) string {
	data, err := appendJSON(nil, value)
	if err != nil {
		return describe(value)
	}
	return string(data)
}

// plain returns v, which is a pointer to a struct, as plain values.
func plain(v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return content, nil
}

// mergeObject changes object, in place, as before was changed to after, and returns it. All three are plain; before and
// after lack what their Go type does not know.
func mergeObject(object, before, after map[string]any) map[string]any {
	for name := range before {
		if _, ok := after[name]; !ok {
			delete(object, name)
		}
	}
	for name, value := range after {
		old, known := before[name]
		if known && equal(old, value) {
			continue
		}
		object[name] = mergeValue(object[name], old, value)
	}
	return object
}

func mergeValue(value, before, after any) any {
	switch a := after.(type) {
	case map[string]any:
		b, wasObject := before.(map[string]any)
		v, isObject := value.(map[string]any)
		switch {
		case !wasObject:
		case isObject:
			return mergeObject(v, b, a)
		case value == nil: // the Go type has it always
			return mergeObject(make(map[string]any, len(a)), b, a)
		}
	case []any:
		v, isList := value.([]any)
		b, wasList := before.([]any)
		if isList && wasList && len(v) == len(b) {
			return mergeList(v, b, a)
		}
	}
	return after
}

// mergeList returns after with the elements as list has them that were not changed, wherever they are now. Of the others,
// when there are as many elements as before, one is changed in place that stands where one was that is gone.
func mergeList(list, before, after []any) []any {
	start, end := ends(before, after)
	places := map[string][]int{} // of the elements between the ends, by what they are
	gone := make([]bool, len(before))
	for i := start; i < len(before)-end; i++ {
		text := quoted(before[i])
		places[text], gone[i] = append(places[text], i), true
	}
	out := append(make([]any, 0, len(after)), list[:start]...)
	var changed []int
	for i := start; i < len(after)-end; i++ {
		text := quoted(after[i])
		if place := places[text]; len(place) > 0 {
			out = append(out, list[place[0]])
			places[text], gone[place[0]] = place[1:], false
		} else {
			out, changed = append(out, after[i]), append(changed, i)
		}
	}
	for _, i := range changed {
		if len(before) == len(after) && gone[i] {
			out[i] = mergeValue(list[i], before[i], after[i])
		}
	}
	return append(out, list[len(list)-end:]...)
}
