package builtin

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// retainReplicasLabel, with the value "true", says that the number of replicas is decided in the members.
const retainReplicasLabel = "resourcetemplate.karmada.io/retain-replicas"

var deploymentCounters = []counter{
	{field: "replicas"}, {field: "readyReplicas"}, {field: "updatedReplicas"}, {field: "availableReplicas"},
	{field: "unavailableReplicas"},
}

var deployment = kind{
	gvk:          appsv1.SchemeGroupVersion.WithKind("Deployment"),
	templates:    atSpecTemplate,
	replicas:     replicasAt("replicas"),
	revise:       reviseAt("replicas"),
	retain:       retainReplicas,
	reflect:      reportGenerations(deploymentCounters),
	aggregate:    aggregateGenerations(deploymentCounters), // conditions stay as they are: they contradict each other
	health:       deploymentHealth,
	dependencies: dependenciesAt("spec", "template"),
	prune: func(copied map[string]any) {
		removeAnnotations(copied, "deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history")
	},
}

// retainReplicas keeps the member's number of replicas where the label asks for it.
func retainReplicas(copied, observed map[string]any) error {
	labels, err := value.MapAt(copied, "metadata", "labels")
	if err != nil {
		return err
	}
	if labels[retainReplicasLabel] != "true" {
		return nil
	}
	theirs, err := value.Map(observed, "spec")
	if err != nil {
		return inObserved(err)
	}
	n, ok, err := value.Count(theirs, "replicas")
	if err != nil {
		return inObserved(value.In("spec", err))
	}
	if !ok {
		return inObserved(value.Wrong("spec.replicas", "the number to retain", nil))
	}
	spec, err := inner(copied, "spec")
	if err != nil {
		return err
	}
	spec["replicas"] = int64(n)
	return nil
}

func deploymentHealth(object map[string]any) (interpreter.Health, error) {
	r, err := readRollout(object)
	if err != nil {
		return interpreter.Health{}, err
	}
	paused, err := value.Bool(r.spec, "paused")
	if err != nil {
		return interpreter.Health{}, value.In("spec", err)
	}
	what := "replicas updated"
	if paused {
		what += ", and the rollout is paused"
	}
	updated, err := r.reachReplicas("updatedReplicas", what)
	if err != nil {
		return interpreter.Health{}, err
	}
	if _, err := r.reach("availableReplicas", updated, "updated replicas available"); err != nil {
		return interpreter.Health{}, err
	}
	return r.health(failure{"Progressing", "False"}, replicaFailure)
}
