package lua_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// writer writes scripts that read fields that may be absent, behind all kinds of conditions, a statement on each line.
type writer struct {
	*rand.Rand
	schema map[string]any
	lines  []string
	// values are the expressions that can be read, with their schemas.
	values []written
}

type written struct {
	text   string
	schema map[string]any
}

func (w *writer) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

// value returns something to read: a variable, or a field of one.
func (w *writer) value() written {
	v := w.values[w.IntN(len(w.values))]
	for range w.IntN(3) {
		names := []string{"template", "spec", "metadata", "job", "name", "image", "replicas", "status", "volumes", "phase"}
		name := names[w.IntN(len(names))]
		field := part(v.schema, name)
		if field == nil {
			continue
		}
		text := v.text
		if w.IntN(5) == 0 {
			text = "(" + text + " or {})"
		}
		v = written{text + "." + name, field}
	}
	return v
}

func (w *writer) condition(depth int) string {
	v := w.value().text
	switch n := w.IntN(8); {
	case n < 2 || depth == 0:
		return v + " ~= nil"
	case n == 2:
		return v + " == nil"
	case n == 3:
		return "not " + v
	case n == 4:
		return v
	case n == 5:
		return `type(` + v + `) ~= "nil"`
	case n == 6:
		return "(" + w.condition(depth-1) + " and " + w.condition(depth-1) + ")"
	default:
		return "(" + w.condition(depth-1) + " or " + w.condition(depth-1) + ")"
	}
}

func (w *writer) block(depth int) {
	known := len(w.values)
	for range 1 + w.IntN(3) {
		w.statement(depth)
	}
	w.values = w.values[:known]
}

func (w *writer) statement(depth int) {
	v := w.value()
	switch n := w.IntN(6); {
	case n == 0 && depth > 0:
		w.line("if %s then", w.condition(2))
		w.block(depth - 1)
		if w.IntN(3) == 0 {
			w.line("  do return true end")
		}
		if w.IntN(2) == 0 {
			w.line("else")
			w.block(depth - 1)
		}
		w.line("end")
	case n == 1 && depth > 0:
		w.line("if %s then return false end", w.condition(2))
	case n == 2:
		w.line("local v%d = %s", len(w.lines), v.text)
		w.values = append(w.values, written{fmt.Sprintf("v%d", len(w.lines)-1), v.schema})
	case n == 3:
		w.line("local v%d = %s and %s", len(w.lines), w.condition(1), v.text)
	case v.schema["type"] == "integer":
		w.line("local v%d = %s + 1", len(w.lines), v.text)
	case v.schema["type"] == "string":
		w.line("local v%d = %s .. 'x'", len(w.lines), v.text)
	default:
		w.line("local v%d = %s.x", len(w.lines), v.text)
	}
}

func part(schema map[string]any, name string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	field, _ := properties[name].(map[string]any)
	return field
}

// TestCheckIsSound runs random scripts: where one ends with an error about nil, Check says so.
func TestCheckIsSound(t *testing.T) {
	data, err := os.ReadFile("testdata/check/schema.yaml")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, yaml.Unmarshal(data, &schema))
	object := script.NewSchema(schema, nil)
	said, shown := 0, 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same scripts every time
		w := &writer{Rand: random, schema: schema, values: []written{{"obj", schema}, {"obj.spec", part(schema, "spec")}, {"obj.status", part(schema, "status")}}}
		w.line("function InterpretHealth(obj)")
		for range 6 {
			w.statement(2)
		}
		w.line("return true end")
		text := strings.Join(w.lines, "\n")
		program, _, err := shared.Load(&script.Source{Customization: "thing", Operation: interpreter.InterpretHealth, Language: script.Lua, Text: text})
		require.NoError(t, err, text)
		lines := map[int]bool{}
		for _, p := range program.Check(object) {
			if strings.Contains(p.Message, "nil") {
				lines[p.Line] = false
			}
		}
		for range 40 {
			_, err := program.Rule()(t.Context(), madeRequest(t, random, interpreter.InterpretHealth, schema))
			if line, isNil := nilLine(err); isNil && line > 0 {
				require.Contains(t, lines, line, "seed %d: %v\n%s", seed, err, text)
				lines[line] = true
			}
		}
		for _, ok := range lines {
			said++
			if ok {
				shown++
			}
		}
	}
	t.Logf("%d of %d places where nil may be an error were seen", shown, said)
	require.Greater(t, shown*10, said*8)
}
