package script

import (
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
	at := &place{name: string(in)}
	switch in {
	case interpreter.InputObject:
		req.Object, err = decodeObject(at, value)
	case interpreter.InputObserved:
		req.ObservedObject, err = decodeObject(at, value)
	case interpreter.InputReplicas:
		req.DesiredReplicas, err = at.int32(value)
	case interpreter.InputItems:
		req.AggregatedStatus, err = decodeList(at, value, decodeItem)
	case interpreter.InputContext:
		err = decodeContext(req, at, value)
	default:
		err = fmt.Errorf("unknown input %q", in)
	}
	return err
}

func decodeObject(at *place, value any) (*unstructured.Unstructured, error) {
	m, err := at.required(value)
	if err != nil {
		return nil, err
	}
	var apiVersion, kind, ignored string
	if err := at.texts(m, []textField{{"apiVersion", &apiVersion}, {"kind", &kind}}); err != nil {
		return nil, err
	}
	if kind == "" {
		return nil, at.field("kind").want("a kind", m["kind"])
	}
	metadata, err := at.field("metadata").object(m["metadata"])
	if err != nil {
		return nil, err
	}
	err = at.field("metadata").texts(metadata, []textField{{"namespace", &ignored}, {"name", &ignored}, {"uid", &ignored}})
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: m}, nil
}

func decodeItem(at *place, value any) (out interpreter.StatusItem, err error) {
	m, err := at.required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(at, m, "clusterName", "status", "applied", "appliedMessage", "health"); err != nil {
		return out, err
	}
	err = at.texts(m, []textField{
		{"clusterName", &out.ClusterName}, {"appliedMessage", &out.AppliedMessage}, {"health", (*string)(&out.Health)},
	})
	if err != nil {
		return out, err
	}
	switch applied := m["applied"].(type) {
	case nil:
	case bool:
		out.Applied = applied
	default:
		return out, at.field("applied").want("a boolean", applied)
	}
	out.Status, err = at.field("status").object(m["status"])
	return out, err
}

func decodeContext(req *interpreter.Request, at *place, value any) error {
	m, err := at.required(value)
	if err != nil {
		return err
	}
	if err := (Decoder{}).known(at, m, "cluster", "targets"); err != nil {
		return err
	}
	if req.Cluster, err = at.field("cluster").text(m["cluster"]); err != nil {
		return err
	}
	req.Targets, err = decodeList(at.field("targets"), m["targets"], decodeTarget)
	return err
}

func decodeTarget(at *place, value any) (out workv1alpha2.TargetCluster, err error) {
	m, err := at.required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(at, m, "name", "replicas", "components"); err != nil {
		return out, err
	}
	if err := at.texts(m, []textField{{"name", &out.Name}}); err != nil {
		return out, err
	}
	if replicas := m["replicas"]; replicas != nil {
		if out.Replicas, err = at.field("replicas").int32(replicas); err != nil {
			return out, err
		}
	}
	out.Components, err = decodeList(at.field("components"), m["components"], decodeTargetComponent)
	return out, err
}

func decodeTargetComponent(at *place, value any) (out workv1alpha2.TargetComponent, err error) {
	m, err := at.required(value)
	if err != nil {
		return out, err
	}
	if err := (Decoder{}).known(at, m, "name", "replicas"); err != nil {
		return out, err
	}
	if err := at.texts(m, []textField{{"name", &out.Name}}); err != nil {
		return out, err
	}
	out.Replicas, err = at.field("replicas").int32(m["replicas"])
	return out, err
}
