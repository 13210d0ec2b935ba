package customizations_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

const head = "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\n"

var whole = `# A comment, and a document that is empty.
---
` + head + `metadata: {name: web, annotations: {"why": "so"}}
spec:
  target: {apiVersion: apps.example.com/v1, kind: Web}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(o)
          return true
        end
    replicaResource: {celExpression: object.spec.replicas}
    retention:
      luaScript: ""
    statusReflection:
      celExpression: >-
        object.
        status
---
apiVersion: v1
kind: List
metadata: {}
items:
- ` + strings.ReplaceAll(head, "\nkind", "\n  kind") + `  metadata: {name: other}
  spec:
    target: &target {apiVersion: "*.example.com/*", kind: "*", labelSelector: {matchLabels: {app: x}}}
    customizations: {}
---
` + head + `metadata: {name: third, creationTimestamp: "2024-05-01T10:00:00Z", labels: {}}
spec:
  target:
    apiVersion: v1
    kind: Pod
  customizations:
    retention: null
status: {observedGeneration: 3}
`

func TestDecodeKnowsWhereScriptsStand(t *testing.T) {
	cs, err := customizations.Decode("rules.yaml", []byte(whole))
	require.NoError(t, err)
	require.Len(t, cs, 3)
	lines := strings.Split(whole, "\n")
	web := cs[0]
	assert.Equal(t, "web", web.Object.Name)
	assert.Equal(t, 3, web.Line)
	for op, want := range map[interpreter.Operation]string{
		interpreter.InterpretHealth:  "        function InterpretHealth(o)",
		interpreter.InterpretReplica: "    replicaResource: {celExpression: object.spec.replicas}",
		interpreter.InterpretStatus:  "        object.",
	} {
		require.Contains(t, web.Lines, op)
		assert.Equal(t, want, lines[web.Lines[op]-1])
	}
	assert.NotContains(t, web.Lines, interpreter.Retain, "an empty script is an unset one")
	assert.Equal(t, "function InterpretHealth(o)\n  return true\nend\n", web.Object.Spec.Customizations.HealthInterpretation.LuaScript)
	assert.Equal(t, "x", cs[1].Object.Spec.Target.LabelSelector.MatchLabels["app"])
	assert.Equal(t, "third", cs[2].Object.Name)

	set := customizations.New(options(&wordEngine{})).With(cs...)
	sources := set.Explain(object("apps.example.com/v1", "Web").GroupVersionKind(), interpreter.InterpretHealth)
	require.Len(t, sources, 1)
	assert.Equal(t, "rules.yaml:11", sources[0].Position)
}

// TestFoldedScripts holds that the lines of a folded text, which Karmada's documents have everywhere, are those of the file.
func TestFoldedScripts(t *testing.T) {
	cs, err := customizations.Decode("f.yaml", []byte(head+`metadata: {name: web}
spec:
  target: {apiVersion: apps/v1, kind: Web}
  customizations:
    healthInterpretation:
      luaScript: >
        local kube = require("kube")
        function InterpretHealth(o)
          return o.status.ready
        end
    retention: {celExpression: "{\n}"}
`))
	require.NoError(t, err)
	sources := cs[0].Sources("customizations")
	require.Len(t, sources, 2)
	quoted, folded := sources[0], sources[1]
	assert.Equal(t, "{\n}", quoted.Text)
	assert.Equal(t, "f.yaml:13", quoted.Position(2), "both lines are in one")
	assert.Equal(t, "local kube = require(\"kube\") function InterpretHealth(o)\n  return o.status.ready\nend\n", folded.Text)
	assert.Equal(t, "f.yaml:9", folded.Position(1))
	assert.Equal(t, "f.yaml:11", folded.Position(2), "two lines are one before it")
	assert.Equal(t, "f.yaml:12", folded.Position(3))
	assert.Equal(t, "f.yaml:12", folded.Position(4), "what is behind the end is at the end")
}

