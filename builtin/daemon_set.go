package builtin

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/dragoman-io/dragoman/interpreter"
)

var daemonSetCounters = []counter{
	{field: "currentNumberScheduled", zero: true}, {field: "desiredNumberScheduled", zero: true},
	{field: "numberAvailable"}, {field: "numberMisscheduled", zero: true}, {field: "numberReady", zero: true},
	{field: "updatedNumberScheduled"}, {field: "numberUnavailable"},
}

// daemonSet has no replicas: how many pods it runs is up to the nodes of each member.
var daemonSet = kind{
	gvk:          appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
	templates:    atSpecTemplate,
	pods:         podsAt("spec", "template"),
	reflect:      reportGenerations(daemonSetCounters),
	aggregate:    aggregateGenerations(daemonSetCounters),
	health:       daemonSetHealth,
	dependencies: dependenciesAt("spec", "template"),
}

func daemonSetHealth(object map[string]any) (interpreter.Health, error) {
	r, err := readRollout(object)
	if err != nil {
		return interpreter.Health{}, err
	}
	desired, err := r.count("desiredNumberScheduled")
	if err != nil {
		return interpreter.Health{}, err
	}
	updated, err := r.reach("updatedNumberScheduled", desired, "pods updated")
	if err != nil {
		return interpreter.Health{}, err
	}
	if _, err := r.reach("numberAvailable", updated, "updated pods available"); err != nil {
		return interpreter.Health{}, err
	}
	return r.health()
}
