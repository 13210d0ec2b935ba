package v1alpha1

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestExecutionNamespace(t *testing.T) {
	assert.Equal(t, "karmada-es-member1", ExecutionNamespace("member1"))
	for namespace, want := range map[string]string{"karmada-es-member1": "member1", "karmada-es-": "", "default": ""} {
		cluster, ok := ClusterOf(namespace)
		assert.Equal(t, want, cluster, namespace)
		assert.Equal(t, want != "", ok, namespace)
	}
}

func TestWorkName(t *testing.T) {
	for _, tc := range []struct {
		reason, kind, namespace, name, want string
	}{
		{"the name and a hash of the whole", "Deployment", "default", "web", "web-7b7cc5b9ff"},
		{"another kind of the same name", "Service", "default", "web", "web-6f9c988bc9"},
		{"another namespace", "Deployment", "other", "web", "web-9dfcf8b6b"},
		{"no namespace", "ClusterRole", "", "view", "view-8774ddb95"},
		{"RBAC allows what names of Works do not", "ClusterRole", "", "system:Node", "system.node-85ff668577"},
		{"a name of every length fits", "Deployment", "default", strings.Repeat("a", 242) + "." + strings.Repeat("b", 10), strings.Repeat("a", 242) + "-77666979fc"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := WorkName(tc.kind, tc.namespace, tc.name)
			assert.Equal(t, tc.want, got)
			assert.Empty(t, validation.IsDNS1123Subdomain(got))
		})
	}
}
