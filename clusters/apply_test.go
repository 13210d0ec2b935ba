package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestEstablished(t *testing.T) {
	definition := func(conditions ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": conditions}}}
	}
	condition := func(kind, status string) any { return map[string]any{"type": kind, "status": status} }
	tests := []struct {
		reason     string
		definition *unstructured.Unstructured
		want       bool
	}{
		{"new", &unstructured.Unstructured{Object: map[string]any{}}, false},
		{"no conditions", definition(), false},
		{"names accepted only", definition(condition("NamesAccepted", "True")), false},
		{"not yet", definition(condition("Established", "False")), false},
		{"done", definition(condition("NamesAccepted", "True"), condition("Established", "True")), true},
		{"nonsense", definition("text", nil), false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) { assert.Equal(t, test.want, established(test.definition)) })
	}
}

func TestServedVersions(t *testing.T) {
	definition := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"versions": []any{
		map[string]any{"name": "v1", "served": true},
		map[string]any{"name": "v1beta1", "served": false},
		map[string]any{"served": true},
		"nonsense",
		map[string]any{"name": "v2", "served": true},
	}}}}
	assert.Equal(t, []string{"v1", "v2"}, servedVersions(definition))
}
