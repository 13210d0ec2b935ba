package dependencies

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
)

func TestDependents(t *testing.T) {
	secret := func(namespace, name string) templates.Key {
		return templates.Key{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Namespace: namespace, Name: name}
	}
	byName := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Name: "s"}
	byLabel := configv1alpha1.DependentObjectReference{
		APIVersion: "v1", Kind: "Secret", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
	}
	elsewhere := configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "other", Name: "s"}
	for _, tc := range []struct {
		reason string
		ref    configv1alpha1.DependentObjectReference
		key    templates.Key
		set    labels.Set
		want   bool
	}{
		{"by name, in the namespace of the binding", byName, secret("ns", "s"), nil, true},
		{"another name", byName, secret("ns", "t"), nil, false},
		{"another namespace", byName, secret("other", "s"), nil, false},
		{"the namespace of the reference", elsewhere, secret("other", "s"), nil, true},
		{"another kind", byName, templates.Key{Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Namespace: "ns", Name: "s"}, nil, false},
		{"by label", byLabel, secret("ns", "any"), labels.Set{"a": "b"}, true},
		{"other labels", byLabel, secret("ns", "any"), labels.Set{"a": "c"}, false},
		{"labels that are not known may match", byLabel, secret("ns", "any"), nil, true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			c := &Controller{}
			b := scheduler.Key{Namespace: "ns", Name: "web-deployment"}
			c.remember(b, []configv1alpha1.DependentObjectReference{tc.ref})
			assert.Equal(t, tc.want, len(c.Dependents(tc.key, tc.set)) == 1)
			c.remember(b, nil)
			assert.Empty(t, c.Dependents(tc.key, tc.set), "what a binding does not want any more is forgotten")
		})
	}
}

func TestSnapshots(t *testing.T) {
	snapshot := func(name, cluster string) workv1alpha2.BindingSnapshot {
		return workv1alpha2.BindingSnapshot{Namespace: "ns", Name: name, Clusters: []workv1alpha2.TargetCluster{{Name: cluster}}}
	}
	list := withSnapshot(nil, snapshot("b", "m1"))
	list = withSnapshot(list, snapshot("a", "m1"))
	again := withSnapshot(list, snapshot("b", "m2"))
	assert.Equal(t, []workv1alpha2.BindingSnapshot{snapshot("a", "m1"), snapshot("b", "m2")}, again, "one of each binding, sorted")
	assert.Equal(t, snapshot("b", "m1"), list[1], "the list is not modified")
	assert.Equal(t, []workv1alpha2.BindingSnapshot{snapshot("b", "m2")}, without(again, scheduler.Key{Namespace: "ns", Name: "a"}))
}
