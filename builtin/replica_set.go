package builtin

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/dragoman-io/dragoman/interpreter"
)

var replicaSetCounters = []counter{
	{field: "replicas", zero: true}, {field: "readyReplicas"}, {field: "availableReplicas"},
}

var replicaSet = kind{
	gvk:          appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
	templates:    atSpecTemplate,
	replicas:     replicasAt("replicas"),
	revise:       reviseAt("replicas"),
	reflect:      reportGenerations(replicaSetCounters),
	aggregate:    aggregateGenerations(replicaSetCounters),
	health:       replicaSetHealth,
	dependencies: dependenciesAt("spec", "template"),
}

func replicaSetHealth(object map[string]any) (interpreter.Health, error) {
	r, err := readRollout(object)
	if err != nil {
		return interpreter.Health{}, err
	}
	if _, err := r.reachReplicas("availableReplicas", "replicas available"); err != nil {
		return interpreter.Health{}, err
	}
	return r.health(replicaFailure)
}
