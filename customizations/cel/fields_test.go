package cel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

const jobSchema = `{"type": "object", "properties": {
	"spec": {"type": "object", "properties": {
		"replicas": {"type": "integer"}, "image": {"type": "string"}, "paused": {"type": "boolean"},
		"port": {"x-kubernetes-int-or-string": true},
		"args": {"type": "array", "items": {"type": "string"}},
		"tasks": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "replicas": {"type": "integer"}}}},
		"roles": {"type": "object", "additionalProperties": {"type": "object", "properties": {"size": {"type": "integer"}}}},
		"extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": {"type": "string"}}},
		"any": {"type": "object"},
		"template": {"$ref": "#/definitions/template"}}},
	"status": {"type": "object", "properties": {
		"phase": {"type": "string"}, "readyReplicas": {"type": "integer"}, "when": {"type": "string", "nullable": true},
		"conditions": {"type": "array", "items": {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}}}`

func testSchema(t testing.TB) *script.Schema {
	t.Helper()
	var raw map[string]any
	require.NoError(t, json.Unmarshal([]byte(jobSchema), &raw))
	return script.NewSchema(raw, func(ref string) map[string]any {
		if ref != "#/definitions/template" {
			return nil
		}
		return map[string]any{"allOf": []any{map[string]any{"type": "object", "properties": map[string]any{
			"name": map[string]any{"type": "string"}, "inner": map[string]any{"$ref": "#/definitions/template"},
		}}}}
	})
}

