package lua_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestCheckAgreesWithRuns runs the scripts of testdata/check on objects in which optional fields are there or not: one ends
// with an error about nil only where Check says so, and where Check says that there is one, some object shows it.
func TestCheckAgreesWithRuns(t *testing.T) {
	data, err := os.ReadFile("testdata/check/schema.yaml")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, yaml.Unmarshal(data, &schema))
	object := script.NewSchema(schema, nil)
	for _, name := range []string{"absent", "guards"} {
		data, err := os.ReadFile("testdata/check/" + name + ".txt")
		require.NoError(t, err)
		for c := range strings.SplitSeq("\n"+string(data), "\n### ") {
			text, _, _ := strings.Cut(c, "\n---\n")
			reason, text, _ := strings.Cut(text, "\n")
			operation, text, ok := strings.Cut(text, "\n")
			if !ok {
				continue
			}
			t.Run(reason, func(t *testing.T) {
				op, err := interpreter.ParseOperation(operation)
				require.NoError(t, err)
				program, _, err := shared.Load(&script.Source{Customization: "thing", Operation: op, Language: script.Lua, Text: text})
				require.NoError(t, err)
				said := map[int]bool{} // by line: whether some object has shown it
				for _, p := range program.Check(object) {
					if strings.Contains(p.Message, "nil") {
						said[p.Line] = false
					}
				}
				returned := false
				random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same objects every time
				for range 200 {
					req := madeRequest(t, random, op, schema)
					_, err := program.Rule()(t.Context(), req)
					line, isNil := nilLine(err)
					switch _, known := said[line]; {
					case !isNil:
					case line == 0:
						returned = true
					default:
						require.True(t, known, "nothing is said about line %d: %v", line, err)
						said[line] = true
					}
				}
				for line, shown := range said {
					assert.True(t, shown || returned, "no object shows what is said about line %d", line)
				}
			})
		}
	}
}

// nilLine returns the line of an error about nil, 0 when it is the answer that is nil.
func nilLine(err error) (int, bool) {
	problem, ok := errors.AsType[*script.Problem](err)
	switch {
	case !ok:
		return 0, false
	case strings.Contains(problem.Message, "returns nil"):
		return 0, true
	}
	return problem.Line, slices.ContainsFunc([]string{"nil", "__len undefined", "must be a number"}, func(text string) bool {
		return strings.Contains(problem.Message, text)
	})
}

func madeRequest(t *testing.T, random *rand.Rand, op interpreter.Operation, schema map[string]any) *interpreter.Request {
	t.Helper()
	req := &interpreter.Request{
		Operation: op, Object: madeObject(random, schema), ObservedObject: madeObject(random, schema), DesiredReplicas: 3,
	}
	for i := range random.IntN(3) {
		item := interpreter.StatusItem{ClusterName: fmt.Sprintf("m%d", i)}
		status, _ := schema["properties"].(map[string]any)["status"].(map[string]any)
		if made, ok := madeValue(random, status).(map[string]any); ok && random.IntN(3) > 0 {
			item.Status = made
		}
		req.AggregatedStatus = append(req.AggregatedStatus, item)
	}
	require.NoError(t, req.Complete())
	return req
}

func madeObject(random *rand.Rand, schema map[string]any) *unstructured.Unstructured {
	object, _ := madeValue(random, schema).(map[string]any)
	object["apiVersion"], object["kind"] = "example.com/v1", "Thing"
	metadata := map[string]any{"name": "a", "namespace": "b", "uid": "c", "generation": int64(2), "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
	if random.IntN(2) == 0 {
		metadata["labels"] = map[string]any{"app": "x"}
	}
	object["metadata"] = metadata
	if object["spec"] == nil {
		properties, _ := schema["properties"].(map[string]any)
		spec, _ := properties["spec"].(map[string]any)
		object["spec"] = madeValue(random, spec)
	}
	return &unstructured.Unstructured{Object: object}
}

// madeValue returns a value of a schema in which what may be absent sometimes is.
func madeValue(random *rand.Rand, schema map[string]any) any {
	if schema["nullable"] == true && random.IntN(3) == 0 {
		return nil
	}
	if enum, _ := schema["enum"].([]any); len(enum) > 0 {
		return enum[random.IntN(len(enum))]
	}
	switch schema["type"] {
	case "integer":
		return int64(random.IntN(5))
	case "string":
		return []string{"x", "Ready", "Running", ""}[random.IntN(4)]
	case "boolean":
		return random.IntN(2) == 0
	case "array":
		items, _ := schema["items"].(map[string]any)
		out := make([]any, random.IntN(3))
		for i := range out {
			out[i] = madeValue(random, items)
		}
		return out
	case "object":
		return madeFields(random, schema)
	}
	return "80"
}

func madeFields(random *rand.Rand, schema map[string]any) any {
	out := map[string]any{}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		for _, name := range []string{"a", "worker", "leader", "cpu"} {
			if random.IntN(2) == 0 {
				out[name] = madeValue(random, values)
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, _ := properties[name].(map[string]any)
		if field["default"] != nil || slices.Contains(required, any(name)) || random.IntN(5) > 1 {
			out[name] = madeValue(random, field)
		}
	}
	return out
}
