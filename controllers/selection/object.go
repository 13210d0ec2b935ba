package selection

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Specificity is how closely a selector describes an object. Of two policies the one with the greater one is meant.
type Specificity int

// The specificities, least first.
const (
	// None means that the selector does not select the object.
	None Specificity = iota
	// ByKind means that it selects every object of the kind.
	ByKind
	// ByLabel means that it selects by label.
	ByLabel
	// ByName means that it names the object.
	ByName
)

// Object tells how closely the best of selectors describes obj. scope is the namespace that a selector without one
// means, that of the policy; it is empty for a cluster-scoped policy, whose selectors without a namespace mean every
// namespace. The error names the selector whose label selector is none.
func Object(selectors []policyv1alpha1.ResourceSelector, scope string, obj *unstructured.Unstructured) (Specificity, error) {
	best := None
	for i := range selectors {
		s, err := object(&selectors[i], scope, obj)
		if err != nil {
			return None, fmt.Errorf("resourceSelectors[%d].labelSelector: %w", i, err)
		}
		best = max(best, s)
	}
	return best, nil
}

func object(s *policyv1alpha1.ResourceSelector, scope string, obj *unstructured.Unstructured) (Specificity, error) {
	if s.APIVersion != obj.GetAPIVersion() || s.Kind != obj.GetKind() {
		return None, nil
	}
	namespace := s.Namespace
	if namespace == "" {
		namespace = scope
	}
	if namespace != "" && namespace != obj.GetNamespace() {
		return None, nil
	}
	if s.Name != "" {
		if s.Name != obj.GetName() {
			return None, nil
		}
		return ByName, nil
	}
	if s.LabelSelector == nil {
		return ByKind, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return None, err
	}
	if !selector.Matches(labels.Set(obj.GetLabels())) {
		return None, nil
	}
	return ByLabel, nil
}
