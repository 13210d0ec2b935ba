package podspec

import (
	"cmp"
	"slices"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// The kinds that a pod refers to.
const (
	configMap      = "ConfigMap"
	secret         = "Secret"
	serviceAccount = "ServiceAccount"
	volumeClaim    = "PersistentVolumeClaim"
)

// Dependencies returns the objects that pods of template refer to: the ConfigMaps, Secrets and PersistentVolumeClaims of
// its volumes, the ConfigMaps and Secrets of the environment of its containers of every sort, the Secrets it pulls images
// with, and its ServiceAccount unless that is the default one. They are in namespace, or carry no namespace when it is
// empty. The list is sorted and without duplicates, empty but not nil when there are none.
//
// A reference that is optional counts, one with an empty name does not.
func Dependencies(template map[string]any, namespace string) ([]configv1alpha1.DependentObjectReference, error) {
	spec, err := value.Map(template, "spec")
	if err != nil {
		return nil, err
	}
	out, err := SpecDependencies(spec, namespace)
	return out, value.In("spec", err)
}

// SpecDependencies is Dependencies of a pod spec instead of a template; its errors name fields from the spec downwards.
func SpecDependencies(spec map[string]any, namespace string) ([]configv1alpha1.DependentObjectReference, error) {
	refs, err := references(spec)
	if err != nil {
		return nil, err
	}
	out := make([]configv1alpha1.DependentObjectReference, len(refs))
	for i, ref := range refs {
		out[i] = configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: ref.kind, Namespace: namespace, Name: ref.name}
	}
	return out, nil
}

// DependenciesValue is Dependencies as plain values, in the JSON form of DependentObjectReference.
func DependenciesValue(template map[string]any, namespace string) ([]any, error) {
	spec, err := value.Map(template, "spec")
	if err != nil {
		return nil, err
	}
	refs, err := references(spec)
	if err != nil {
		return nil, value.In("spec", err)
	}
	out := make([]any, len(refs))
	for i, ref := range refs {
		m := map[string]any{"apiVersion": "v1", "kind": ref.kind, "name": ref.name}
		if namespace != "" {
			m["namespace"] = namespace
		}
		out[i] = m
	}
	return out, nil
}

// reference is an object of the core group in the pod's namespace.
type reference struct{ kind, name string }

// referenceSet collects references.
type referenceSet []reference

// add adds the object of kind that the string at field of m names, if it does.
func (s *referenceSet) add(kind string, m map[string]any, field string) error {
	name, err := value.String(m, field)
	if err == nil && name != "" {
		*s = append(*s, reference{kind, name})
	}
	return err
}

// addIn adds the object of kind that the string at field of the object at parent of m names, if it does.
func (s *referenceSet) addIn(kind string, m map[string]any, parent, field string) error {
	inner, err := value.Map(m, parent)
	if err != nil || inner == nil {
		return err
	}
	return value.In(parent, s.add(kind, inner, field))
}

// references returns what spec refers to, sorted and without duplicates.
func references(spec map[string]any) ([]reference, error) {
	var s referenceSet
	for _, field := range [...]string{"containers", "initContainers", "ephemeralContainers"} {
		if err := value.Each(spec, field, s.addContainer); err != nil {
			return nil, err
		}
	}
	if err := value.Each(spec, "volumes", s.addVolume); err != nil {
		return nil, err
	}
	if err := value.Each(spec, "imagePullSecrets", func(m map[string]any) error { return s.add(secret, m, "name") }); err != nil {
		return nil, err
	}
	if err := s.addServiceAccount(spec); err != nil {
		return nil, err
	}
	slices.SortFunc(s, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(s), nil
}

func (s *referenceSet) addContainer(container map[string]any) error {
	err := value.Each(container, "env", func(m map[string]any) error {
		from, err := value.Map(m, "valueFrom")
		if err != nil || from == nil {
			return err
		}
		if err := s.addIn(configMap, from, "configMapKeyRef", "name"); err != nil {
			return value.In("valueFrom", err)
		}
		return value.In("valueFrom", s.addIn(secret, from, "secretKeyRef", "name"))
	})
	if err != nil {
		return err
	}
	return value.Each(container, "envFrom", func(m map[string]any) error {
		if err := s.addIn(configMap, m, "configMapRef", "name"); err != nil {
			return err
		}
		return s.addIn(secret, m, "secretRef", "name")
	})
}

// volumeSources says how each kind of volume names an object: volume.<source>.<name>, or
// volume.<source>.<reference>.<name> where there is a reference.
var volumeSources = [...]struct{ source, reference, name, kind string }{
	{"configMap", "", "name", configMap},
	{"secret", "", "secretName", secret},
	{"persistentVolumeClaim", "", "claimName", volumeClaim},
	{"csi", "nodePublishSecretRef", "name", secret},
	{"azureFile", "", "secretName", secret},
	{"cephfs", "secretRef", "name", secret},
	{"cinder", "secretRef", "name", secret},
	{"flexVolume", "secretRef", "name", secret},
	{"iscsi", "secretRef", "name", secret},
	{"rbd", "secretRef", "name", secret},
	{"scaleIO", "secretRef", "name", secret},
	{"storageos", "secretRef", "name", secret},
}

func (s *referenceSet) addVolume(volume map[string]any) error {
	for i := range volumeSources {
		v := &volumeSources[i]
		source, err := value.Map(volume, v.source)
		if err != nil {
			return err
		}
		if source == nil {
			continue
		}
		if v.reference == "" {
			err = s.add(v.kind, source, v.name)
		} else {
			err = s.addIn(v.kind, source, v.reference, v.name)
		}
		if err != nil {
			return value.In(v.source, err)
		}
	}
	projected, err := value.Map(volume, "projected")
	if err != nil || projected == nil {
		return err
	}
	return value.In("projected", value.Each(projected, "sources", func(m map[string]any) error {
		if err := s.addIn(configMap, m, "configMap", "name"); err != nil {
			return err
		}
		return s.addIn(secret, m, "secret", "name")
	}))
}

// addServiceAccount adds the service account, by its field or by the field's older name.
func (s *referenceSet) addServiceAccount(spec map[string]any) error {
	name, err := value.String(spec, "serviceAccountName")
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = value.String(spec, "serviceAccount"); err != nil {
			return err
		}
	}
	if name != "" && name != "default" {
		*s = append(*s, reference{serviceAccount, name})
	}
	return nil
}
