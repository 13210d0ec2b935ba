package interpreter

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// SortDependencies sorts refs in place by apiVersion, kind, namespace, name and label selector, removes duplicates and
// returns what remains. Two equal selectors are the same, wherever they are stored.
func SortDependencies(refs []configv1alpha1.DependentObjectReference) []configv1alpha1.DependentObjectReference {
	slices.SortStableFunc(refs, compareReferences)
	return slices.CompactFunc(refs, func(a, b configv1alpha1.DependentObjectReference) bool {
		return compareReferences(a, b) == 0 && equality.Semantic.DeepEqual(a.LabelSelector, b.LabelSelector)
	})
}

func compareReferences(a, b configv1alpha1.DependentObjectReference) int {
	if c := cmp.Or(
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name),
	); c != 0 {
		return c
	}
	if a.LabelSelector == nil && b.LabelSelector == nil {
		return 0
	}
	return cmp.Compare(metav1.FormatLabelSelector(a.LabelSelector), metav1.FormatLabelSelector(b.LabelSelector))
}
