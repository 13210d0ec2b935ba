package status_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/status"
)

// decode returns the plain values of a YAML object.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, utiljson.Unmarshal(data, &out))
	return out
}

// members returns an item for each status, which is YAML; "none" stands for an item without one.
func members(t testing.TB, statuses ...string) []interpreter.StatusItem {
	t.Helper()
	out := make([]interpreter.StatusItem, len(statuses))
	for i, text := range statuses {
		out[i].ClusterName = fmt.Sprintf("member%d", i+1)
		if text != "none" {
			out[i].Status = decode(t, text)
		}
	}
	return out
}

func TestObservedGeneration(t *testing.T) {
	const upToDate = `{generation: 7, observedGeneration: 7, resourceTemplateGeneration: 3}`
	for _, tc := range []struct {
		reason   string
		template string
		statuses []string
		want     int64
		wantOK   bool
	}{
		{"every member has caught up", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{upToDate, upToDate}, 3, true},
		{"no members: nobody is behind", `{metadata: {generation: 3}}`, nil, 3, true},
		{"one member has not seen its own newest generation", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{upToDate, `{generation: 7, observedGeneration: 6, resourceTemplateGeneration: 3}`}, 2, true},
		{"one member has not got the template's newest generation", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{`{generation: 7, observedGeneration: 7, resourceTemplateGeneration: 2}`, upToDate}, 2, true},
		{"one member has no status yet", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{upToDate, "none"}, 2, true},
		{"one member does not say which template it has", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{`{generation: 7, observedGeneration: 7}`}, 2, true},
		{"an empty status has caught up with nothing", `{metadata: {generation: 3}}`, []string{`{}`}, 0, false},
		{"ahead is not behind", `{metadata: {generation: 3}, status: {observedGeneration: 2}}`, []string{`{generation: 7, observedGeneration: 8, resourceTemplateGeneration: 4}`}, 3, true},
		{"behind, and nothing to keep", `{metadata: {generation: 3}}`, []string{"none"}, 0, false},
		{"a template without a generation has none to observe", `{metadata: {}, status: {observedGeneration: 2}}`, []string{upToDate}, 2, true},
		{"large generations are exact", `{metadata: {generation: 9007199254740993}}`, []string{`{resourceTemplateGeneration: 9007199254740992}`}, 0, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, ok, err := status.ObservedGeneration(decode(t, tc.template), members(t, tc.statuses...))
			require.NoError(t, err)
			assert.Equal(t, tc.wantOK, ok)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestErrorsNameClusterAndField(t *testing.T) {
	for _, tc := range []struct {
		reason   string
		statuses []string
		ask      func([]interpreter.StatusItem) error
		want     string
	}{
		{
			"a generation that is text, in a member after one that is behind",
			[]string{"none", `{observedGeneration: "7"}`},
			func(items []interpreter.StatusItem) error {
				_, _, err := status.ObservedGeneration(map[string]any{"metadata": map[string]any{"generation": int64(1)}}, items)
				return err
			},
			`member2: status.observedGeneration: want a whole number, got "7"`,
		},
		{
			"a counter that is text",
			[]string{`{num: 1}`, `{num: two}`},
			func(items []interpreter.StatusItem) error { _, err := status.Count(items, "num"); return err },
			`member2: status.num: want a whole number, got "two"`,
		},
		{
			"a negative counter",
			[]string{`{num: -1}`},
			func(items []interpreter.StatusItem) error { _, err := status.Count(items, "num"); return err },
			`member1: status.num: want a number of at least 0, got -1`,
		},
		{
			"counters that are too large together",
			[]string{`{num: 9223372036854775807}`, `{num: 1}`},
			func(items []interpreter.StatusItem) error { _, err := status.Count(items, "num"); return err },
			`member2: status.num: want a sum that an int64 holds, got 1`,
		},
		{
			"text that is no time",
			[]string{`{at: "2026-01-01T00:00:00Z"}`, `{at: noon}`},
			func(items []interpreter.StatusItem) error { _, err := status.TimesOf(items, "at"); return err },
			`member2: status.at: want a time such as 2006-01-02T15:04:05Z, got "noon"`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			require.EqualError(t, tc.ask(members(t, tc.statuses...)), tc.want)
		})
	}
	require.EqualError(t, status.In(&interpreter.StatusItem{}, errors.New("x")), "a cluster without a name: x")
	require.NoError(t, status.In(&interpreter.StatusItem{}, nil))
}

func TestReport(t *testing.T) {
	observed := decode(t, `{metadata: {generation: 7, annotations: {resourcetemplate.karmada.io/generation: "3"}}, status: {replicas: 2, ready: null, deep: {a: b}, other: 1}}`)
	before := runtime.DeepCopyJSON(observed)
	got, err := status.Report(observed, "replicas", "ready", "deep", "absent")
	require.NoError(t, err)
	assert.Equal(t, decode(t, `{replicas: 2, ready: null, deep: {a: b}, generation: 7, resourceTemplateGeneration: 3}`), got)
	got["deep"].(map[string]any)["a"] = "changed"
	assert.Equal(t, before, observed)

	for reason, text := range map[string]string{"no status": `{}`, "an empty one": `{status: {}}`, "null": `{status: null}`} {
		got, err = status.Report(decode(t, text), "replicas")
		require.NoError(t, err)
		assert.Nil(t, got, reason)
	}
	got, err = status.Report(decode(t, `{metadata: {generation: 7}, status: {replicas: 2}}`), "replicas")
	require.NoError(t, err)
	assert.Equal(t, decode(t, `{replicas: 2, generation: 7}`), got, "without the annotation the field is left out")

	_, err = status.Report(decode(t, `{metadata: {annotations: {resourcetemplate.karmada.io/generation: x}}, status: {a: 1}}`))
	require.EqualError(t, err, `metadata.annotations[resourcetemplate.karmada.io/generation]: want a whole number, got "x"`)
	_, err = status.Report(decode(t, `{metadata: {generation: x}, status: {a: 1}}`))
	require.EqualError(t, err, `metadata.generation: want a whole number, got "x"`)
	_, err = status.Report(decode(t, `{status: fine}`))
	require.EqualError(t, err, `status: want an object, got "fine"`)
}

func TestTimesOf(t *testing.T) {
	got, err := status.TimesOf(members(t, `{at: "2026-01-02T00:00:00Z"}`, "none", `{at: "2026-01-01T12:00:00+14:00"}`, `{at: null}`), "at")
	require.NoError(t, err)
	assert.Equal(t, status.Times{Earliest: "2026-01-01T12:00:00+14:00", Latest: "2026-01-02T00:00:00Z", Count: 2}, got)
}

func TestCountIsExact(t *testing.T) {
	got, err := status.Count(members(t, `{num: 2}`, "none", `{num: 9007199254740993}`, `{num: null}`, `{num: 3.0}`), "num")
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740998), got)
}

func TestCondition(t *testing.T) {
	s := decode(t, `{conditions: [{type: A, num: 1}, null, {type: B, num: 2}, {type: B, num: 3}]}`)
	got, err := status.Condition(s, "B")
	require.NoError(t, err)
	assert.Equal(t, int64(2), got["num"], "the first of that type")
	got, err = status.Condition(s, "C")
	require.NoError(t, err)
	assert.Nil(t, got)
	_, err = status.Condition(decode(t, `{conditions: [{type: 1}]}`), "A")
	require.EqualError(t, err, `conditions[0].type: want a string, got 1`)
}

func TestByCluster(t *testing.T) {
	items := []interpreter.StatusItem{{ClusterName: "b"}, {ClusterName: "a"}, {ClusterName: ""}}
	assert.Equal(t, []interpreter.StatusItem{{ClusterName: ""}, {ClusterName: "a"}, {ClusterName: "b"}}, status.ByCluster(items))
	assert.Equal(t, "b", items[0].ClusterName, "the list of the caller's is not sorted itself")
	assert.Nil(t, status.ByCluster(nil))
}
