package builtin

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

var statefulSetCounters = []counter{
	{field: "availableReplicas", zero: true}, {field: "currentReplicas"}, {field: "readyReplicas"}, {field: "replicas", zero: true},
	{field: "updatedReplicas"},
}

var statefulSet = kind{
	gvk:          appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
	templates:    atSpecTemplate,
	replicas:     replicasAt("replicas"),
	revise:       reviseAt("replicas"),
	reflect:      reportGenerations(statefulSetCounters),
	aggregate:    aggregateGenerations(statefulSetCounters),
	health:       statefulSetHealth,
	dependencies: statefulSetDependencies,
}

func statefulSetHealth(object map[string]any) (interpreter.Health, error) {
	r, err := readRollout(object)
	if err != nil {
		return interpreter.Health{}, err
	}
	updated, err := r.reachReplicas("updatedReplicas", "replicas updated")
	if err != nil {
		return interpreter.Health{}, err
	}
	if _, err := r.reach("availableReplicas", updated, "updated replicas available"); err != nil {
		return interpreter.Health{}, err
	}
	return r.health()
}

// statefulSetDependencies leaves out claims that are named like one of volumeClaimTemplates: the controller puts its own
// in their place.
func statefulSetDependencies(object map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
	refs, err := dependenciesAt("spec", "template")(object)
	if err != nil {
		return nil, err
	}
	spec, err := value.Map(object, "spec")
	if err != nil {
		return nil, err
	}
	err = value.Each(spec, "volumeClaimTemplates", func(claim map[string]any) error {
		name, err := value.StringAt(claim, "metadata", "name")
		if err != nil {
			return err
		}
		refs = slices.DeleteFunc(refs, func(ref configv1alpha1.DependentObjectReference) bool {
			return ref.Kind == "PersistentVolumeClaim" && ref.Name == name
		})
		return nil
	})
	if err != nil {
		return nil, value.In("spec", err)
	}
	return refs, nil
}
