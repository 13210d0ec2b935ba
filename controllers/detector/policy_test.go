package detector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

func TestChoose(t *testing.T) {
	p := func(namespace, name string, priority int32, specificity selection.Specificity, preempts bool) *policy {
		spec := &policyv1alpha1.PropagationSpec{Priority: &priority, Preemption: policyv1alpha1.PreemptNever}
		if preempts {
			spec.Preemption = policyv1alpha1.PreemptAlways
		}
		return &policy{namespace: namespace, name: name, id: namespace + name, spec: spec, specificity: specificity}
	}
	for _, tc := range []struct {
		reason              string
		namespaced, cluster []*policy
		claimedBy           *policy
		want                string
	}{
		{reason: "no policy", want: ""},
		{
			reason:     "a namespaced policy before a cluster-scoped one, whatever the priority",
			namespaced: []*policy{p("ns", "a", 0, selection.ByKind, false)}, cluster: []*policy{p("", "b", 9, selection.ByName, false)}, want: "a",
		},
		{
			reason:     "explicit priority before specificity",
			namespaced: []*policy{p("ns", "a", 0, selection.ByName, false), p("ns", "b", 1, selection.ByKind, false)}, want: "b",
		},
		{
			reason:     "specificity before name",
			namespaced: []*policy{p("ns", "a", 0, selection.ByKind, false), p("ns", "b", 0, selection.ByLabel, false)}, want: "b",
		},
		{
			reason:     "then the name that sorts first",
			namespaced: []*policy{p("ns", "b", 0, selection.ByKind, false), p("ns", "a", 0, selection.ByKind, false)}, want: "a",
		},
		{
			reason:     "who has claimed it keeps it",
			namespaced: []*policy{p("ns", "a", 5, selection.ByName, false), p("ns", "b", 0, selection.ByKind, false)}, claimedBy: p("ns", "b", 0, 0, false), want: "b",
		},
		{
			reason:     "unless one of higher priority preempts",
			namespaced: []*policy{p("ns", "a", 5, selection.ByKind, true), p("ns", "b", 0, selection.ByKind, false)}, claimedBy: p("ns", "b", 0, 0, false), want: "a",
		},
		{
			reason:     "of the same priority nobody preempts",
			namespaced: []*policy{p("ns", "a", 0, selection.ByName, true), p("ns", "b", 0, selection.ByKind, false)}, claimedBy: p("ns", "b", 0, 0, false), want: "b",
		},
		{
			reason:     "a claim of a cluster-scoped policy is taken over by a namespaced one that preempts",
			namespaced: []*policy{p("ns", "a", 0, selection.ByKind, true)}, cluster: []*policy{p("", "b", 9, selection.ByKind, false)}, claimedBy: p("", "b", 9, 0, false), want: "a",
		},
		{
			reason:     "and by no other",
			namespaced: []*policy{p("ns", "a", 0, selection.ByKind, false)}, cluster: []*policy{p("", "b", 9, selection.ByKind, false)}, claimedBy: p("", "b", 9, 0, false), want: "b",
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
			if tc.claimedBy != nil {
				labels, annotations := tc.claimedBy.claim()
				obj.SetLabels(labels)
				obj.SetAnnotations(annotations)
			}
			got := choose(obj, tc.namespaced, tc.cluster)
			if tc.want == "" {
				assert.Nil(t, got)
				return
			}
			assert.Equal(t, tc.want, got.name)
		})
	}
}

// An object that is served in two versions belongs to the policy that is meant, whichever version is looked at.
func TestPolicyMeansTheObjectByOneVersion(t *testing.T) {
	object := func(apiVersion string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": apiVersion, "kind": "HelmRelease", "metadata": map[string]any{"namespace": "shop", "name": "web"},
		}}
	}
	selector := func(apiVersion, name string) policyv1alpha1.ResourceSelector {
		return policyv1alpha1.ResourceSelector{APIVersion: apiVersion, Kind: "HelmRelease", Name: name}
	}
	const old, current = "helm.toolkit.fluxcd.io/v2beta1", "helm.toolkit.fluxcd.io/v2"
	for _, tc := range []struct {
		reason    string
		selectors []policyv1alpha1.ResourceSelector
		want      string
	}{
		{"the only one", []policyv1alpha1.ResourceSelector{selector(current, "")}, current},
		{"of two the closer one", []policyv1alpha1.ResourceSelector{selector(current, ""), selector(old, "web")}, old},
		{"of equal ones the first", []policyv1alpha1.ResourceSelector{selector(old, ""), selector(current, "")}, old},
		{"another group is another kind", []policyv1alpha1.ResourceSelector{selector("example.com/v2", "")}, ""},
		{"another name is another object", []policyv1alpha1.ResourceSelector{selector(current, "db")}, ""},
	} {
		for _, seen := range []string{old, current} {
			t.Run(tc.reason+", seen in "+seen, func(t *testing.T) {
				pp := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p"}}
				pp.Spec.ResourceSelectors = tc.selectors
				obj := object(seen)
				p, err := newPolicy(pp, &pp.Spec, policyv1alpha1.PropagationPolicyPermanentIDLabel, obj)
				require.NoError(t, err)
				assert.Equal(t, object(seen), obj, "the object is not modified")
				if tc.want == "" {
					assert.Nil(t, p)
					return
				}
				assert.Equal(t, tc.want, p.apiVersion)
			})
		}
	}
}

func TestPropagatesKind(t *testing.T) {
	assert.True(t, PropagatesKind("apps/v1", "Deployment"))
	assert.True(t, PropagatesKind("v1", "ConfigMap"))
	assert.False(t, PropagatesKind("v1", "Event"))
	assert.False(t, PropagatesKind("work.karmada.io/v1alpha1", "Work"), "the federation's own objects stay")
}

func TestPropagates(t *testing.T) {
	d := &Detector{}
	assert.True(t, d.Propagates("shop"))
	assert.True(t, d.Propagates(""), "cluster-scoped")
	assert.False(t, d.Propagates("karmada-es-member1"))
	assert.False(t, d.Propagates("karmada-system"))
}

func TestMergedLeavesItsArgumentsAlone(t *testing.T) {
	current := map[string]string{"a": "1", "b": "2"}
	assert.Equal(t, map[string]string{"a": "1", "c": "3"}, merged(current, []string{"b"}, map[string]string{"c": "3"}))
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, current)
	assert.Nil(t, merged(nil, []string{"b"}, nil))
}