func TestCheck(t *testing.T) {
	functions := append(kubeFunctions(), kube.Function{
		Name: "pick", Params: []kube.Param{{Name: "value", Type: kube.Any}, {Name: "path", Type: kube.Any, Path: kube.Argument}},
	}, kube.Function{
		Name: "total", Params: []kube.Param{{Name: "items", Type: kube.Any}, {Name: "field", Type: kube.String, Path: kube.MemberStatus}},
	})
	engine, err := cel.New(script.Limits{}, functions)
	require.NoError(t, err)
	const (
		health    = interpreter.InterpretHealth
		revise    = interpreter.ReviseReplica
		aggregate = interpreter.AggregateStatus
	)
	for _, tc := range []struct {
		reason string
		op     interpreter.Operation
		text   string
		want   []string // "column message"
	}{
		{"every way to read what is there", health, `object.spec.replicas == object["status"].readyReplicas && object.?spec[?"image"].orValue("") != "" && has(object.metadata.labels) && object.kind == "Job"`, nil},
		{"a misspelt field", health, `object.status.phsae == "Running"`, []string{`14 object.status has no field phsae: did you mean phase?`}},
		{"a misspelt field in brackets", health, `object["sttaus"].phase == "Running"`, []string{`7 object has no field sttaus: did you mean status?`}},
		{"a misspelt optional field", health, `object.?status.phsae.orValue("") == "x"`, []string{`15 object.?status has no field phsae: did you mean phase?`}},
		{"a misspelt field that is only tested", health, `has(object.status.phsae)`, []string{`4 object.status has no field phsae: did you mean phase?`}},
		{"a misspelt field of metadata", health, `object.metadata.lables["a"] == "b"`, []string{`16 object.metadata has no field lables: did you mean labels?`}},
		{"in a loop", health, `object.spec.tasks.all(t, t.replica > 0)`, []string{`27 t has no field replica: did you mean replicas?`}},
		{"in a loop with an index", health, `object.spec.tasks.all(i, t, i > 0 && t.replica > 0)`, []string{`39 t has no field replica: did you mean replicas?`}},
		{"in a loop over a map", health, `object.spec.roles.all(k, k == "a") && object.spec.roles.exists(k, v, v.sise > 0)`, []string{`71 v has no field sise: did you mean size?`}},
		{"behind map and filter", health, `object.spec.tasks.filter(t, t.name == "a").map(t, t.name).exists(n, n.x == 1)`, []string{`70 n is a string: it has no field x`}},
		{"behind bind", health, `cel.bind(s, object.status, s.phsae == "a")`, []string{`29 s has no field phsae: did you mean phase?`}},
		{"behind optMap", health, `object.?status.optMap(s, s.phsae == "a").orValue(false)`, []string{`27 s has no field phsae: did you mean phase?`}},
		{"behind a condition", health, `(object.spec.paused ? object.spec : null).imag == "a"`, []string{`42 object.spec.paused ? object.spec : null has no field imag: did you mean image?`}},
		{"behind a reference", health, `object.spec.template.inner.inner.naem == "a"`, []string{`33 object.spec.template.inner.inner has no field naem: did you mean name?`}},
		{"what may have any field", health, `object.spec.any.x.y == 1 && object.spec.extra.unknown == 1 && object.spec.roles.anything.size == 1`, nil},
		{"a field of a number", health, `object.spec.replicas.max == 1`, []string{`21 object.spec.replicas is a number: it has no field max`}},
		{"a field of a list", health, `object.status.conditions.ready == true`, []string{`25 object.status.conditions is a list: it has no field ready`}},
		{"a key of a list", health, `object.status.conditions[object.spec.image].status == "True"`, []string{`25 object.status.conditions is a list: want a number in []`}},
		{"never equal", health, `object.spec.replicas == "3"`, []string{`22 object.spec.replicas is a number, "3" is a string: they are never equal`}},
		{"int or string may be either", health, `object.spec.port == 80 || object.spec.port == "http"`, nil},
		{"null may be compared", health, `object.status.when == null && object.spec.image != null`, nil},
		{"adding what does not add", health, `object.spec.replicas + "x" == "3x"`, []string{`22 object.spec.replicas is a number, "x" is a string: + is not defined for them`}},
		{"comparing what has no order", health, `object.spec.args < object.spec.args`, []string{`18 object.spec.args is a list: < is not defined for it`}},
		{"a condition that is none", health, `object.spec.image ? true : false`, []string{`12 object.spec.image is a string: want true or false`}},
		{"a side of && that is none", health, `object.spec.replicas && object.spec.paused`, []string{`12 object.spec.replicas is a number: want true or false`}},
		{"a number to go through", health, `object.spec.replicas.all(x, true)`, []string{`12 object.spec.replicas is a number: want a list or a map to go through`}},
		{"a text for a number of replicas", interpreter.InterpretReplica, `object.spec.image`, []string{`12 object.spec.image is a string: want a whole number or {"replicas", "replicaRequirements"}`}},
		{"the same in a map", interpreter.InterpretReplica, `{"replicas": object.spec.image}`, []string{`25 object.spec.image is a string: want a whole number`}},
		{"a list for a status", interpreter.InterpretStatus, `object.status.conditions`, []string{`14 object.status.conditions is a list: want a map, or null for no status`}},
		{"a status that is written", interpreter.InterpretStatus, `{"phase": object.status.phase, "raedyReplicas": 1, "generation": 2, "own": 3}`, []string{`32 status has no field raedyReplicas: did you mean readyReplicas?`}},
		{"a change that writes a misspelt field", revise, `object.spec.paused ? {} : {"spec": {"replcas": replicas, "tasks": [{"naem": "a"}]}}`, []string{
			`37 object.spec has no field replcas: did you mean replicas?`, `69 object.spec.tasks[0] has no field naem: did you mean name?`,
		}},
		{"a patch with a misspelt path", revise, `[{"op": "replace", "path": "/spec/tasks/0/replcas", "value": replicas}]`, []string{`28 object.spec.tasks[0] has no field replcas: did you mean replicas?`}},
		{"items", aggregate, `{"status": {"readyReplicas": items.map(i, i.status.raedyReplicas).sum(), "phase": items[0].clustername}}`, []string{
			`51 i.status has no field raedyReplicas: did you mean readyReplicas?`, `91 items[0] has no field clustername: did you mean clusterName?`,
		}},
		{"next", revise, `{"spec": {"replicas": next.spec.replcas}}`, []string{`32 next.spec has no field replcas: did you mean replicas?`}},
		{"context", revise, `{"spec": {"image": context.clster + context.targets[0].nam}}`, []string{
			`27 context has no field clster: did you mean cluster?`, `55 context.targets[0] has no field nam: did you mean name?`,
		}},
		{"paths in arguments", aggregate, `{"status": {"readyReplicas": kube.total(items, "readyReplica"), "phase": kube.pick(object.spec, ["imag", "template.inner.naem", "any.x"])}}`, []string{
			`48 status has no field readyReplica: did you mean readyReplicas?`,
			`98 object.spec has no field imag: did you mean image?`, `106 object.spec.template.inner has no field naem: did you mean name?`,
		}},
		{"several mistakes, each once", health, `object.a == 1 && object.b == 2 && object.a == 1`, []string{
			`7 object has no field a: want one of apiVersion, kind, metadata, spec, status`, `24 object has no field b: want one of apiVersion, kind, metadata, spec, status`,
			`41 object has no field a: want one of apiVersion, kind, metadata, spec, status`,
		}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			p, _, err := engine.Program(source(tc.op, tc.text))
			require.NoError(t, err)
			var got []string
			for _, problem := range p.Check(testSchema(t)) {
				assert.Equal(t, 1, problem.Line)
				got = append(got, strings.TrimPrefix(strings.SplitN(problem.Error(), "\n", 2)[0], "test."+tc.op.Info().Field+":1:"))
			}
			for i := range got {
				got[i] = strings.Replace(got[i], ": ", " ", 1)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestWarnings has what can be told without a schema: metadata, items and context are the same for all kinds.
func TestWarnings(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	for _, tc := range []struct {
		op         interpreter.Operation
		text, want string
	}{
		{interpreter.InterpretHealth, `object.metadata.lables["a"] == "b"`, "object.metadata has no field lables: did you mean labels?"},
		{interpreter.InterpretHealth, `object.metadata.generation == "1"`, "they are never equal"},
		{interpreter.AggregateStatus, `{"status": items[0].stauts}`, "items[0] has no field stauts: did you mean status?"},
		{interpreter.ReviseReplica, `{"spec": {"a": context.clusters}}`, "context has no field clusters: did you mean cluster?"},
		{interpreter.ReviseReplica, `{"spec": {"a": replicas, "b": object.anything.at.all}}`, ""},
	} {
		_, warnings, err := engine.Compile(source(tc.op, tc.text))
		require.NoError(t, err)
		if tc.want == "" {
			assert.Empty(t, warnings)
			continue
		}
		require.Len(t, warnings, 1, tc.text)
		assert.Equal(t, script.Warning, warnings[0].Severity)
		assert.Contains(t, warnings[0].Message, tc.want)
	}
}

// FuzzCheck proves that neither a schema nor an expression crashes or hangs the check, and that it finds nothing in what
// a schema leaves open.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		`object.spec.replicas + object.status.x == "a"`, `object.a.map(x, x.b).exists(y, y.c)`, `{"spec": {"a": object.b}}`,
		`[{"op": "add", "path": "/spec/a/0", "value": 1}]`, `cel.bind(s, object.spec, s.?a.b[?0].orValue(1) == next.c)`,
	} {
		f.Add(jobSchema, text)
		f.Add(`{"$ref": "#/definitions/template"}`, text)
		f.Add(`{"properties": {"spec": {"properties": 1, "additionalProperties": [], "items": 3, "type": []}}}`, text)
	}
	engine, err := cel.New(script.Limits{}, kube.Functions())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, schema, text string) {
		var raw map[string]any
		if json.Unmarshal([]byte(schema), &raw) != nil {
			t.Skip("no schema")
		}
		for _, info := range interpreter.Operations() {
			p, _, err := engine.Program(source(info.Operation, text))
			if err != nil {
				continue
			}
			problems := p.Check(script.NewSchema(raw, func(string) map[string]any { return raw }))
			assert.LessOrEqual(t, len(problems), 100)
			assert.Positive(t, p.Estimate(1000)+1)
		}
	})
}

// TestLoopsOverAnything proves that keys are not taken for indices where nobody knows whether a loop goes through a list or
// a map.
func TestLoopsOverAnything(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	for _, text := range []string{
		`object.spec.roles.exists(k, v, k == "worker" && v.replicas == 4)`,
		`object.spec.roles.transformList(k, v, k + "=" + string(v)).size() > 0`,
		`object.spec.list.exists(i, v, i == 1 && v == "b")`,
	} {
		_, warnings, err := engine.Compile(source(interpreter.InterpretHealth, text))
		require.NoError(t, err)
		require.Empty(t, warnings, text)
	}
}
