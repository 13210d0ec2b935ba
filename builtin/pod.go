package builtin

import (
	corev1 "k8s.io/api/core/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/podspec"
	"github.com/dragoman-io/dragoman/status"
)

var pod = kind{
	gvk:          corev1.SchemeGroupVersion.WithKind("Pod"),
	templates:    [][]string{{}},
	replicas:     podReplicas,
	retain:       retainPod,
	aggregate:    aggregatePod,
	health:       podHealth,
	dependencies: dependenciesAt(),
}

func podReplicas(object map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error) {
	requirements, err := podspec.Requirements(object)
	return 1, requirements, err
}

// retainPod keeps what a member's scheduler and admission write into a pod when it is created, and nobody may change.
func retainPod(copied, observed map[string]any) error {
	theirs, err := value.Map(observed, "spec")
	if err != nil {
		return inObserved(err)
	}
	if theirs == nil {
		return nil
	}
	spec, err := inner(copied, "spec")
	if err != nil {
		return err
	}
	for _, field := range [...]string{"nodeName", "serviceAccountName", "volumes"} {
		replace(spec, theirs, field)
	}
	for _, field := range [...]string{"containers", "initContainers"} {
		if err := retainVolumeMounts(spec, theirs, field); err != nil {
			return err
		}
	}
	return nil
}

// retainVolumeMounts makes the volumeMounts of each container in the list at field of spec those of the container of the
// same name in theirs, if there is one.
func retainVolumeMounts(spec, theirs map[string]any, field string) error {
	byName := map[string]map[string]any{}
	err := value.Each(theirs, field, func(container map[string]any) error {
		name, err := value.String(container, "name")
		if err == nil {
			byName[name] = container
		}
		return err
	})
	if err != nil {
		return inObserved(value.In("spec", err))
	}
	return value.In("spec", value.Each(spec, field, func(container map[string]any) error {
		name, err := value.String(container, "name")
		if err != nil || container == nil {
			return err
		}
		if from, ok := byName[name]; ok {
			replace(container, from, "volumeMounts")
		}
		return nil
	}))
}

// podPhases are the phases in the order in which the phase of one member stands for all.
var podPhases = []string{string(corev1.PodFailed), string(corev1.PodPending), string(corev1.PodRunning), string(corev1.PodSucceeded)}

// aggregatePod replaces the status: the phase is the first of podPhases that a member has, a member without a status being
// pending; of each container remains whether it is ready, and its state.
func aggregatePod(copied map[string]any, items []interpreter.StatusItem) error {
	if len(items) == 0 {
		return nil
	}
	phase, err := firstPhase(items, podPhases, string(corev1.PodPending))
	if err != nil {
		return err
	}
	merged := map[string]any{}
	setText(merged, "phase", phase)
	for _, field := range [...]string{"containerStatuses", "initContainerStatuses"} {
		containers, err := concatenate(items, field)
		if err != nil {
			return err
		}
		for i, v := range containers {
			containers[i] = keptOf(v.(map[string]any))
		}
		setList(merged, field, containers)
	}
	copied["status"] = merged
	return nil
}

// keptOf returns what remains of a container's status. One that has ended keeps its name as well: an API server refuses a
// status in which a container of the same name, none being a name too, has not ended any more.
func keptOf(container map[string]any) map[string]any {
	kept := map[string]any{}
	for _, field := range [...]string{"ready", "state"} {
		replace(kept, container, field)
	}
	if state, _ := container["state"].(map[string]any); state["terminated"] != nil {
		replace(kept, container, "name")
	}
	return kept
}

// firstPhase returns the first of order that is the phase of an item; missing is the phase of an item without a status.
// When no item has a phase of order it is the smallest of those that there are.
func firstPhase(items []interpreter.StatusItem, order []string, missing string) (string, error) {
	best, rank := "", len(order)+1
	for i := range items {
		item := &items[i]
		phase := missing
		if item.Status != nil {
			var err error
			if phase, err = value.String(item.Status, "phase"); err != nil {
				return "", status.InStatus(item, err)
			}
		}
		if phase == "" {
			continue
		}
		r := indexOr(order, phase, len(order))
		if r < rank || (r == rank && phase < best) {
			best, rank = phase, r
		}
	}
	return best, nil
}
