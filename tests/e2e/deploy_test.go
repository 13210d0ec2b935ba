package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/manifest"
)

// kubectl runs kubectl against a cluster.
func kubectl(t *testing.T, c *clusters.Cluster, stdin []byte, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Federation().Binary(clusters.Kubectl), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "kubectl %v\n%s", args, stderr.String())
	return string(out)
}

// base returns the objects of deploy/base, as text and decoded.
func base(t *testing.T) (text string, objects []*unstructured.Unstructured) {
	t.Helper()
	text = kubectl(t, Federation().ControlPlane(), nil, "kustomize", "../../deploy/base")
	found, err := manifest.Objects("deploy/base", []byte(text))
	require.NoError(t, err)
	for _, object := range found {
		objects = append(objects, object.Unstructured)
	}
	return text, objects
}

// installed applies deploy/base to the control plane until the test ends. What other tests need too stays: definitions and policies.
func installed(t *testing.T) *clusters.Cluster {
	t.Helper()
	c := Federation().ControlPlane()
	_, objects := base(t)
	require.NoError(t, c.Apply(t.Context(), "", objects...))
	t.Cleanup(func() {
		// Nobody answers these webhooks, which slows down other tests.
		webhooks := admissionregistrationv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")
		require.NoError(t, c.Dynamic().Resource(webhooks).Delete(cleanupContext(t), "dragoman", metav1.DeleteOptions{}))
	})
	WaitFor(t, "the role for templates to be filled", func(ctx context.Context) error {
		roles := rbacv1.SchemeGroupVersion.WithResource("clusterroles")
		role, err := c.Dynamic().Resource(roles).Get(ctx, "dragoman-templates", metav1.GetOptions{})
		if err == nil && role.Object["rules"] == nil {
			err = errors.New("it has no rules")
		}
		return err
	})
	return c
}

// TestPodsKeepToTheRestrictedStandard runs the Deployment in a cluster with nodes: its namespace enforces the standard.
func TestPodsKeepToTheRestrictedStandard(t *testing.T) {
	member := Federation().Cluster("member1")
	_, objects := base(t)
	objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool {
		return !slices.Contains([]string{"Namespace", "ServiceAccount", "Deployment"}, o.GetKind())
	})
	require.NoError(t, member.Apply(t.Context(), "", objects...))
	t.Cleanup(func() {
		require.NoError(t, member.Dynamic().Resource(namespaces).Delete(cleanupContext(t), "dragoman-system", metav1.DeleteOptions{}))
	})
	WaitForObject(t, member, deployments, "dragoman-system", "dragoman", "available", equals(int64(2), "status", "availableReplicas"))
}

func TestBaseIsAccepted(t *testing.T) {
	c := installed(t)
	text, _ := base(t)
	out := kubectl(t, c, []byte(text), "apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-")
	assert.Contains(t, out, "deployment.apps/dragoman serverside-applied")
	assert.Contains(t, out, "validatingwebhookconfiguration.admissionregistration.k8s.io/dragoman serverside-applied")
	diff := kubectl(t, c, []byte(text), "diff", "--server-side", "--force-conflicts", "-f", "-")
	assert.Empty(t, diff, "what is stored is what was applied")
}

func TestChartVariantsAreAccepted(t *testing.T) {
	c := installed(t)
	require.NoError(t, c.Apply(t.Context(), "", clusters.Namespace("system")))
	for file, want := range map[string]string{
		"least":         "deployment.apps/federation-dragoman serverside-applied",
		"elsewhere":     "deployment.apps/federation-dragoman serverside-applied",
		"control-plane": "validatingwebhookconfiguration.admissionregistration.k8s.io/federation-dragoman serverside-applied",
	} {
		manifests, err := os.ReadFile("../../deploy/render/testdata/" + file + ".yaml")
		require.NoError(t, err)
		out := kubectl(t, c, manifests, "apply", "--server-side", "--force-conflicts", "--validate=strict", "--dry-run=server", "-f", "-")
		assert.Contains(t, out, want, file)
	}
}

// TestRights checks what the service account of deploy/base may do, and that it may do no more.
func TestRights(t *testing.T) {
	c := installed(t)
	require.NoError(t, Federation().Register(t.Context()))
	config := c.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:dragoman-system:dragoman"}
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	tests := []struct {
		reason                                              string
		verb, group, resource, subresource, namespace, name string
		want                                                bool
	}{
		{"any template is read", "list", "example.com", "widgets", "", "", "", true},
		{"any template gets its status", "update", "apps", "deployments", "status", "shop", "web", true},
		{"a template is marked as bound", "patch", "apps", "deployments", "", "shop", "web", true},
		{"templates are their authors'", "delete", "apps", "deployments", "", "shop", "web", false},
		{"no template is made", "create", "apps", "deployments", "", "shop", "", false},
		{"Works are the controllers' own", "delete", "work.karmada.io", "works", "", "karmada-es-member1", "web", true},
		{"bindings are made", "create", "work.karmada.io", "resourcebindings", "", "shop", "", true},
		{"rules get their status", "patch", "config.karmada.io", "resourceinterpretercustomizations", "status", "", "flink", true},
		{"rules are not made", "create", "config.karmada.io", "resourceinterpretercustomizations", "", "", "", false},
		{"rules are not deleted", "delete", "config.karmada.io", "resourceinterpretercustomizations", "", "", "", false},
		{"namespaces of clusters come", "create", "", "namespaces", "", "", "", true},
		{"credentials of members are read", "get", "", "secrets", "", "karmada-cluster", "member1", true},
		{"the certificate is renewed", "update", "", "secrets", "", "dragoman-system", "dragoman-tls", true},
		{"the webhooks trust it", "update", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", "", "dragoman", true},
		{"a leader is elected", "update", "coordination.k8s.io", "leases", "", "dragoman-system", "dragoman-controller-manager", true},
		{"interpreter webhooks are found by their Services", "watch", "", "services", "", "", "", true},
		{"events are written", "create", "", "events", "", "shop", "", true},
		{"nobody is impersonated", "impersonate", "", "users", "", "", "admin", false},
		{"no rights are given away", "escalate", "rbac.authorization.k8s.io", "clusterroles", "", "", "", false},
		{"no Pods are entered", "create", "", "pods", "exec", "shop", "web", false},
		{"no tokens are requested", "create", "", "serviceaccounts", "token", "shop", "default", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: test.verb, Group: test.group, Resource: test.resource, Subresource: test.subresource,
					Namespace: test.namespace, Name: test.name,
				}},
			}, metav1.CreateOptions{})
			require.NoError(t, err)
			assert.Equal(t, test.want, review.Status.Allowed, review.Status.Reason)
		})
	}
}
