package e2e

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/clusters"
)

// TestRightsAreEnough runs the controller manager with the rights and the arguments of deploy/base and has it propagate a Deployment. Of
// the kinds that users propagate it may see no other.
func TestRightsAreEnough(t *testing.T) {
	federation := newFederation(t, clusters.Options{Members: 1, Nodes: 1})
	controlPlane, member := federation.ControlPlane(), federation.Cluster("member1")
	require.NoError(t, federation.Register(t.Context()))
	_, objects := base(t)
	ports := map[string]string{}
	for _, name := range []string{"manager-webhooks", "manager-health", "manager-metrics"} {
		port, err := federation.Port(name)
		require.NoError(t, err)
		ports[name] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	var arguments []string
	for _, object := range objects {
		switch object.GetKind() {
		case "Deployment":
			containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
			require.NoError(t, err)
			arguments, _, err = unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
			require.NoError(t, err)
		case "ClusterRole":
			if object.GetName() == "dragoman-every-kind" {
				object.Object["rules"] = []any{map[string]any{
					"apiGroups": []any{"apps"}, "resources": []any{"deployments", "deployments/status"},
					"verbs": []any{"get", "list", "watch", "patch", "update"},
				}}
			}
		case "ValidatingWebhookConfiguration":
			reachDirectly(t, object, "https://"+ports["manager-webhooks"])
		}
	}
	require.NoError(t, controlPlane.Apply(t.Context(), "", objects...))
	for i := range arguments {
		arguments[i] = strings.NewReplacer(
			":8080", ports["manager-metrics"], ":8081", ports["manager-health"], ":9443", ports["manager-webhooks"],
			"--webhook-host=dragoman.dragoman-system.svc", "--webhook-host=127.0.0.1",
		).Replace(arguments[i])
	}

	kubeconfig, err := clientcmd.LoadFromFile(controlPlane.Kubeconfig)
	require.NoError(t, err)
	kubeconfig.AuthInfos[clusters.ControlPlane].Impersonate = "system:serviceaccount:dragoman-system:dragoman"
	dir := t.TempDir()
	require.NoError(t, clientcmd.WriteToFile(*kubeconfig, filepath.Join(dir, "kubeconfig")))
	binary, err := dragoman()
	require.NoError(t, err)
	require.NoError(t, federation.Run(t.Context(), clusters.Program{
		Name: "manager",
		Path: binary,
		Args: append(arguments, "--kubeconfig", filepath.Join(dir, "kubeconfig"), "--cluster-status-update-frequency=1s", "--cluster-success-threshold=1s"),
		Ready: func(ctx context.Context) error {
			return answers(ctx, "http://"+ports["manager-health"]+"/readyz")
		},
	}))
	t.Cleanup(func() {
		if log, err := os.ReadFile(federation.Log("manager")); err == nil {
			assert.NotContains(t, string(log), "forbidden")
		}
	})

	require.NoError(t, controlPlane.Apply(t.Context(), "", clusters.Namespace("shop")))
	Apply(t, controlPlane, "shop", webDeployment+`
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement: {clusterAffinity: {}}
`)
	WaitForObject(t, member, deployments, "shop", "web", "propagated", equals(int64(3), "status", "readyReplicas"))
	WaitForObject(t, controlPlane, deployments, "shop", "web", "aggregated", equals(int64(3), "status", "readyReplicas"))

	// There is no Service network on this machine: it has to find the Service, no more.
	Apply(t, controlPlane, "shop", `
apiVersion: v1
kind: Service
metadata: {name: hook}
spec: {ports: [{port: 443}]}
---
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: hook.example.com
  clientConfig: {service: {namespace: shop, name: hook}}
  timeoutSeconds: 1
  interpreterContextVersions: [v1alpha1]
  rules: [{operations: [InterpretHealth], apiGroups: [apps], apiVersions: [v1], kinds: [Deployment]}]
`)
	WaitForObject(t, controlPlane, bindings, "shop", "web-deployment", "asked of a webhook that nobody serves", func(o *unstructured.Unstructured) bool {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		return len(items) == 1 && items[0].(map[string]any)["health"] == "Unknown"
	})

	data, err := os.ReadFile("../../examples/flink/customizations.yaml")
	require.NoError(t, err)
	Apply(t, controlPlane, "", string(data))
	WaitFor(t, "the rule to be ready", func(ctx context.Context) error {
		list, err := controlPlane.Dynamic().Resource(rules).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(list.Items) == 0 || !hasCondition("Ready", "True")(&list.Items[0]) {
			return errors.New("not ready")
		}
		return nil
	})
	_, err = controlPlane.Dynamic().Resource(rules).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": configv1alpha1.GroupVersion.String(), "kind": "ResourceInterpreterCustomization", "metadata": map[string]any{"name": "broken"},
		"spec": map[string]any{
			"target":         map[string]any{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment"},
			"customizations": map[string]any{"healthInterpretation": map[string]any{"luaScript": "function InterpretHealth("}},
		},
	}}, metav1.CreateOptions{})
	require.ErrorContains(t, err, "denied the request", "mistakes are told when they are written")

	require.NoError(t, controlPlane.Dynamic().Resource(deployments).Namespace("shop").Delete(t.Context(), "web", metav1.DeleteOptions{}))
	WaitFor(t, "the Deployment to leave the member", func(ctx context.Context) error {
		_, err := member.Dynamic().Resource(deployments).Namespace("shop").Get(ctx, "web", metav1.GetOptions{})
		if err == nil {
			return errors.New("still there")
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// reachDirectly replaces the Service of a configuration's webhooks by a URL, since there is no Service network on this machine, and makes
// failures show.
func reachDirectly(t *testing.T, configuration *unstructured.Unstructured, url string) {
	t.Helper()
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	require.NoError(t, err)
	require.Len(t, webhooks, 2)
	for _, item := range webhooks {
		webhook := item.(map[string]any)
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		require.NoError(t, err)
		webhook["clientConfig"] = map[string]any{"url": url + path}
		webhook["failurePolicy"] = "Fail"
	}
	require.NoError(t, unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks"))
}

// answers tells whether a URL answers with status 200.
func answers(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
