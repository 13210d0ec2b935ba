package customizations

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// Target is which objects a customization is about, read from its spec.target.
type Target struct {
	// Kind has the target's group, version and kind. Version is "*" for every version; Kind is "*" for every kind; Group
	// begins with a dot when it stands for every group with that suffix.
	Kind schema.GroupVersionKind
	// Selector selects by the labels of the request's object; nil selects every object.
	Selector labels.Selector
}

var (
	exactVersion = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[a-z]([-a-z0-9]*[a-z0-9])?$`)
	everyVersion = regexp.MustCompile(`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/\*$`)
	kindName     = regexp.MustCompile(`^(\*|[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?)$`)
)

// ParseTarget reads t. Its errors name the field of spec.target that is wrong.
func ParseTarget(t configv1alpha1.CustomizationTarget) (Target, error) {
	var out Target
	var errs []error
	switch {
	case exactVersion.MatchString(t.APIVersion):
		gv, err := schema.ParseGroupVersion(t.APIVersion)
		if err != nil {
			errs = append(errs, fmt.Errorf("spec.target.apiVersion: %w", err))
		}
		out.Kind = gv.WithKind(t.Kind)
	case everyVersion.MatchString(t.APIVersion):
		group := strings.TrimSuffix(t.APIVersion, "/*")
		out.Kind = schema.GroupVersionKind{Group: strings.TrimPrefix(group, "*"), Version: "*", Kind: t.Kind}
	default:
		errs = append(errs, fmt.Errorf("spec.target.apiVersion: want a version (v1), a group and version (apps/v1), "+
			"every version of a group (apps/*) or of every group with a suffix (*.example.com/*), got %q", t.APIVersion))
	}
	if !kindName.MatchString(t.Kind) {
		errs = append(errs, fmt.Errorf("spec.target.kind: want a kind (Deployment), or * for every kind, got %q", t.Kind))
	}
	if t.LabelSelector != nil && len(t.LabelSelector.MatchLabels)+len(t.LabelSelector.MatchExpressions) > 0 {
		selector, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
		if err != nil {
			errs = append(errs, fmt.Errorf("spec.target.labelSelector: %w", err))
		}
		out.Selector = selector
	}
	return out, errors.Join(errs...)
}

// exact tells whether the target names one group, version and kind.
func (t Target) exact() bool { return t.Kind.Version != "*" && t.Kind.Kind != "*" }

// condition says in words for which objects of its kinds the target is not meant; empty when for none.
func (t Target) condition() string {
	if t.Selector == nil {
		return ""
	}
	return "unless the object's labels match " + t.Selector.String()
}

func (t Target) matches(o *unstructured.Unstructured) bool {
	if t.Selector == nil {
		return true
	}
	metadata, _ := o.Object["metadata"].(map[string]any)
	found, _ := metadata["labels"].(map[string]any)
	return t.Selector.Matches(objectLabels(found))
}

// objectLabels is metadata.labels of an unstructured object, read in place.
type objectLabels map[string]any

func (l objectLabels) Lookup(label string) (string, bool) {
	value, ok := l[label].(string)
	return value, ok
}

func (l objectLabels) Has(label string) bool {
	_, ok := l.Lookup(label)
	return ok
}

func (l objectLabels) Get(label string) string {
	value, _ := l.Lookup(label)
	return value
}

// compareCandidates orders customizations whose targets name kind and apiVersion equally precisely.
func compareCandidates(a, b *compiled) int {
	rank := func(c *compiled) int {
		if c.target.Selector != nil {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name(), b.name()))
}

// precisions returns, most precise first, the keys under which targets that mean gvk are kept. The keys of one precision
// are one element, since the candidates behind them are ordered together.
func precisions(gvk schema.GroupVersionKind) [][]schema.GroupVersionKind {
	var suffixes []schema.GroupVersionKind
	for i := range gvk.Group {
		if i > 0 && gvk.Group[i] == '.' {
			suffixes = append(suffixes, schema.GroupVersionKind{Group: gvk.Group[i:], Version: "*", Kind: gvk.Kind})
		}
	}
	group := schema.GroupVersionKind{Group: gvk.Group, Version: "*", Kind: gvk.Kind}
	keys := [][]schema.GroupVersionKind{{gvk}, {group}, suffixes}
	for _, sameVersion := range keys[:3:3] {
		anyKind := make([]schema.GroupVersionKind, len(sameVersion))
		for i, key := range sameVersion {
			key.Kind = "*"
			anyKind[i] = key
		}
		keys = append(keys, anyKind)
	}
	return keys
}