func TestDecodeRefuses(t *testing.T) {
	body := func(customizations string) string {
		return head + "metadata: {name: web}\nspec:\n  target: {apiVersion: apps/v1, kind: Web}\n  customizations:\n" + customizations
	}
	for _, tc := range []struct {
		reason, data string
		want         []string
	}{
		{"no YAML", "a: [", []string{"f.yaml:1: YAML does not parse: "}},
		{"a tab", "a:\n\tb: c\n", []string{"f.yaml:2: YAML does not parse: ", "a tab?"}},
		{"a list", "- a\n", []string{"f.yaml:1: want an object with apiVersion and kind, got a list"}},
		{"a word", "word\n", []string{`f.yaml:1: want an object with apiVersion and kind, got "word"`}},
		{"another kind", "\n\napiVersion: v1\nkind: ConfigMap\n", []string{"f.yaml:3:1: want a ResourceInterpreterCustomization of config.karmada.io/v1alpha1, got a ConfigMap of v1"}},
		{"no kind", "apiVersion: v1\n", []string{"f.yaml:1: kind: want one, got nothing"}},
		{"no apiVersion", "kind: ResourceInterpreterCustomization\n", []string{"f.yaml:1: apiVersion: want one, got nothing"}},
		{"neither", "{}", []string{"apiVersion: want one, got nothing", "kind: want one, got nothing"}},
		{"another version", strings.Replace(body("    {}"), "v1alpha1", "v2", 1), []string{"got a ResourceInterpreterCustomization of config.karmada.io/v2"}},
		{"no name", strings.Replace(body("    {}"), "name: web", "", 1), []string{"f.yaml:3:1: metadata.name: want a name, got none"}},
		{"a misspelt operation", body("    healthInterpretatoin: {luaScript: x}"), []string{`f.yaml:7:5: spec.customizations.healthInterpretatoin: unknown field, did you mean "healthInterpretation"?`}},
		{"a misspelt language", body("    retention: {luascript: x}"), []string{`f.yaml:7:17: spec.customizations.retention.luascript: unknown field, did you mean "luaScript"?`}},
		{"a field like no other", body("    retention: {x: y}"), []string{`spec.customizations.retention.x: unknown field`}},
		{"both languages", body("    retention: {luaScript: x, celExpression: z}"), []string{"f.yaml:7:5: spec.customizations.retention: exactly one of luaScript and celExpression must be set, got both"}},
		{"neither language", body("    retention: {}"), []string{"f.yaml:7:5: spec.customizations.retention: exactly one of luaScript and celExpression must be set, got neither"}},
		{"a script that is a number", body("    retention: {luaScript: 5}"), []string{"spec.customizations.retention.luaScript: want a string, got 5: put it in quotes"}},
		{"a script that Kubernetes reads as true", body("    retention: {luaScript: y}"), []string{"spec.customizations.retention.luaScript: want a string, got true: put it in quotes"}},
		{"a label that is a number", strings.Replace(body("    {}"), "name: web", "name: web, labels: {a.b/c: 1}", 1), []string{`f.yaml:3:32: metadata.labels["a.b/c"]: want a string, got 1: put it in quotes`}},
		{"a generation that is a text", strings.Replace(body("    {}"), "name: web", "name: web, generation: two", 1), []string{`metadata.generation: want a whole number, got "two"`}},
		{"a time that is none", strings.Replace(body("    {}"), "name: web", "name: web, creationTimestamp: today", 1), []string{`f.yaml:3:23: metadata.creationTimestamp: parsing time "today"`}},
		{"a script that is a list", body("    retention: {luaScript: [a]}"), []string{"spec.customizations.retention.luaScript: want a string, got a list"}},
		{"rules that are a list", body("    - retention"), []string{"spec.customizations: want an object, got a list"}},
		{"a field twice", body("    retention: {luaScript: a}\n    retention: {luaScript: b}"), []string{`f.yaml:8: YAML does not parse: key "retention" already set in map`}},
		{"a target that is none", strings.Replace(body("    {}"), "apiVersion: apps/v1", "apiVersion: apps/*/x", 1), []string{"f.yaml:5:12: spec.target.apiVersion: want a version"}},
		{"no target", strings.Replace(body("    {}"), "  target: {apiVersion: apps/v1, kind: Web}\n", "", 1), []string{"spec.target.apiVersion: want", "spec.target.kind: want"}},
		{"an operator that is none", strings.Replace(body("    {}"), "kind: Web", "kind: Web, labelSelector: {matchExpressions: [{key: a, operator: Near}]}", 1), []string{`spec.target.labelSelector: "Near" is not a valid`}},
		{"a name twice", body("    {}") + "\n---\n" + body("    {}"), []string{`f.yaml:9: metadata.name: "web" appears twice, first at f.yaml:1: want one customization of each name`}},
		{"an anchor in itself", "a: &a [*a]\n", []string{"YAML does not parse: anchor 'a' value contains itself"}},
		{"a merge of itself", "a: &a\n  <<: *a\n", []string{"YAML does not parse: "}},
		{"several", body("    retention: {}\n    statusreflection: {}") + "\n---\nx\n", []string{"did you mean \"statusReflection\"", `want an object with apiVersion and kind, got "x"`}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			cs, err := customizations.Decode("f.yaml", []byte(tc.data))
			require.Error(t, err)
			assert.Nil(t, cs)
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
			var place *manifest.Error
			require.ErrorAs(t, err, &place)
			assert.Equal(t, "f.yaml", place.File)
		})
	}
}

