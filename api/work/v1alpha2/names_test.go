package v1alpha2

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestBindingName(t *testing.T) {
	for _, tc := range []struct {
		reason, kind, name, want string
	}{
		{"the name and the kind", "Deployment", "web", "web-deployment"},
		{"names of bindings are in lower case", "FlinkDeployment", "Basic", "basic-flinkdeployment"},
		{"RBAC allows what names of bindings do not", "ClusterRole", "system:node", "system.node-clusterrole"},
		{"a name that just fits stays", "Pod", strings.Repeat("a", 249), strings.Repeat("a", 249) + "-pod"},
		{"a name that is too long ends with a hash", "Pod", strings.Repeat("a", 250), strings.Repeat("a", 242) + "-6cdb48cdd5"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := BindingName(tc.kind, tc.name)
			assert.Equal(t, tc.want, got)
			assert.Empty(t, validation.IsDNS1123Subdomain(got))
		})
	}
}
