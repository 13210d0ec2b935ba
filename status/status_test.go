package status_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
			`member2: status.observedGeneration: want a whole number, got the string "7"`,
		},
		{
			"a counter that is text",
			[]string{`{num: 1}`, `{num: two}`},
			func(items []interpreter.StatusItem) error { _, err := status.Count(items, "num"); return err },
			`member2: status.num: want a whole number, got the string "two"`,
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
			"numbers that are too small together",
			[]string{`{num: -9223372036854775808}`, `{num: -1}`},
			func(items []interpreter.StatusItem) error { _, err := status.Sum(items, "num"); return err },
			`member2: status.num: want a sum that an int64 holds, got -1`,
		},
		{
			"an object where a number is wanted",
			[]string{`{num: {}}`},
			func(items []interpreter.StatusItem) error { _, err := status.Max(items, "num"); return err },
			`member1: status.num: want a number, got an object`,
		},
		{
			"the field that is wrong, on the way to a nested one",
			[]string{`{a: {b: 3}}`},
			func(items []interpreter.StatusItem) error { _, err := status.Last(items, "a.b.c"); return err },
			`member1: status.a.b: want an object, got 3`,
		},
		{
			"a number where text is wanted",
			[]string{`{at: 3}`},
			func(items []interpreter.StatusItem) error { _, _, err := status.Latest(items, "at"); return err },
			`member1: status.at: want a string, got 3`,
		},
		{
			"text that is no time",
			[]string{`{at: "2026-01-01T00:00:00Z"}`, `{at: noon}`},
			func(items []interpreter.StatusItem) error { _, err := status.TimesOf(items, "at"); return err },
			`member2: status.at: want a time such as 2006-01-02T15:04:05Z, got the string "noon"`,
		},
		{
			"a condition that is text",
			[]string{`{conditions: [Ready]}`},
			func(items []interpreter.StatusItem) error { _, err := status.MergeConditions(items); return err },
			`member1: status.conditions[0]: want an object, got the string "Ready"`,
		},
		{
			"a reason that is no text",
			[]string{`{conditions: [{type: Ready, status: "True", reason: [1]}]}`},
			func(items []interpreter.StatusItem) error { _, err := status.MergeConditions(items); return err },
			`member1: status.conditions[0].reason: want a string, got a list`,
		},
		{
			"a message that is no text",
			[]string{`{conditions: [{type: Ready, message: 1}]}`},
			func(items []interpreter.StatusItem) error { _, err := status.MergeConditions(items); return err },
			`member1: status.conditions[0].message: want a string, got 1`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			require.EqualError(t, tc.ask(members(t, tc.statuses...)), tc.want)
		})
	}
	require.EqualError(t, status.In(interpreter.StatusItem{}, errors.New("x")), "a cluster without a name: x")
	require.NoError(t, status.In(interpreter.StatusItem{}, nil))
}

