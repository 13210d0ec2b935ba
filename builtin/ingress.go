package builtin

import (
	networkingv1 "k8s.io/api/networking/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

var ingress = kind{
	gvk:          networkingv1.SchemeGroupVersion.WithKind("Ingress"),
	aggregate:    aggregateLoadBalancer,
	health:       loadBalancerHealth,
	dependencies: ingressDependencies,
}

// ingressDependencies are the Secrets with the certificates.
func ingressDependencies(object map[string]any) ([]configv1alpha1.DependentObjectReference, error) {
	namespace, err := value.StringAt(object, "metadata", "namespace")
	if err != nil {
		return nil, err
	}
	spec, err := value.Map(object, "spec")
	if err != nil {
		return nil, err
	}
	refs := []configv1alpha1.DependentObjectReference{}
	err = value.Each(spec, "tls", func(m map[string]any) error {
		name, err := value.String(m, "secretName")
		if err == nil && name != "" {
			refs = append(refs, configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: name})
		}
		return err
	})
	if err != nil {
		return nil, value.In("spec", err)
	}
	return interpreter.SortDependencies(refs), nil
}
