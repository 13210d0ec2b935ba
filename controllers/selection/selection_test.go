package selection_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

func TestObject(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop", "labels": map[string]any{"app": "web"}},
	}}
	for _, tc := range []struct {
		reason, scope, selectors string
		want                     selection.Specificity
		err                      string
	}{
		{reason: "a kind", scope: "shop", selectors: "[{apiVersion: apps/v1, kind: Deployment}]", want: selection.ByKind},
		{reason: "another version is another kind", scope: "shop", selectors: "[{apiVersion: apps/v2, kind: Deployment}]"},
		{reason: "a policy's own namespace", scope: "other", selectors: "[{apiVersion: apps/v1, kind: Deployment}]"},
		{reason: "a cluster-scoped policy means every namespace", selectors: "[{apiVersion: apps/v1, kind: Deployment}]", want: selection.ByKind},
		{reason: "or the one it names", selectors: "[{apiVersion: apps/v1, kind: Deployment, namespace: other}]"},
		{reason: "labels", scope: "shop", selectors: "[{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: web}}}]", want: selection.ByLabel},
		{reason: "other labels", scope: "shop", selectors: "[{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: db}}}]"},
		{reason: "a name, whatever the labels", scope: "shop", selectors: "[{apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {app: db}}}]", want: selection.ByName},
		{reason: "the closest selector counts", scope: "shop", selectors: "[{apiVersion: apps/v1, kind: Deployment}, {apiVersion: apps/v1, kind: Deployment, name: web}]", want: selection.ByName},
		{
			reason: "a selector that is none", scope: "shop", err: "resourceSelectors[1].labelSelector: ",
			selectors: "[{apiVersion: v1, kind: Pod}, {apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: a, operator: Like}]}}]",
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var selectors []policyv1alpha1.ResourceSelector
			require.NoError(t, yaml.UnmarshalStrict([]byte(tc.selectors), &selectors))
			got, err := selection.Object(selectors, tc.scope, obj)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestCluster(t *testing.T) {
	cluster := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "m1", Labels: map[string]string{"env": "prod"}},
		Spec:       clusterv1alpha1.ClusterSpec{Provider: "acme", Region: "east", Zones: []string{"a", "b"}},
	}
	fields := func(e string) string { return "fieldSelector: {matchExpressions: [" + e + "]}" }
	for _, tc := range []struct {
		reason, affinity string
		want             bool
		err              string
	}{
		{reason: "an empty affinity selects all", affinity: "{}", want: true},
		{reason: "by name", affinity: "clusterNames: [m1]", want: true},
		{reason: "by another name", affinity: "clusterNames: [m2]"},
		{reason: "exclusion wins", affinity: "{clusterNames: [m1], exclude: [m1]}"},
		{reason: "by label", affinity: "labelSelector: {matchLabels: {env: prod}}", want: true},
		{reason: "name and label must both match", affinity: "{clusterNames: [m1], labelSelector: {matchLabels: {env: dev}}}"},
		{reason: "by region", affinity: fields("{key: region, operator: In, values: [east]}"), want: true},
		{reason: "not in the provider", affinity: fields("{key: provider, operator: NotIn, values: [acme]}")},
		{reason: "every zone has to be among the values", affinity: fields("{key: zone, operator: In, values: [a]}")},
		{reason: "and is", affinity: fields("{key: zone, operator: In, values: [a, b, c]}"), want: true},
		{reason: "no zone may be among them", affinity: fields("{key: zone, operator: NotIn, values: [b]}")},
		{reason: "it has zones", affinity: fields("{key: zone, operator: Exists}"), want: true},
		{reason: "it has a region", affinity: fields("{key: region, operator: DoesNotExist}")},
		{reason: "an unknown field is an error", affinity: fields("{key: color, operator: Exists}"), err: `fieldSelector.matchExpressions[0]: key: want provider, region or zone, got "color"`},
		{reason: "an unknown operator is an error", affinity: fields("{key: zone, operator: Gt, values: ['1']}"), err: `operator: want In, NotIn, Exists or DoesNotExist, got "Gt"`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var affinity policyv1alpha1.ClusterAffinity
			require.NoError(t, yaml.UnmarshalStrict([]byte(tc.affinity), &affinity))
			got, err := selection.Cluster(&affinity, cluster)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	all, err := selection.Cluster(nil, cluster)
	require.NoError(t, err)
	assert.True(t, all, "no affinity selects all")
}
