package override

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// Policies are the override policies that there are. They are only read.
type Policies struct {
	// Cluster are the ClusterOverridePolicies.
	Cluster []*policyv1alpha1.ClusterOverridePolicy
	// Namespaced are the OverridePolicies of the object's namespace.
	Namespaced []*policyv1alpha1.OverridePolicy
}

// Applied is what a policy did: its overriders that matched the cluster, in order.
type Applied struct {
	// PolicyName is the policy's name.
	PolicyName string `json:"policyName"`
	// Overriders are what was applied.
	Overriders policyv1alpha1.Overriders `json:"overriders"`
}

// Result is the overridden object and what was done to it.
type Result struct {
	// Object is the object for the cluster. It is the one passed in when nothing applies, and a copy otherwise.
	Object *unstructured.Unstructured
	// Cluster and Namespaced are what policies did, in the order in which they were applied.
	Cluster, Namespaced []Applied
}

// Apply returns obj as policies want it in cluster. podTemplates are the places of pod templates in objects of this
// kind, for overriders that look for containers. obj is not modified. The error names the policy, the rule and the
// overrider; nothing is returned then.
func Apply(obj *unstructured.Unstructured, cluster *clusterv1alpha1.Cluster, policies Policies, podTemplates [][]string) (Result, error) {
	target := target{object: obj, cluster: cluster, podTemplates: podTemplates}
	out := Result{}
	matchedCluster, err := matching(policies.Cluster, obj, func(p *policyv1alpha1.ClusterOverridePolicy) candidate {
		return candidate{name: p.Name, spec: &p.Spec}
	})
	if err != nil {
		return Result{}, fmt.Errorf("ClusterOverridePolicy %w", err)
	}
	if out.Cluster, err = target.apply(matchedCluster); err != nil {
		return Result{}, fmt.Errorf("ClusterOverridePolicy %w", err)
	}
	matchedNamespaced, err := matching(policies.Namespaced, obj, func(p *policyv1alpha1.OverridePolicy) candidate {
		return candidate{name: p.Name, scope: p.Namespace, spec: &p.Spec}
	})
	if err != nil {
		return Result{}, fmt.Errorf("OverridePolicy %w", err)
	}
	if out.Namespaced, err = target.apply(matchedNamespaced); err != nil {
		return Result{}, fmt.Errorf("OverridePolicy %w", err)
	}
	out.Object = target.object
	return out, nil
}

// candidate is a policy that selects the object.
type candidate struct {
	name        string
	scope       string
	spec        *policyv1alpha1.OverrideSpec
	specificity selection.Specificity
}

// matching returns the policies that select obj, the most specific last.
func matching[P any](policies []P, obj *unstructured.Unstructured, describe func(P) candidate) ([]candidate, error) {
	var out []candidate
	for _, p := range policies {
		c := describe(p)
		if c.scope != "" && c.scope != obj.GetNamespace() {
			continue
		}
		c.specificity = selection.ByKind
		if len(c.spec.ResourceSelectors) > 0 {
			var err error
			if c.specificity, err = selection.Object(c.spec.ResourceSelectors, c.scope, obj); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		if c.specificity != selection.None {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.specificity, b.specificity), cmp.Compare(a.name, b.name))
	})
	return out, nil
}

// rules returns the rules of a spec, also of the older form that has one rule at its top level.
func rules(spec *policyv1alpha1.OverrideSpec) []policyv1alpha1.RuleWithCluster {
	if len(spec.OverrideRules) > 0 {
		return spec.OverrideRules
	}
	return []policyv1alpha1.RuleWithCluster{{TargetCluster: spec.TargetCluster, Overriders: spec.Overriders}} //nolint:staticcheck // users still write it
}

// target is the object on its way.
type target struct {
	object       *unstructured.Unstructured
	copied       bool
	cluster      *clusterv1alpha1.Cluster
	podTemplates [][]string
}

func (t *target) apply(candidates []candidate) ([]Applied, error) {
	var applied []Applied
	for _, c := range candidates {
		for i, rule := range rules(c.spec) {
			ok, err := selection.Cluster(rule.TargetCluster, t.cluster)
			if err != nil {
				return nil, fmt.Errorf("%s: rule %d: targetCluster: %w", c.name, i, err)
			}
			if !ok || isEmpty(&rule.Overriders) {
				continue
			}
			if err := t.override(&rule.Overriders); err != nil {
				return nil, fmt.Errorf("%s: rule %d: %w", c.name, i, err)
			}
			applied = append(applied, Applied{PolicyName: c.name, Overriders: rule.Overriders})
		}
	}
	return applied, nil
}

func isEmpty(o *policyv1alpha1.Overriders) bool {
	return len(o.Plaintext)+len(o.ImageOverrider)+len(o.CommandOverrider)+len(o.ArgsOverrider)+
		len(o.LabelsOverrider)+len(o.AnnotationsOverrider)+len(o.FieldOverrider) == 0
}

func (t *target) override(o *policyv1alpha1.Overriders) error {
	if !t.copied {
		t.object, t.copied = t.object.DeepCopy(), true
	}
	for i := range o.ImageOverrider {
		if err := t.image(&o.ImageOverrider[i]); err != nil {
			return fmt.Errorf("imageOverrider[%d]: %w", i, err)
		}
	}
	for i := range o.CommandOverrider {
		if err := t.words("command", &o.CommandOverrider[i]); err != nil {
			return fmt.Errorf("commandOverrider[%d]: %w", i, err)
		}
	}
	for i := range o.ArgsOverrider {
		if err := t.words("args", &o.ArgsOverrider[i]); err != nil {
			return fmt.Errorf("argsOverrider[%d]: %w", i, err)
		}
	}
	for i := range o.LabelsOverrider {
		t.object.SetLabels(keys(t.object.GetLabels(), &o.LabelsOverrider[i]))
	}
	for i := range o.AnnotationsOverrider {
		t.object.SetAnnotations(keys(t.object.GetAnnotations(), &o.AnnotationsOverrider[i]))
	}
	for i := range o.FieldOverrider {
		if err := t.field(&o.FieldOverrider[i]); err != nil {
			return fmt.Errorf("fieldOverrider[%d]: %w", i, err)
		}
	}
	if len(o.Plaintext) > 0 {
		if err := t.plaintext(o.Plaintext); err != nil {
			return fmt.Errorf("plaintext: %w", err)
		}
	}
	return nil
}

// keys returns current with o applied; nil when nothing is left. current is the caller's to change.
func keys(current map[string]string, o *policyv1alpha1.LabelAnnotationOverrider) map[string]string {
	for k, v := range o.Value {
		_, exists := current[k]
		switch {
		case o.Operator == policyv1alpha1.OverriderOpAdd:
			if current == nil {
				current = map[string]string{}
			}
			current[k] = v
		case !exists:
		case o.Operator == policyv1alpha1.OverriderOpReplace:
			current[k] = v
		case o.Operator == policyv1alpha1.OverriderOpRemove:
			delete(current, k)
		}
	}
	if len(current) == 0 {
		return nil
	}
	return current
}
