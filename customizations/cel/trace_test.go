package cel_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestTraceTellsNodesAndReads(t *testing.T) {
	engine, err := cel.New(script.Limits{}, kube.Functions())
	require.NoError(t, err)
	program, _, err := engine.Program(&script.Source{
		Customization: "traced", Operation: interpreter.InterpretHealth, Language: script.CEL,
		Text: `object.status.?conditions.orValue([]).exists(c, c.type == 'Ready' &&
  c.status == 'True') && object.metadata['generation'] == kube.orElse(object.status.?seen, 0)`,
	})
	require.NoError(t, err)

	var steps, reads []string
	var watched, plain interpreter.Usage
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Step: func(s interpreter.Step) {
			value, err := json.Marshal(s.Values()[""])
			require.NoError(t, err)
			steps = append(steps, fmt.Sprintf("%d:%d %s = %s", s.Line, s.Column, s.Text, value))
		},
		Read:  func(_ interpreter.Source, path string) { reads = append(reads, path) },
		Spent: func(_ interpreter.Source, u interpreter.Usage) { watched = u },
	})
	req := &interpreter.Request{Operation: interpreter.InterpretHealth, Object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.io/v1", "kind": "Thing", "metadata": map[string]any{"generation": int64(2)},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Synced", "status": "True"}, map[string]any{"type": "Ready", "status": "False"},
		}},
	}}}
	_, err = program.Answer(ctx, req)
	require.NoError(t, err)
	_, err = program.Answer(interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Spent: func(_ interpreter.Source, u interpreter.Usage) { plain = u },
	}), req)
	require.NoError(t, err)
	assert.Equal(t, plain, watched, "watching a run changes what it costs")

	whole := `object.status.?conditions.orValue([]).exists(c, c.type == "Ready" && c.status == "True")`
	assert.Equal(t, []string{
		`1:7 object.status = {"conditions":[{"status":"True","type":"Synced"},{"status":"False","type":"Ready"}]}`,
		`1:14 object.status.?conditions = [{"status":"True","type":"Synced"},{"status":"False","type":"Ready"}]`,
		`1:34 object.status.?conditions.orValue([]) = [{"status":"True","type":"Synced"},{"status":"False","type":"Ready"}]`,
		`1:50 c.type = "Synced"`,
		`1:56 c.type == "Ready" = false`,
		`1:67 c.type == "Ready" && c.status == "True" = false`,
		`1:50 c.type = "Ready"`,
		`1:56 c.type == "Ready" = true`,
		`2:4 c.status = "False"`,
		`2:12 c.status == "True" = false`,
		`1:67 c.type == "Ready" && c.status == "True" = false`,
		`1:45 ` + whole + ` = false`,
		`2:23 ` + whole + " &&\n" + `object.metadata["generation"] == kube.orElse(object.status.?seen, 0) = false`,
	}, steps)
	assert.Equal(t, []string{
		"object.status", "object.status.conditions",
		"object.status.conditions[].type", "object.status.conditions[].type", "object.status.conditions[].status",
	}, reads)

	var optional, conditions []string
	parents := map[int64]string{}
	for _, n := range program.Nodes() {
		parents[n.ID] = n.Text
		if n.Optional {
			optional = append(optional, n.Text)
		}
		if n.Condition {
			conditions = append(conditions, n.Text)
		}
		if n.Text == `c.type` {
			assert.Equal(t, `c.type == "Ready"`, parents[n.Parent])
		}
	}
	assert.Equal(t, []string{
		`c.type == "Ready" && c.status == "True"`, `c.status == "True"`,
		`object.metadata["generation"] == kube.orElse(object.status.?seen, 0)`,
	}, optional)
	assert.Len(t, conditions, 6)
}

func TestTraceTellsEveryRoundOfALoop(t *testing.T) {
	engine, err := cel.New(script.Limits{}, nil)
	require.NoError(t, err)
	program, _, err := engine.Program(&script.Source{
		Customization: "traced", Operation: interpreter.AggregateStatus, Language: script.CEL,
		Text: `{'status': {'names': items.map(i, i.clusterName)}}`,
	})
	require.NoError(t, err)
	var values []any
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Step: func(s interpreter.Step) {
		if s.Text == "i.clusterName" {
			values = append(values, s.Values()[""])
		}
	}})
	_, err = program.Answer(ctx, &interpreter.Request{
		Operation:        interpreter.AggregateStatus,
		Object:           &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}},
		AggregatedStatus: []interpreter.StatusItem{{ClusterName: "m1"}, {ClusterName: "m2"}, {ClusterName: "m2"}},
	})
	require.NoError(t, err)
	assert.Equal(t, []any{"m1", "m2", "m2"}, values)
}

func TestTraceTellsWhatIsBound(t *testing.T) {
	engine, err := cel.New(script.Limits{}, kube.Functions())
	require.NoError(t, err)
	program, _, err := engine.Program(&script.Source{
		Customization: "traced", Operation: interpreter.InterpretHealth, Language: script.CEL,
		Text: `cel.bind(status, object.?status, cel.bind(phase, status.?phase, phase.orValue('') == 'Ready'))`,
	})
	require.NoError(t, err)
	seen := map[string]any{}
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Step: func(s interpreter.Step) {
		seen[s.Text] = s.Values()[""]
	}})
	_, err = program.Answer(ctx, &interpreter.Request{
		Operation: interpreter.InterpretHealth,
		Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "status": map[string]any{"phase": "Ready"},
		}},
	})
	require.NoError(t, err)
	for _, n := range program.Nodes() {
		assert.Contains(t, seen, n.Text)
	}
	assert.Equal(t, true, seen[`cel.bind(phase, status.?phase, phase.orValue("") == "Ready")`])
	assert.Equal(t, "Ready", seen[`status.?phase`])
}
