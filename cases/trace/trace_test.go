package trace_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cases/trace"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

const rules = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(obj)
          for i, c in ipairs(obj.status.conditions) do
            print("condition", c.type)
            if c.type == "Ready" and c.status ~= "False" then
              return true
            end
          end
          error("no condition says Ready")
        end
    statusReflection:
      celExpression: |
        object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
          ? {'ready': size(object.status.conditions)}
          : {'phase': object.status.?phase.orValue('none')}
`

func traced(t *testing.T, op interpreter.Operation, conditions ...any) string {
	t.Helper()
	found, err := customizations.Decode("rules.yaml", []byte(rules))
	require.NoError(t, err)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(found...)
	recorder := trace.New()
	ctx := interpreter.WithTrace(t.Context(), recorder.Trace())
	_, err = interpreter.Client{Interpreter: set}.Do(ctx, &interpreter.Request{
		Operation: op, Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"},
			"status": map[string]any{"conditions": conditions},
		}},
	})
	_ = err // it is in the trace
	var out strings.Builder
	require.NoError(t, recorder.Write(&out))
	return out.String()
}

func condition(name, status string) any { return map[string]any{"type": name, "status": status} }

func TestTraces(t *testing.T) {
	many := make([]any, 12)
	for i := range many {
		many[i] = condition(fmt.Sprintf("Condition%d", i), "True")
	}
	for name, got := range map[string]string{
		"lua.txt":       traced(t, interpreter.InterpretHealth, condition("Synced", "True"), condition("Ready", "True")),
		"lua-error.txt": traced(t, interpreter.InterpretHealth, condition("Ready", "False")),
		"cel.txt":       traced(t, interpreter.InterpretStatus, condition("Synced", "True"), condition("Ready", "True")),
		"cel-many.txt":  traced(t, interpreter.InterpretStatus, many...),
		"cel-error.txt": traced(t, interpreter.InterpretStatus, condition("Synced", "True"), map[string]any{}),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "write it with -update")
			assert.Equal(t, string(want), got)
		})
	}
}
