package script

import (
	"fmt"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Decode returns the response to req that value stands for: what a script returned, as plain Go values (nil, bool,
// int64, float64, string, map[string]any, []any). The operation's OperationInfo.Result says which shape it must have:
//
//	ResultReplicas      a whole number, or {"replicas", "replicaRequirements"}
//	ResultComponents    a list of {"name", "replicas", "replicaRequirements"}, or nil
//	ResultObject        the object
//	ResultStatus        the status, or nil for none
//	ResultHealth        a boolean, a state, or {"state", "message"}
//	ResultDependencies  a list of {"apiVersion", "kind", "namespace", "name", "labelSelector"}
//
// Decode is strict: a key that the shape does not have, a value of another type, a fraction or an overflow where a whole
// number is wanted, NaN, and whatever interpreter.Validate refuses are errors that name the field, as in
// "components[1].replicas: want a whole number, got 2.9". A float64 without a fraction is a whole number, a null field
// an absent one; a quantity may be a number or a string. Of several errors it reports always the same one.
//
// Where an object is wanted that is none of the user's own, value may have Fields instead of a map.
//
// The response may share memory with value, which must not be used afterwards.
func Decode(req *interpreter.Request, value any) (*interpreter.Response, error) {
	return Decoder{}.Decode(req, value)
}

// Decoder is a way to decode. The zero Decoder is the strict one that the function Decode uses.
type Decoder struct {
	// Lenient decodes what the peer decodes from Lua: keys that the shape does not have are ignored, and a component without
	// replicas has 0.
	Lenient bool
}

// Decode is the function Decode, with the ways of d.
func (d Decoder) Decode(req *interpreter.Request, value any) (*interpreter.Response, error) {
	info := req.Operation.Info()
	if info == nil {
		return nil, fmt.Errorf("unknown operation %q", req.Operation)
	}
	resp := &interpreter.Response{}
	var err error
	switch info.Result {
	case interpreter.ResultReplicas:
		err = d.replicas(resp, value)
	case interpreter.ResultComponents:
		resp.Components, err = decodeList(value, d.component)
		err = InField("components", err)
	case interpreter.ResultObject:
		resp.Object, err = decodeObject(value)
		err = InField("object", err)
	case interpreter.ResultStatus:
		resp.Status, err = mapOf(value)
		err = InField("status", err)
	case interpreter.ResultHealth:
		resp.Health, err = d.health(value)
		err = InField("health", err)
	case interpreter.ResultDependencies:
		resp.Dependencies, err = d.dependencies(value)
		err = InField("dependencies", err)
	}
	if err != nil {
		return nil, err
	}
	if err := interpreter.Validate(req, resp); err != nil {
		return nil, err
	}
	// Only now, so that errors count from the script's own list.
	resp.Dependencies = interpreter.SortDependencies(resp.Dependencies)
	return resp, nil
}

func (d Decoder) replicas(resp *interpreter.Response, value any) error {
	switch value.(type) {
	case map[string]any, Fields:
	default:
		var err error
		resp.Replicas, err = count(value)
		return InField("replicas", err)
	}
	o, err := required(value)
	if err != nil {
		return err
	}
	if err := d.known(&o, "replicas", "replicaRequirements"); err != nil {
		return err
	}
	if resp.Replicas, err = field(&o, "replicas", count); err != nil {
		return err
	}
	resp.ReplicaRequirements, err = field(&o, "replicaRequirements", d.replicaRequirements)
	return err
}

func (d Decoder) component(value any) (out workv1alpha2.Component, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(&o, "name", "replicas", "replicaRequirements"); err != nil {
		return out, err
	}
	if out.Name, err = field(&o, "name", text); err != nil {
		return out, err
	}
	if !d.Lenient || o.get("replicas") != nil {
		if out.Replicas, err = field(&o, "replicas", count); err != nil {
			return out, err
		}
	}
	out.ReplicaRequirements, err = field(&o, "replicaRequirements", d.componentRequirements)
	return out, err
}

func (d Decoder) health(value any) (out interpreter.Health, err error) {
	switch v := value.(type) {
	case bool:
		return interpreter.HealthOf(v), nil
	case string:
		return interpreter.Health{State: interpreter.HealthState(v)}, nil
	case map[string]any, Fields:
		o, err := required(v)
		if err != nil {
			return out, err
		}
		if err := d.known(&o, "state", "message"); err != nil {
			return out, err
		}
		return out, o.texts(textField{"state", (*string)(&out.State)}, textField{"message", &out.Message})
	default:
		return out, want("a boolean, a state, or a state and a message", value)
	}
}

func (d Decoder) dependencies(value any) ([]configv1alpha1.DependentObjectReference, error) {
	if value == nil {
		return nil, want("a list", value)
	}
	return decodeList(value, d.dependency)
}

func (d Decoder) dependency(value any) (out configv1alpha1.DependentObjectReference, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(&o, "apiVersion", "kind", "namespace", "name", "labelSelector"); err != nil {
		return out, err
	}
	err = o.texts(
		textField{"apiVersion", &out.APIVersion}, textField{"kind", &out.Kind},
		textField{"namespace", &out.Namespace}, textField{"name", &out.Name},
	)
	if err != nil {
		return out, err
	}
	out.LabelSelector, err = field(&o, "labelSelector", d.labelSelector)
	return out, err
}
