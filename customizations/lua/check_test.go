package lua_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestCheck compares what Check says about every script in testdata/check/*.txt, for objects of the schema beside them.
// The files have the form of problems.txt.
func TestCheck(t *testing.T) {
	object := checkSchema(t)
	files, err := filepath.Glob("testdata/check/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			compareCases(t, file, func(op interpreter.Operation, text string) string { return checked(t, object, op, text) })
		})
	}
}

func checkSchema(t testing.TB) *script.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/check/schema.yaml")
	require.NoError(t, err)
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal(data, &raw))
	return script.NewSchema(raw, nil)
}

// FuzzCheck holds that no script crashes or hangs the check, that it says the same again, that every problem stands in the
// script, and that whatever the engine loads can be looked at.
func FuzzCheck(f *testing.F) {
	object := checkSchema(f)
	files, err := filepath.Glob("testdata/*/*")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		for c := range strings.SplitSeq(string(data), "\n### ") {
			text, _, _ := strings.Cut(c, "\n---\n")
			if strings.HasSuffix(file, ".txt") {
				_, text, _ = strings.Cut(text, "\n") // the reason
				_, text, _ = strings.Cut(text, "\n") // the operation
			}
			for i, info := range interpreter.Operations() {
				if strings.Contains(text, info.Function) {
					f.Add(i, text)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, op int, text string) {
		infos := interpreter.Operations()
		info := infos[uint(op)%uint(len(infos))]
		program, _, err := shared.Load(&script.Source{Customization: "thing", Operation: info.Operation, Language: script.Lua, Text: text})
		if err != nil {
			return
		}
		require.True(t, lua.CanCheck(program))
		lines := strings.Split(text, "\n")
		for _, schema := range []*script.Schema{object, script.AnyObject} {
			problems := program.Check(schema)
			for _, p := range problems {
				assert.NotEmpty(t, p.Message)
				assert.True(t, p.Line >= 1 && p.Line <= len(lines)+strings.Count(text, "\r"), "line %d", p.Line)
				assert.GreaterOrEqual(t, p.Column, 1)
			}
			assert.Equal(t, problems, program.Check(schema))
		}
	})
}

// checked returns what Check says about a script.
func checked(t *testing.T, object *script.Schema, op interpreter.Operation, text string) string {
	t.Helper()
	program, _, err := shared.Load(&script.Source{Customization: "thing", Operation: op, Language: script.Lua, Text: text})
	require.NoError(t, err)
	var out []string
	for _, p := range program.Check(object) {
		assert.Contains(t, []script.Severity{script.Error, script.Warning}, p.Severity)
		assert.NotZero(t, p.Line, p.Message)
		assert.NotZero(t, p.Column, p.Message)
		out = append(out, fmt.Sprintf("%s: %s", p.Severity, p.Error()))
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, "\n")
}
