package builtin

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// derivedPrefix begins the name of the Service that is made from a ServiceImport.
const derivedPrefix = "derived-"

var serviceImport = kind{
	gvk:          schema.GroupVersionKind{Group: "multicluster.x-k8s.io", Version: "v1alpha1", Kind: "ServiceImport"},
	dependencies: serviceImportDependencies,
}

// serviceImportDependencies are the Service that is made from the import, and its endpoints.
func serviceImportDependencies(object map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
	metadata, err := value.Map(object, "metadata")
	if err != nil {
		return nil, err
	}
	namespace, err := value.String(metadata, "namespace")
	if err != nil {
		return nil, value.In("metadata", err)
	}
	name, err := value.String(metadata, "name")
	if err != nil {
		return nil, value.In("metadata", err)
	}
	derived := derivedPrefix + name
	if len(validation.IsValidLabelValue(derived)) > 0 {
		return nil, value.In("metadata", value.Wrong("name", `a name that can follow "`+derivedPrefix+`" in the name of a Service`, name))
	}
	return interpreter.SortDependencies([]configv1alpha1.DependentObjectReference{
		{
			APIVersion: corev1.SchemeGroupVersion.String(),
			Kind:       "Service",
			Namespace:  namespace,
			Name:       derived,
		},
		{
			APIVersion:    discoveryv1.SchemeGroupVersion.String(),
			Kind:          "EndpointSlice",
			Namespace:     namespace,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{discoveryv1.LabelServiceName: derived}},
		},
	}), nil
}
