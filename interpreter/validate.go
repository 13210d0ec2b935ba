package interpreter

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Validate tells how resp breaks the contract of req's operation; nil when it does not. Each problem names the field,
// what was wanted and what was there.
func Validate(req *Request, resp *Response) error {
	info := req.Operation.Info()
	if info == nil {
		return fmt.Errorf("unknown operation %q", req.Operation)
	}
	if resp == nil {
		return errors.New("response: want one, got none")
	}
	switch info.Result {
	case ResultReplicas:
		return validateReplicas(resp)
	case ResultComponents:
		return validateComponents(resp.Components)
	case ResultObject:
		return ValidateIdentity(req.Object, resp.Object)
	case ResultHealth:
		if !slices.Contains(HealthStates(), resp.Health.State) {
			return fmt.Errorf("health.state: want one of %v, got %q", HealthStates(), resp.Health.State)
		}
	case ResultDependencies:
		return ValidateDependencies(resp.Dependencies)
	case ResultStatus:
	}
	return nil
}

func validateReplicas(resp *Response) error {
	if resp.Replicas < 0 {
		return fmt.Errorf("replicas: want at least 0, got %d", resp.Replicas)
	}
	if resp.ReplicaRequirements != nil {
		return validateRequest(resp.ReplicaRequirements.ResourceRequest)
	}
	return nil
}

func validateComponents(components []workv1alpha2.Component) error {
	seen := make(map[string]bool, len(components))
	for i, c := range components {
		switch {
		case c.Name == "":
			return fmt.Errorf("components[%d].name: want a name, got none", i)
		case seen[c.Name]:
			return fmt.Errorf("components[%d].name: %q appears twice: want one component of each name", i, c.Name)
		case c.Replicas < 0:
			return fmt.Errorf("components[%d].replicas: want at least 0, got %d", i, c.Replicas)
		}
		seen[c.Name] = true
		if c.ReplicaRequirements != nil {
			if err := validateRequest(c.ReplicaRequirements.ResourceRequest); err != nil {
				return fmt.Errorf("components[%d].%w", i, err)
			}
		}
	}
	return nil
}

func validateRequest(request corev1.ResourceList) error {
	for name, quantity := range request {
		if quantity.Sign() < 0 {
			return fmt.Errorf("replicaRequirements.resourceRequest[%s]: want at least 0, got %s", name, quantity.String())
		}
	}
	return nil
}

// ValidateIdentity tells how got is not the same object as want: another apiVersion, kind, namespace, name or uid.
func ValidateIdentity(want, got *unstructured.Unstructured) error {
	if got == nil || got.Object == nil {
		return errors.New("object: want one, got none")
	}
	for _, f := range []struct{ field, want, got string }{
		{"apiVersion", want.GetAPIVersion(), got.GetAPIVersion()},
		{"kind", want.GetKind(), got.GetKind()},
		{"metadata.namespace", want.GetNamespace(), got.GetNamespace()},
		{"metadata.name", want.GetName(), got.GetName()},
		{"metadata.uid", string(want.GetUID()), string(got.GetUID())},
	} {
		if f.want != f.got {
			return fmt.Errorf("object.%s: want %q unchanged, got %q", f.field, f.want, f.got)
		}
	}
	return nil
}

// ValidateDependencies tells which reference lacks an apiVersion, a kind, or both a name and a valid label selector.
func ValidateDependencies(refs []configv1alpha1.DependentObjectReference) error {
	for i := range refs {
		ref := &refs[i]
		field := fmt.Sprintf("dependencies[%d]", i)
		switch {
		case ref.APIVersion == "":
			return fmt.Errorf("%s.apiVersion: want a group and version, got none", field)
		case ref.Kind == "":
			return fmt.Errorf("%s.kind: want a kind, got none", field)
		case ref.Name == "" && ref.LabelSelector == nil:
			return fmt.Errorf("%s: want a name or a labelSelector of the %s, got neither", field, ref.Kind)
		}
		if ref.LabelSelector != nil {
			if _, err := metav1.LabelSelectorAsSelector(ref.LabelSelector); err != nil {
				return fmt.Errorf("%s.labelSelector: %w", field, err)
			}
		}
	}
	return nil
}
