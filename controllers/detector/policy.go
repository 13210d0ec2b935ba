package detector

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// policy is a PropagationPolicy or a ClusterPropagationPolicy.
type policy struct {
	// namespace is empty for a ClusterPropagationPolicy.
	namespace, name string
	uid             types.UID
	id              string // its permanent id
	spec            *policyv1alpha1.PropagationSpec
	specificity     selection.Specificity
	// apiVersion is the one by which its selectors mean the object, which may be served in several.
	apiVersion string
}

func (p *policy) String() string {
	if p.namespace == "" {
		return "ClusterPropagationPolicy " + p.name
	}
	return "PropagationPolicy " + p.namespace + "/" + p.name
}

func (p *policy) priority() int32 {
	if p.spec.Priority == nil {
		return 0
	}
	return *p.spec.Priority
}

// claim returns the label and the annotations with which p claims templates and bindings.
func (p *policy) claim() (labels, annotations map[string]string) {
	if p.namespace == "" {
		return map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: p.id},
			map[string]string{policyv1alpha1.ClusterPropagationPolicyNameAnnotation: p.name}
	}
	return map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: p.id}, map[string]string{
		policyv1alpha1.PropagationPolicyNamespaceAnnotation: p.namespace,
		policyv1alpha1.PropagationPolicyNameAnnotation:      p.name,
	}
}

// ClaimLabels and ClaimAnnotations are the keys with which policies claim templates and bindings.
var (
	ClaimLabels = []string{
		policyv1alpha1.PropagationPolicyPermanentIDLabel, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel,
	}
	ClaimAnnotations = []string{
		policyv1alpha1.PropagationPolicyNamespaceAnnotation, policyv1alpha1.PropagationPolicyNameAnnotation,
		policyv1alpha1.ClusterPropagationPolicyNameAnnotation,
	}
)

// claimedBy tells whether the object with these labels and annotations is claimed by p.
func (p *policy) claimedBy(object client.Object) bool {
	labels, annotations := p.claim()
	for k, v := range labels {
		if object.GetLabels()[k] != v {
			return false
		}
	}
	for k, v := range annotations {
		if object.GetAnnotations()[k] != v {
			return false
		}
	}
	return true
}

// permanentID is the id with which a policy claims: its label when it has one, as policies have that were written for
// the peer, and else its UID, which is as permanent and needs no write.
func permanentID(labels map[string]string, label string, uid types.UID) string {
	if id := labels[label]; id != "" {
		return id
	}
	return string(uid)
}

// selecting returns the policies that select obj: those of its namespace, then the cluster-scoped ones.
func selecting(ctx context.Context, reader client.Reader, obj *unstructured.Unstructured) (namespaced, cluster []*policy, err error) {
	if ns := obj.GetNamespace(); ns != "" {
		var list policyv1alpha1.PropagationPolicyList
		if err := reader.List(ctx, &list, client.InNamespace(ns)); err != nil {
			return nil, nil, fmt.Errorf("list PropagationPolicies: %w", err)
		}
		for i := range list.Items {
			if p, err := newPolicy(&list.Items[i], &list.Items[i].Spec, policyv1alpha1.PropagationPolicyPermanentIDLabel, obj); err != nil {
				return nil, nil, err
			} else if p != nil {
				namespaced = append(namespaced, p)
			}
		}
	}
	var list policyv1alpha1.ClusterPropagationPolicyList
	if err := reader.List(ctx, &list); err != nil {
		return nil, nil, fmt.Errorf("list ClusterPropagationPolicies: %w", err)
	}
	for i := range list.Items {
		if p, err := newPolicy(&list.Items[i], &list.Items[i].Spec, policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel, obj); err != nil {
			return nil, nil, err
		} else if p != nil {
			cluster = append(cluster, p)
		}
	}
	return namespaced, cluster, nil
}

// newPolicy returns the policy, or nil when it selects obj in no version, or is being deleted.
func newPolicy(object client.Object, spec *policyv1alpha1.PropagationSpec, label string, obj *unstructured.Unstructured) (*policy, error) {
	if object.GetDeletionTimestamp() != nil {
		return nil, nil
	}
	p := &policy{
		namespace: object.GetNamespace(), name: object.GetName(), uid: object.GetUID(),
		id: permanentID(object.GetLabels(), label, object.GetUID()), spec: spec,
	}
	kind := obj.GroupVersionKind().GroupKind()
	for i := range spec.ResourceSelectors {
		version := spec.ResourceSelectors[i].APIVersion
		if schema.FromAPIVersionAndKind(version, spec.ResourceSelectors[i].Kind).GroupKind() != kind {
			continue
		}
		specificity, err := selection.Object(spec.ResourceSelectors, p.namespace, in(version, obj))
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", client.ObjectKeyFromObject(object), err)
		}
		if specificity > p.specificity {
			p.specificity, p.apiVersion = specificity, version
		}
	}
	if p.specificity == selection.None {
		return nil, nil
	}
	return p, nil
}

// in returns obj as it would be in another version, for selectors to look at. It shares memory with obj.
func in(apiVersion string, obj *unstructured.Unstructured) *unstructured.Unstructured {
	if obj.GetAPIVersion() == apiVersion {
		return obj
	}
	other := &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
	other.SetAPIVersion(apiVersion)
	return other
}

// ofVersion returns those of policies that mean the object by that version.
func ofVersion(apiVersion string, policies []*policy) []*policy {
	return slices.DeleteFunc(slices.Clone(policies), func(p *policy) bool { return p.apiVersion != apiVersion })
}

// better orders policies by explicit priority, then specificity, then name.
func better(a, b *policy) int {
	return cmp.Or(cmp.Compare(b.priority(), a.priority()), cmp.Compare(b.specificity, a.specificity), cmp.Compare(a.name, b.name))
}

// choose returns the policy that obj belongs to, or nil for none. One that has claimed obj keeps it while it selects
// it, unless another preempts: one of higher priority that says so, and for a cluster-scoped claim any PropagationPolicy
// that says so. Else the best PropagationPolicy is taken, and else the best ClusterPropagationPolicy.
func choose(obj *unstructured.Unstructured, namespaced, cluster []*policy) *policy {
	for _, candidates := range [][]*policy{namespaced, cluster} {
		for _, p := range candidates {
			if !p.claimedBy(obj) {
				continue
			}
			if p.namespace == "" {
				if by := best(namespaced, preempts); by != nil {
					return by
				}
			}
			if by := best(candidates, func(c *policy) bool { return preempts(c) && c.priority() > p.priority() }); by != nil {
				return by
			}
			return p
		}
	}
	everyone := func(*policy) bool { return true }
	if p := best(namespaced, everyone); p != nil {
		return p
	}
	return best(cluster, everyone)
}

func preempts(p *policy) bool { return p.spec.Preemption == policyv1alpha1.PreemptAlways }

func best(candidates []*policy, allowed func(*policy) bool) *policy {
	var found *policy
	for _, p := range candidates {
		if allowed(p) && (found == nil || better(p, found) < 0) {
			found = p
		}
	}
	return found
}
