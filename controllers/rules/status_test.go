package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestReady(t *testing.T) {
	source := &script.Source{Customization: "c", Operation: interpreter.InterpretHealth}
	warning := &script.Problem{Severity: script.Warning, Source: source, Message: "risky"}
	mistake := &script.Problem{Severity: script.Error, Source: source, Message: "wrong"}
	long := &script.Problem{Severity: script.Error, Source: source, Message: strings.Repeat("x", 40_000)}
	for _, tc := range []struct {
		reason   string
		problems script.Problems
		status   metav1.ConditionStatus
		says     string
	}{
		{"nothing wrong", nil, metav1.ConditionTrue, ""},
		{"a warning is told, and the rule is in force", script.Problems{warning}, metav1.ConditionTrue, "risky"},
		{"a mistake", script.Problems{warning, mistake}, metav1.ConditionFalse, "wrong"},
		{"more than the API takes is cut", script.Problems{long}, metav1.ConditionFalse, "..."},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := ready(tc.problems, 7)
			assert.Equal(t, tc.status, got.Status)
			assert.Equal(t, int64(7), got.ObservedGeneration)
			assert.Contains(t, got.Message, tc.says)
			assert.Less(t, len(got.Message), 32_768)
		})
	}
}

func TestEngines(t *testing.T) {
	lua, cel, empty := &configv1alpha1.Script{LuaScript: "x"}, &configv1alpha1.Script{CELExpression: "x"}, &configv1alpha1.Script{}
	assert.Empty(t, engines(&configv1alpha1.CustomizationRules{Retention: empty}))
	assert.Equal(t, "Lua", engines(&configv1alpha1.CustomizationRules{Retention: lua}))
	assert.Equal(t, "CEL", engines(&configv1alpha1.CustomizationRules{Retention: cel}))
	assert.Equal(t, "CEL, Lua", engines(&configv1alpha1.CustomizationRules{Retention: cel, StatusAggregation: lua}))
}
