package script

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Encode returns resp, an answer to op, as the plain value that Decode makes it from, in the fullest of the shapes that
// Decode accepts: replicas as {"replicas"} or {"replicas", "replicaRequirements"}, health as {"state", "message"}, a
// list for components and dependencies, empty when there are none, nil for no status. Quantities are strings. The value
// may share memory with resp.
func Encode(op interpreter.Operation, resp *interpreter.Response) (any, error) {
	info := op.Info()
	if info == nil {
		return nil, fmt.Errorf("unknown operation %q", op)
	}
	switch info.Result {
	case interpreter.ResultReplicas:
		out := map[string]any{"replicas": int64(resp.Replicas)}
		if r := resp.ReplicaRequirements; r != nil {
			m := map[string]any{}
			putText(m, "namespace", r.Namespace)
			if err := encodeRequirements(m, r.NodeClaim, r.ResourceRequest, r.PriorityClassName); err != nil {
				return nil, err
			}
			out["replicaRequirements"] = m
		}
		return out, nil
	case interpreter.ResultComponents:
		return encodeComponents(resp.Components)
	case interpreter.ResultObject:
		return resp.Object.Object, nil
	case interpreter.ResultStatus:
		if resp.Status == nil {
			return nil, nil
		}
		return resp.Status, nil
	case interpreter.ResultHealth:
		return map[string]any{"state": string(resp.Health.State), "message": resp.Health.Message}, nil
	default:
		return encodeDependencies(resp.Dependencies)
	}
}

func encodeComponents(components []workv1alpha2.Component) (any, error) {
	out := make([]any, len(components))
	for i, c := range components {
		m := map[string]any{"name": c.Name, "replicas": int64(c.Replicas)}
		if r := c.ReplicaRequirements; r != nil {
			requirements := map[string]any{}
			if err := encodeRequirements(requirements, r.NodeClaim, r.ResourceRequest, r.PriorityClassName); err != nil {
				return nil, err
			}
			m["replicaRequirements"] = requirements
		}
		out[i] = m
	}
	return out, nil
}

func encodeRequirements(m map[string]any, claim *workv1alpha2.NodeClaim, request corev1.ResourceList, priorityClass string) error {
	if claim != nil {
		plain, err := throughJSON(claim)
		if err != nil {
			return fmt.Errorf("nodeClaim: %w", err)
		}
		m["nodeClaim"] = plain
	}
	if request != nil {
		resources := make(map[string]any, len(request))
		for name, quantity := range request {
			resources[string(name)] = quantity.String()
		}
		m["resourceRequest"] = resources
	}
	putText(m, "priorityClassName", priorityClass)
	return nil
}

func encodeDependencies(refs []configv1alpha1.DependentObjectReference) (any, error) {
	out := make([]any, len(refs))
	for i, ref := range refs {
		m := map[string]any{"apiVersion": ref.APIVersion, "kind": ref.Kind}
		putText(m, "namespace", ref.Namespace)
		putText(m, "name", ref.Name)
		if ref.LabelSelector != nil {
			selector, err := throughJSON(ref.LabelSelector)
			if err != nil {
				return nil, fmt.Errorf("dependencies[%d].labelSelector: %w", i, err)
			}
			m["labelSelector"] = selector
		}
		out[i] = m
	}
	return out, nil
}

func putText(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}

// throughJSON returns a small typed value as a plain one.
func throughJSON(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	return out, utiljson.Unmarshal(data, &out)
}