func TestReducers(t *testing.T) {
	items := members(t,
		`{num: 2, f: 0.5, s: b, at: "2026-01-02T00:00:00Z", in: {num: 1}}`,
		"none",
		`{num: 9007199254740993, f: 1, s: "", at: "2026-01-01T12:00:00+02:00", in: null}`,
		`{num: null, s: a, in: {num: 5}}`,
	)
	for _, tc := range []struct {
		reason string
		ask    func([]interpreter.StatusItem, string) (any, error)
		field  string
		want   any
	}{
		{"sums of whole numbers are exact", status.Sum, "num", int64(9007199254740995)},
		{"a fraction makes the sum one", status.Sum, "f", 1.5},
		{"nothing sums to 0", status.Sum, "absent", int64(0)},
		{"dots lead into objects", status.Sum, "in.num", int64(6)},
		{"smallest", status.Min, "num", int64(2)},
		{"greatest, exact", status.Max, "num", int64(9007199254740993)},
		{"smallest fraction", status.Min, "f", 0.5},
		{"smallest of nothing", status.Min, "absent", nil},
		{"first", status.First, "s", "b"},
		{"last, null not counting", status.Last, "num", int64(9007199254740993)},
		{"last may be empty", status.Last, "f", int64(1)},
		{"last of nothing", status.Last, "absent", nil},
		{"last that says something", status.LastNonEmpty, "s", "a"},
		{"latest", textual(status.Latest), "s", "b"},
		{"earliest", textual(status.Earliest), "s", ""},
		{"latest of nothing", textual(status.Latest), "absent", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := tc.ask(items, tc.field)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	times, err := status.TimesOf(items, "at")
	require.NoError(t, err)
	assert.Equal(t, status.Times{Earliest: "2026-01-01T12:00:00+02:00", Latest: "2026-01-02T00:00:00Z", Count: 2}, times)
}

func textual(ask func([]interpreter.StatusItem, string) (string, bool, error)) func([]interpreter.StatusItem, string) (any, error) {
	return func(items []interpreter.StatusItem, field string) (any, error) {
		s, ok, err := ask(items, field)
		if !ok {
			return nil, err
		}
		return s, err
	}
}

func TestSumDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		items := make([]interpreter.StatusItem, r.IntN(6))
		for i := range items {
			items[i] = interpreter.StatusItem{ClusterName: fmt.Sprint(i), Status: map[string]any{"num": r.Int64N(math.MaxInt32)}}
		}
		want, err := status.Count(items, "num")
		require.NoError(t, err)
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		got, err := status.Sum(items, "num")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestMergeConditions(t *testing.T) {
	items := members(t,
		`{conditions: [{type: Ready, status: "True", reason: Fine, message: x, lastTransitionTime: t1, future: {}}, null, {type: Ready, status: "True", reason: Fine, message: w}]}`,
		"none",
		`{conditions: [{type: Ready, status: "False", reason: Fine}, {type: Ready, status: "True", reason: Fine, message: z}, {type: Ready, status: "True"}]}`,
	)
	before := fmt.Sprint(items)
	got, err := status.MergeConditions(items)
	require.NoError(t, err)
	want := decode(t, `{conditions: [
		{type: Ready, status: "True", reason: Fine, message: "member1=x, member1=w, member3=z", lastTransitionTime: t1, future: {}},
		{type: Ready, status: "False", reason: Fine, message: "member3="},
		{type: Ready, status: "True", message: "member3="}]}`)
	assert.Equal(t, want["conditions"], got)
	got[0].(map[string]any)["future"] = "changed"
	assert.Equal(t, before, fmt.Sprint(items))

	got, err = status.MergeConditions(nil)
	require.NoError(t, err)
	assert.Nil(t, got)
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
	require.EqualError(t, err, `metadata.annotations[resourcetemplate.karmada.io/generation]: want a whole number, got the string "x"`)
	_, err = status.Report(decode(t, `{metadata: {generation: x}, status: {a: 1}}`))
	require.EqualError(t, err, `metadata.generation: want a whole number, got the string "x"`)
	_, err = status.Report(decode(t, `{status: fine}`))
	require.EqualError(t, err, `status: want an object, got the string "fine"`)
}

func TestItems(t *testing.T) {
	got, err := status.Items(decode(t, `{items: [{clusterName: a, status: {num: 1}, applied: true}, {clusterName: b, status: null}]}`)["items"].([]any))
	require.NoError(t, err)
	assert.Equal(t, []interpreter.StatusItem{{ClusterName: "a", Status: map[string]any{"num": int64(1)}}, {ClusterName: "b"}}, got)
	got, err = status.Items(nil)
	require.NoError(t, err)
	assert.Nil(t, got)
	_, err = status.Items([]any{map[string]any{"clusterName": "a", "status": "fine"}})
	require.EqualError(t, err, `a: status: want an object, got the string "fine"`)
	_, err = status.Items([]any{map[string]any{"clusterName": int64(1)}})
	require.EqualError(t, err, `items[0].clusterName: want a string, got 1`)
	_, err = status.Items([]any{"a"})
	require.EqualError(t, err, `items[0]: want an object, got the string "a"`)
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
