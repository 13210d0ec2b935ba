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
