package podspec

import (
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Requirements returns what one pod of template needs; nil when it needs nothing in particular. Namespace and
// PriorityClassName are not set.
//
// The node claim holds the node selector, the tolerations and the required node affinity. The resource request is what
// Kubernetes counts: of each resource the greater of what the containers ask for together and of what starting the init
// containers takes at most, a restartable one being counted from its start to the end of the pod; in place of that what
// the pod asks for as a whole; and the overhead. A missing request is its limit. As the scheduler does, each value is
// rounded up: cpu to a thousandth, other resources to one; what comes to 0 is left out.
func Requirements(template map[string]any) (*workv1alpha2.ReplicaRequirements, error) {
	spec, err := value.Map(template, "spec")
	if err != nil {
		return nil, err
	}
	out, err := SpecRequirements(spec)
	return out, value.In("spec", err)
}

// SpecRequirements is Requirements of a pod spec instead of a template; its errors name fields from the spec downwards.
func SpecRequirements(spec map[string]any) (*workv1alpha2.ReplicaRequirements, error) {
	claim, err := nodeClaim(spec)
	if err != nil {
		return nil, err
	}
	sum, err := podRequest(spec)
	if err != nil {
		return nil, err
	}
	request := sum.list()
	if claim == nil && request == nil {
		return nil, nil
	}
	return &workv1alpha2.ReplicaRequirements{NodeClaim: claim, ResourceRequest: request}, nil
}

// RequirementsValue is Requirements as plain values, in the JSON form of ReplicaRequirements: nodeClaim and
// resourceRequest, each only if there is one, quantities as canonical strings. Unlike the typed form it keeps fields of
// tolerations and node affinity that this version does not know.
func RequirementsValue(template map[string]any) (map[string]any, error) {
	spec, err := value.Map(template, "spec")
	if err != nil {
		return nil, err
	}
	out, err := specRequirementsValue(spec)
	return out, value.In("spec", err)
}

func specRequirementsValue(spec map[string]any) (map[string]any, error) {
	claim, err := nodeClaim(spec)
	if err != nil {
		return nil, err
	}
	sum, err := podRequest(spec)
	if err != nil {
		return nil, err
	}
	request := sum.value()
	if claim == nil && request == nil {
		return nil, nil
	}
	out := make(map[string]any, 2)
	if claim != nil {
		out["nodeClaim"] = nodeClaimValue(spec)
	}
	if request != nil {
		out["resourceRequest"] = request
	}
	return out, nil
}

// nodeClaimValue copies the parts of a node claim from a spec that nodeClaim has accepted.
func nodeClaimValue(spec map[string]any) map[string]any {
	out := make(map[string]any, 3)
	if selector := spec["nodeSelector"]; selector != nil {
		out["nodeSelector"] = value.Copy(selector)
	}
	if tolerations, _ := spec["tolerations"].([]any); len(tolerations) > 0 {
		out["tolerations"] = value.Copy(tolerations)
	}
	affinity, _ := value.MapAt(spec, "affinity", "nodeAffinity", requiredAffinity)
	if affinity != nil {
		out["hardNodeAffinity"] = value.CopyMap(affinity)
	}
	return out
}
