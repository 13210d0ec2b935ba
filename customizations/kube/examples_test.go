package kube_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite docs/kube.md")

const docs = "../../docs/kube.md"

// question returns the request that an example is run on: Retain when it speaks of the observed object.
func question(t testing.TB, example string) *interpreter.Request {
	t.Helper()
	data, err := os.ReadFile("testdata/example.yaml")
	require.NoError(t, err)
	var inputs struct{ Object, Observed, Items any }
	require.NoError(t, yaml.UnmarshalStrict(data, &inputs))
	object := func(v any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: normalize(v).(map[string]any)}
	}
	req := &interpreter.Request{Operation: interpreter.AggregateStatus, Object: object(inputs.Object)}
	if strings.Contains(example, "observed,") {
		req.Operation = interpreter.Retain
		req.ObservedObject = object(inputs.Observed)
	}
	for _, item := range normalize(inputs.Items).([]any) {
		m := item.(map[string]any)
		req.AggregatedStatus = append(req.AggregatedStatus, interpreter.StatusItem{
			ClusterName: m["clusterName"].(string), Status: m["status"].(map[string]any),
		})
	}
	return req
}

// result returns the value of an example, a rule's status.result.
func result(t testing.TB, engine script.Engine, source script.Source) any {
	t.Helper()
	req := question(t, source.Text)
	require.NoError(t, req.Complete())
	source.Operation = req.Operation
	switch source.Language {
	case script.CEL:
		source.Text = fmt.Sprintf("kube.setStatus({}, {'result': %s})", source.Text)
	case script.Lua:
		source.Text = fmt.Sprintf(`local kube = require("kube")
function %s(object, %s)
  object.status = {result = %s}
  return object
end`, req.Operation.Info().Function, map[bool]string{true: "observed", false: "items"}[req.Operation == interpreter.Retain], source.Text)
	}
	rule, warnings, err := engine.Compile(&source)
	require.NoError(t, err)
	require.Empty(t, warnings)
	clock := interpreter.Clock{Now: func() time.Time { return time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC) }}
	resp, err := rule(interpreter.WithClock(t.Context(), clock), req)
	require.NoError(t, err)
	status, _ := resp.Object.Object["status"].(map[string]any)
	return status["result"]
}

// TestExamples runs the examples of every function in both languages. Where both say the same they give the same value,
// and docs/kube.md shows it.
func TestExamples(t *testing.T) {
	functions := kube.Functions()
	celEngine, err := cel.New(script.Limits{}, functions)
	require.NoError(t, err)
	luaEngine := lua.New(script.Limits{}, functions)

	var page strings.Builder
	page.WriteString(preface)
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			inCEL := result(t, celEngine, script.Source{Customization: f.Name, Language: script.CEL, Text: f.CEL})
			inLua := result(t, luaEngine, script.Source{Customization: f.Name, Language: script.Lua, Text: f.Lua})
			if alike(f.Lua) == alike(f.CEL) {
				assert.Equal(t, normalize(inCEL), normalize(inLua))
			}
			page.WriteString(section(t, &f, inCEL))
		})
	}
	got := page.String()
	if *update {
		require.NoError(t, os.WriteFile(docs, []byte(got), 0o644))
	}
	want, err := os.ReadFile(docs)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run: go test ./customizations/kube -update")
}

// alike returns an example without what the languages write differently.
func alike(example string) string {
	return strings.NewReplacer(`"`, "'", ".?", ".", "{", "", "}", "", "[", "", "]", "", " = ", "", ": ", "", "'", "", "nil", "null").Replace(example)
}

const preface = `<!-- Written by go test ./customizations/kube -update. -->
# The kube library

Scripts find these functions under the name ` + "`kube`" + `: in Lua after ` + "`local kube = require(\"kube\")`" + `, in CEL as they are. A
function has one name and one meaning in both. Arguments in brackets may be left out or be null. An optional value of CEL
(` + "`object.?status`" + `) that is absent counts as null. A function that returns a change, a JSON patch, is for CEL, where a rule returns
the change of its object; a Lua function changes the object itself and returns it.

The examples are run by a test on [this object and these members](../customizations/kube/testdata/example.yaml); the value
below each is what it gives. Besides these there is ` + "`kube.next(...)`" + ` in Lua and ` + "`next`" + ` in CEL: what the next rule answers.
`

func section(t testing.TB, f *kube.Function, value any) string {
	t.Helper()
	var params []string
	for i, p := range f.Params {
		text := fmt.Sprintf("%s %s", p.Name, p.Type)
		if f.Variadic && i == len(f.Params)-1 {
			text += "..."
		}
		if p.Optional {
			text = "[" + text + "]"
		}
		params = append(params, text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n`kube.%s(%s)` returns %s", f.Name, f.Name, strings.Join(params, ", "), f.Result)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(&b, "; also called `%s`", strings.Join(f.Aliases, "`, `"))
	}
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	fmt.Fprintf(&b, ".\n\n%s\n\n", f.Doc)
	fmt.Fprintf(&b, "```lua\n%s\n```\n\n```cel\n%s\n```\n\n```json\n%s\n```\n", f.Lua, f.CEL, encoded)
	return b.String()
}
