package render

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"

	"github.com/dragoman-io/dragoman/clusters"
)

const releaseName, releaseNamespace = "dragoman", "dragoman-system"

// newHelm returns what Helm's commands work with, for one cluster.
func newHelm(t *testing.T, c *clusters.Cluster) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	namespace := releaseNamespace
	flags.KubeConfig, flags.Namespace = &c.Kubeconfig, &namespace
	helm := &action.Configuration{}
	require.NoError(t, helm.Init(flags, releaseNamespace, "secret", t.Logf))
	return helm
}

// deployments and the like are resources that the chart has.
var (
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	budgets     = schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}
	webhooks    = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	roles       = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// list returns the objects of a resource, of all namespaces, whose names match.
func list(t *testing.T, c *clusters.Cluster, resource schema.GroupVersionResource, pattern string) []unstructured.Unstructured {
	t.Helper()
	found, err := c.Dynamic().Resource(resource).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return slices.DeleteFunc(found.Items, func(o unstructured.Unstructured) bool {
		return !regexp.MustCompile(pattern).MatchString(o.GetName())
	})
}

// requireState checks what the release has made of the values that the test changes.
func requireState(t *testing.T, c *clusters.Cluster, replicas int64, failurePolicy string, budget int) {
	t.Helper()
	found := list(t, c, deployments, "^dragoman$")
	require.Len(t, found, 1)
	have, _, err := unstructured.NestedInt64(found[0].Object, "spec", "replicas")
	require.NoError(t, err)
	assert.Equal(t, replicas, have)
	found = list(t, c, webhooks, "^dragoman$")
	require.Len(t, found, 1)
	for _, hook := range found[0].Object["webhooks"].([]any) {
		assert.Equal(t, failurePolicy, hook.(map[string]any)["failurePolicy"])
	}
	assert.Len(t, list(t, c, budgets, "dragoman"), budget)
}

// TestInstall installs the chart as `helm install` does, changes values, and takes it away again.
func TestInstall(t *testing.T) {
	federation, err := clusters.Start(t.Context(), clusters.Options{Members: -1, Nodes: 1, APIServersOnly: true, Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, federation.Stop()) })
	c := federation.ControlPlane()
	helm := newHelm(t, c)
	chart, err := loader.LoadDir(chartDir)
	require.NoError(t, err)

	install := action.NewInstall(helm)
	install.ReleaseName, install.Namespace, install.CreateNamespace = releaseName, releaseNamespace, true
	made, err := install.RunWithContext(t.Context(), chart, nil)
	require.NoError(t, err)
	assert.Equal(t, release.StatusDeployed, made.Info.Status)
	requireState(t, c, 2, "Ignore", 1)
	assert.Len(t, list(t, c, definitions, `[.]karmada[.]io$`), len(chart.CRDObjects()))

	upgrade := action.NewUpgrade(helm)
	upgrade.Namespace = releaseNamespace
	changed, err := upgrade.RunWithContext(t.Context(), releaseName, chart, map[string]any{
		"replicas": 3, "webhooks": map[string]any{"failurePolicy": "Fail"}, "podDisruptionBudget": map[string]any{"enabled": false},
	})
	require.NoError(t, err)
	assert.Equal(t, 2, changed.Version)
	requireState(t, c, 3, "Fail", 0)

	_, err = action.NewUninstall(helm).Run(releaseName)
	require.NoError(t, err)
	assert.Len(t, list(t, c, definitions, `[.]karmada[.]io$`), len(chart.CRDObjects()), "definitions stay, and with them users' rules")
	for _, resource := range served(t, c) {
		for _, left := range list(t, c, resource, "dragoman") {
			assert.Contains(t, []string{"Namespace"}, left.GetKind(), "%s is left", left.GetName())
		}
	}
}

// TestInstallInTwoClusters installs the halves of the chart: what controllers need in a control plane without Pods, and the controllers
// in the cluster beside it.
func TestInstallInTwoClusters(t *testing.T) {
	federation, err := clusters.Start(t.Context(), clusters.Options{Members: 1, Nodes: 1, APIServersOnly: true, Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, federation.Stop()) })
	controlPlane, host := federation.ControlPlane(), federation.Cluster("member1")
	chart, err := loader.LoadDir(chartDir)
	require.NoError(t, err)
	webhooksAt := map[string]any{"url": "https://dragoman.dragoman-system.svc"}

	install := action.NewInstall(newHelm(t, controlPlane))
	install.ReleaseName, install.Namespace, install.CreateNamespace = releaseName, releaseNamespace, true
	_, err = install.RunWithContext(t.Context(), chart, map[string]any{"controllers": map[string]any{"enabled": false}, "webhooks": webhooksAt})
	require.NoError(t, err)
	assert.Empty(t, list(t, controlPlane, deployments, "dragoman"))
	assert.Len(t, list(t, controlPlane, webhooks, "dragoman"), 1)
	assert.NotEmpty(t, list(t, controlPlane, roles, "dragoman"))

	install = action.NewInstall(newHelm(t, host))
	install.ReleaseName, install.Namespace, install.CreateNamespace, install.SkipCRDs = releaseName, releaseNamespace, true, true
	_, err = install.RunWithContext(t.Context(), chart, map[string]any{
		"controlPlane": map[string]any{"kubeconfigSecret": "control-plane"}, "webhooks": webhooksAt,
	})
	require.NoError(t, err)
	assert.Len(t, list(t, host, deployments, "dragoman"), 1)
	assert.Empty(t, list(t, host, webhooks, "dragoman"))
	assert.Empty(t, list(t, host, roles, "dragoman"), "they act in the control plane")
	assert.Empty(t, list(t, host, definitions, `[.]karmada[.]io$`))
}

// served returns every resource that can be listed, but for events.
func served(t *testing.T, c *clusters.Cluster) []schema.GroupVersionResource {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(c.Config())
	require.NoError(t, err)
	lists, err := client.ServerPreferredResources()
	require.NoError(t, err)
	var found []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && r.Name != "events" {
				found = append(found, version.WithResource(r.Name))
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}
