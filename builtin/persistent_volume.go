package builtin

import (
	corev1 "k8s.io/api/core/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

var persistentVolume = kind{
	gvk:       corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
	retain:    retainClaim,
	aggregate: aggregateVolume,

	dependencies: volumeDependencies,
}

// retainClaim keeps the claim that the member bound the volume to.
func retainClaim(copied, observed map[string]any) error {
	claim, err := value.MapAt(observed, "spec", "claimRef")
	if err != nil {
		return inObserved(err)
	}
	if claim == nil {
		return nil
	}
	spec, err := inner(copied, "spec")
	if err != nil {
		return err
	}
	theirs, err := value.Map(observed, "spec")
	if err != nil {
		return inObserved(err)
	}
	replace(spec, theirs, "claimRef")
	return nil
}

// volumePhases are the phases in the order in which the phase of one member stands for all.
var volumePhases = []string{
	string(corev1.VolumeFailed), string(corev1.VolumePending), string(corev1.VolumeAvailable), string(corev1.VolumeBound),
	string(corev1.VolumeReleased),
}

// aggregateVolume sets the phase to the first of volumePhases that a member has; one without a status is pending.
func aggregateVolume(copied map[string]any, items []interpreter.StatusItem) error {
	phase, err := firstPhase(items, volumePhases, string(corev1.VolumePending))
	if err != nil || phase == "" {
		return err
	}
	merged, err := inner(copied, "status")
	if err != nil {
		return err
	}
	merged["phase"] = phase
	return nil
}

// volumeSecrets says where each source of a volume names a Secret; a source may have several.
var volumeSecrets = [...]struct {
	source     string
	references []string
}{
	{"csi", []string{
		"controllerExpandSecretRef", "controllerPublishSecretRef", "nodeExpandSecretRef", "nodePublishSecretRef", "nodeStageSecretRef",
	}},
	{"cephfs", []string{"secretRef"}},
	{"cinder", []string{"secretRef"}},
	{"flexVolume", []string{"secretRef"}},
	{"iscsi", []string{"secretRef"}},
	{"rbd", []string{"secretRef"}},
	{"scaleIO", []string{"secretRef"}},
	{"storageos", []string{"secretRef"}},
}

// volumeDependencies are the Secrets that the volume is mounted with. One that does not name its namespace is in that of
// the claim.
func volumeDependencies(object map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
	spec, err := value.Map(object, "spec")
	if err != nil {
		return nil, err
	}
	claimed, err := value.StringAt(spec, "claimRef", "namespace")
	if err != nil {
		return nil, value.In("spec", err)
	}
	refs := []configv1alpha1.DependentObjectReference{}
	add := func(m map[string]any, nameField, namespaceField string) error {
		name, err := value.String(m, nameField)
		if err != nil || name == "" {
			return err
		}
		namespace, err := value.String(m, namespaceField)
		refs = append(refs, configv1alpha1.DependentObjectReference{
			APIVersion: "v1", Kind: "Secret", Namespace: or(namespace, claimed), Name: name,
		})
		return err
	}
	for _, s := range volumeSecrets {
		for _, reference := range s.references {
			m, err := value.MapAt(spec, s.source, reference)
			if err != nil {
				return nil, value.In("spec", err)
			}
			if err := add(m, "name", "namespace"); err != nil {
				return nil, value.In("spec."+s.source+"."+reference, err)
			}
		}
	}
	share, err := value.Map(spec, "azureFile")
	if err != nil {
		return nil, value.In("spec", err)
	}
	if err := add(share, "secretName", "secretNamespace"); err != nil {
		return nil, value.In("spec.azureFile", err)
	}
	return interpreter.SortDependencies(refs), nil
}
