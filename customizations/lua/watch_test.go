package lua_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

const watched = `function InterpretHealth(obj)
  if obj.status == nil then
    return false
  end
  for _, c in ipairs(obj.status.conditions) do
    local ready = c.type == "Ready" and c.status ~= "False"
    if ready then return true end
  end
  return false
end`

// told is what a run of the watched script tells about an object with the given status.
func told(t *testing.T, status any) (program *lua.Program, lines []int, outcomes map[string]int, reads []string, usage interpreter.Usage) {
	t.Helper()
	program, _, err := lua.New(script.Limits{}, nil).Load(&script.Source{
		Customization: "traced", Operation: interpreter.InterpretHealth, Language: script.Lua, Text: watched,
	})
	require.NoError(t, err)
	object := map[string]any{"apiVersion": "example.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}}
	if status != nil {
		object["status"] = status
	}
	outcomes = map[string]int{}
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Step: func(s interpreter.Step) {
			if s.Node == 0 {
				lines = append(lines, s.Line)
				return
			}
			outcomes[fmt.Sprintf("%d %v", s.Line, s.Values()[""])]++
		},
		Read:  func(_ interpreter.Source, path string) { reads = append(reads, path) },
		Spent: func(_ interpreter.Source, u interpreter.Usage) { usage = u },
	})
	req := &interpreter.Request{Operation: interpreter.InterpretHealth, Object: &unstructured.Unstructured{Object: object}}
	_, err = program.Rule()(ctx, req)
	require.NoError(t, err)

	var plain interpreter.Usage
	ctx = interpreter.WithTrace(t.Context(), &interpreter.Trace{Spent: func(_ interpreter.Source, u interpreter.Usage) { plain = u }})
	_, err = program.Rule()(ctx, req)
	require.NoError(t, err)
	assert.Equal(t, plain, usage, "watching a run changes what it costs")
	return program, lines, outcomes, reads, usage
}

func TestTraceTellsLinesConditionsAndReads(t *testing.T) {
	condition := func(kind, status string) any { return map[string]any{"type": kind, "status": status} }
	conditions := func(list ...any) any { return map[string]any{"conditions": list} }
	for _, test := range []struct {
		reason   string
		status   any
		lines    []int
		outcomes map[string]int
		reads    []string
	}{
		{
			"nothing there", nil, []int{1, 2, 3}, map[string]int{"2 true": 1}, []string{"object.status"},
		},
		{
			"the second element decides", conditions(condition("Synced", "True"), condition("Ready", "True")),
			[]int{1, 2, 5, 6, 7, 5, 6, 7},
			map[string]int{"2 false": 1, "6 false": 2, "6 true": 1, "7 false": 1, "7 true": 1},
			[]string{
				"object.status", "object.status", "object.status.conditions", "object.status.conditions[].type",
				"object.status.conditions[].type", "object.status.conditions[].status",
			},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			program, lines, outcomes, reads, _ := told(t, test.status)
			assert.Equal(t, test.lines, lines)
			assert.Equal(t, test.outcomes, outcomes)
			assert.Equal(t, test.reads, reads)
			known := map[string]bool{}
			for _, c := range program.Conditions() {
				known[fmt.Sprint(c.Line)] = true
			}
			assert.Equal(t, map[string]bool{"2": true, "6": true, "7": true}, known)
			assert.True(t, slices.IsSorted(program.Lines()))
		})
	}
}
