package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

var persistentVolumeClaim = kind{
	gvk:       corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
	retain:    retainVolumeName,
	aggregate: aggregateClaim,
	health:    claimHealth,
	prune: func(copied map[string]any) {
		removeAnnotations(copied, "volume.kubernetes.io/selected-node")
	},
}

// retainVolumeName keeps the volume that the member bound the claim to.
func retainVolumeName(copied, observed map[string]any) error {
	name, err := value.StringAt(observed, "spec", "volumeName")
	if err != nil {
		return inObserved(err)
	}
	if name == "" {
		return nil
	}
	spec, err := inner(copied, "spec")
	if err != nil {
		return err
	}
	spec["volumeName"] = name
	return nil
}

// claimPhases are the phases in the order in which the phase of one member stands for all.
var claimPhases = []string{string(corev1.ClaimLost), string(corev1.ClaimPending)}

// aggregateClaim sets the phase to the first of claimPhases that a member has, and to Bound when none has one. A member
// without a status does not count.
func aggregateClaim(copied map[string]any, items []interpreter.StatusItem) error {
	phase, err := firstPhase(items, claimPhases, "")
	if err != nil {
		return err
	}
	merged, err := inner(copied, "status")
	if err != nil {
		return err
	}
	merged["phase"] = or(phase, string(corev1.ClaimBound))
	return nil
}

func claimHealth(object map[string]any) (interpreter.Health, error) {
	of, err := value.Map(object, "status")
	if err != nil {
		return interpreter.Health{}, err
	}
	phase, err := value.String(of, "phase")
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	switch phase {
	case string(corev1.ClaimBound):
		return interpreter.Health{State: interpreter.Healthy}, nil
	case string(corev1.ClaimLost):
		return interpreter.Health{State: interpreter.Degraded, Message: "the volume that the claim was bound to is lost"}, nil
	}
	return interpreter.Health{State: interpreter.Progressing, Message: "the claim is not bound yet"}, nil
}