func TestDecodeFollowsAnchorsAndMergeKeys(t *testing.T) {
	data := head + `metadata: {name: web}
spec:
  target: {apiVersion: apps/v1, kind: Web}
  customizations:
    retention: &rule
      luaScript: &text |
        a
    replicaRevision:
      <<: *rule
    healthInterpretation:
      luaScript: *text
`
	cs, err := customizations.Decode("f.yaml", []byte(data))
	require.NoError(t, err)
	assert.Equal(t, map[interpreter.Operation]int{
		interpreter.Retain: 9, interpreter.ReviseReplica: 9, interpreter.InterpretHealth: 9,
	}, cs[0].Lines)
	assert.Equal(t, "a\n", cs[0].Object.Spec.Customizations.ReplicaRevision.LuaScript)
}

func TestDistinctNamesBothPlaces(t *testing.T) {
	a, b := ric("web", "apps/v1", "Web", "1"), ric("web", "apps/v1", "Web", "1")
	a.File, a.Line, b.File, b.Line = "a.yaml", 3, "b.yaml", 7
	require.EqualError(t, customizations.Distinct(rics{a, b}), `b.yaml:7: metadata.name: "web" appears twice, first at a.yaml:3: want one customization of each name`)
	require.NoError(t, customizations.Distinct(rics{a}))
}

func FuzzDecode(f *testing.F) {
	f.Add(whole)
	f.Add("a: &a [*a]\n")
	f.Add("a: &a\n  <<: *a\nkind: List\n")
	f.Add(head + "metadata: {name: x}\nspec: {target: {apiVersion: v1, kind: P}, customizations: {retention: {luaScript: 1}}}")
	f.Fuzz(func(t *testing.T, data string) {
		cs, err := customizations.Decode("f.yaml", []byte(data))
		if err != nil {
			require.Nil(t, cs)
			return
		}
		set := customizations.New(options(&wordEngine{})).With(cs...)
		require.Equal(t, len(cs), set.Len())
		for _, c := range cs {
			for op, line := range c.Lines {
				require.Positive(t, line, op)
				require.LessOrEqual(t, line, strings.Count(data, "\n")+2, op)
			}
		}
	})
}
