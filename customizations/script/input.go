package script

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// EncodeInput returns one input of req as a plain value, with the fields that the webhook protocol has for it: an
// object, a number, the list of status items (nil for no list), or the context {"cluster", "targets"}, where what the
// asker does not say is left out. The value shares memory with req and must not be modified.
func EncodeInput(req *interpreter.Request, in interpreter.Input) any {
	switch in {
	case interpreter.InputObject:
		return req.Object.Object
	case interpreter.InputObserved:
		return req.ObservedObject.Object
	case interpreter.InputReplicas:
		return int64(req.DesiredReplicas)
	case interpreter.InputItems:
		if req.AggregatedStatus == nil {
			return nil
		}
		out := make([]any, len(req.AggregatedStatus))
		for i := range req.AggregatedStatus {
			out[i] = encodeItem(&req.AggregatedStatus[i])
		}
		return out
	case interpreter.InputContext:
		return encodeContext(req)
	}
	return nil
}

func encodeItem(item *interpreter.StatusItem) map[string]any {
	out := make(map[string]any, 5)
	out["clusterName"] = item.ClusterName
	if item.Status != nil {
		out["status"] = item.Status
	}
	if item.Applied {
		out["applied"] = true
	}
	putText(out, "appliedMessage", item.AppliedMessage)
	putText(out, "health", string(item.Health))
	return out
}

func encodeContext(req *interpreter.Request) map[string]any {
	out := map[string]any{}
	putText(out, "cluster", req.Cluster)
	if req.Targets == nil {
		return out
	}
	targets := make([]any, len(req.Targets))
	for i, target := range req.Targets {
		m := map[string]any{"name": target.Name, "replicas": int64(target.Replicas)}
		if target.Components != nil {
			components := make([]any, len(target.Components))
			for j, c := range target.Components {
				components[j] = map[string]any{"name": c.Name, "replicas": int64(c.Replicas)}
			}
			m["components"] = components
		}
		targets[i] = m
	}
	out["targets"] = targets
	return out
}

// DecodeInput sets one input of req from the plain value that EncodeInput would return for it. It is for scripts that
// ask the next rule another question than their own. Unknown fields are an error. req may then share memory with value.
func DecodeInput(req *interpreter.Request, in interpreter.Input, value any) (err error) {
	switch in {
	case interpreter.InputObject:
		req.Object, err = decodeObject(value)
	case interpreter.InputObserved:
		req.ObservedObject, err = decodeObject(value)
	case interpreter.InputReplicas:
		req.DesiredReplicas, err = count(value)
	case interpreter.InputItems:
		req.AggregatedStatus, err = decodeList(value, decodeItem)
	case interpreter.InputContext:
		err = decodeContext(req, value)
	default:
		return fmt.Errorf("unknown input %q", in)
	}
	return InField(string(in), err)
}

func decodeObject(value any) (*unstructured.Unstructured, error) {
	o, err := required(value)
	if _, isList := value.([]any); isList {
		return nil, errors.New("want the whole object, got a list; if it is one of changes, as kube.setStatus and kube.retain make for CEL, assign the fields instead and return the object")
	}
	if err != nil {
		return nil, err
	}
	var apiVersion, kind, ignored string
	if err := o.texts(textField{"apiVersion", &apiVersion}, textField{"kind", &kind}); err != nil {
		return nil, err
	}
	if kind == "" {
		return nil, InField("kind", want("a kind", o.get("kind")))
	}
	metadata, _, err := objectOf(o.get("metadata"))
	if err == nil {
		err = metadata.texts(textField{"namespace", &ignored}, textField{"name", &ignored}, textField{"uid", &ignored})
	}
	if err != nil {
		return nil, InField("metadata", err)
	}
	return &unstructured.Unstructured{Object: o.entries}, nil
}

func decodeItem(value any) (out interpreter.StatusItem, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(&o, "clusterName", "status", "applied", "appliedMessage", "health"); err != nil {
		return out, err
	}
	err = o.texts(
		textField{"clusterName", &out.ClusterName}, textField{"appliedMessage", &out.AppliedMessage},
		textField{"health", (*string)(&out.Health)},
	)
	if err != nil {
		return out, err
	}
	switch applied := o.get("applied").(type) {
	case nil:
	case bool:
		out.Applied = applied
	default:
		return out, InField("applied", want("a boolean", applied))
	}
	out.Status, err = field(&o, "status", mapOf)
	return out, err
}

func decodeContext(req *interpreter.Request, value any) error {
	o, err := required(value)
	if err != nil {
		return err
	}
	if err := (Decoder{}).known(&o, "cluster", "targets"); err != nil {
		return err
	}
	if req.Cluster, err = field(&o, "cluster", text); err != nil {
		return err
	}
	req.Targets, err = field(&o, "targets", listOf(decodeTarget))
	return err
}

func decodeTarget(value any) (out workv1alpha2.TargetCluster, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(&o, "name", "replicas", "components"); err != nil {
		return out, err
	}
	if out.Name, err = field(&o, "name", text); err != nil {
		return out, err
	}
	if o.get("replicas") != nil {
		if out.Replicas, err = field(&o, "replicas", count); err != nil {
			return out, err
		}
	}
	out.Components, err = field(&o, "components", listOf(decodeTargetComponent))
	return out, err
}

func decodeTargetComponent(value any) (out workv1alpha2.TargetComponent, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(&o, "name", "replicas"); err != nil {
		return out, err
	}
	if out.Name, err = field(&o, "name", text); err != nil {
		return out, err
	}
	out.Replicas, err = field(&o, "replicas", count)
	return out, err
}
