package builtin

import (
	"strings"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/podspec"
)

// atSpecTemplate is where most kinds keep their pod template.
var atSpecTemplate = [][]string{{"spec", "template"}}

// replicasAt returns the InterpretReplica rule of a kind that has its number of replicas in spec.<field>, absent meaning
// 0, and its pod template in spec.template.
func replicasAt(field string) func(map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error) {
	return func(object map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error) {
		spec, err := value.Map(object, "spec")
		if err != nil {
			return 0, nil, err
		}
		n, _, err := value.Count(spec, field)
		if err != nil {
			return 0, nil, value.In("spec", err)
		}
		requirements, err := templateRequirements(object, "spec", "template")
		return n, requirements, err
	}
}

// podsAt returns the rule of a kind that has no replicas, and its pod template at path.
func podsAt(path ...string) func(map[string]any) (*workv1alpha2.ReplicaRequirements, error) {
	return func(object map[string]any) (*workv1alpha2.ReplicaRequirements, error) {
		return templateRequirements(object, path...)
	}
}

// templateRequirements returns what a pod of the template at path needs.
func templateRequirements(object map[string]any, path ...string) (*workv1alpha2.ReplicaRequirements, error) {
	template, err := value.MapAt(object, path...)
	if err != nil {
		return nil, err
	}
	requirements, err := podspec.Requirements(template)
	return requirements, value.In(strings.Join(path, "."), err)
}

// reviseAt returns the ReviseReplica rule of a kind that has its number of replicas in spec.<field>.
func reviseAt(field string) func(map[string]any, *interpreter.Request) error {
	return func(copied map[string]any, req *interpreter.Request) error {
		_, err := setReplicas(copied, field, req.DesiredReplicas)
		return err
	}
}

// setReplicas sets the number in spec.<field> of copied to n, and tells whether it did. An object that has no number there
// keeps having none: it leaves the number to somebody else, an autoscaler for example.
func setReplicas(copied map[string]any, field string, n int32) (bool, error) {
	spec, err := value.Map(copied, "spec")
	if err != nil {
		return false, err
	}
	_, ok, err := value.Count(spec, field)
	if err != nil {
		return false, value.In("spec", err)
	}
	if ok {
		spec[field] = int64(n)
	}
	return ok, nil
}

// dependenciesAt returns the InterpretDependency rule of a kind that has its pod template at path.
func dependenciesAt(path ...string) func(map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
	return func(object map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
		namespace, err := value.StringAt(object, "metadata", "namespace")
		if err != nil {
			return nil, err
		}
		template, err := value.MapAt(object, path...)
		if err != nil {
			return nil, err
		}
		refs, err := podspec.Dependencies(template, namespace)
		if err != nil && len(path) > 0 {
			return nil, value.In(strings.Join(path, "."), err)
		}
		return refs, err
	}
}
