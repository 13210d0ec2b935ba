package cel

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/customizations/script"
)

func decodeJSON(t testing.TB, text string) (out any) {
	t.Helper()
	require.NoError(t, utiljson.Unmarshal([]byte(text), &out), text)
	return out
}

func encodeJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func (r *run) applyJSON(t testing.TB, object, change string) (string, error) {
	t.Helper()
	before := decodeJSON(t, object).(map[string]any)
	out, err := r.apply(before, decodeJSON(t, change))
	require.Equal(t, decodeJSON(t, object), any(before), "the object was modified")
	if err != nil {
		return "", err
	}
	return encodeJSON(t, out), nil
}

func newTestRun(t testing.TB) *run {
	t.Helper()
	return (&Program{limits: script.Limits{}.WithDefaults(), source: &script.Source{}}).newRun(t.Context(), nil)
}

func TestChange(t *testing.T) {
	const object = `{"a": {"b": 1, "c": [1, 2, 3]}, "n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {"m~n": 1}}`
	for _, tc := range []struct{ reason, change, want, err string }{
		{"nothing to merge", `{}`, object, ""},
		{"maps merge", `{"a": {"d": 2}}`, `{"a": {"b": 1, "c": [1, 2, 3], "d": 2}, "n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {"m~n": 1}}`, ""},
		{"null deletes", `{"a": null, "absent": null, "x/y": {"m~n": null}}`, `{"n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {}}`, ""},
		{"lists replace", `{"a": {"c": [null, {"z": null}]}}`, `{"a": {"b": 1, "c": [null, {"z": null}]}, "n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {"m~n": 1}}`, ""},
		{"a map replaces what is no map", `{"n": {"a": 1, "b": null}, "l": {}}`, `{"a": {"b": 1, "c": [1, 2, 3]}, "n": {"a": 1}, "big": 9007199254740993, "e": {}, "l": {}, "x/y": {"m~n": 1}}`, ""},
		{"neither", `1`, "", "want a map to merge into the object, or a list of patch operations, got 1"},
		{"null is no change", `null`, "", "got nothing"},

		{"no operation", `[]`, object, ""},
		{"add a field", `[{"op": "add", "path": "/e/f", "value": null}]`, `{"a": {"b": 1, "c": [1, 2, 3]}, "n": null, "big": 9007199254740993, "e": {"f": null}, "l": [], "x/y": {"m~n": 1}}`, ""},
		{"add an element", `[{"op": "add", "path": "/a/c/1", "value": 9}, {"op": "add", "path": "/a/c/-", "value": 8}, {"op": "add", "path": "/a/c/5", "value": 7}]`, `{"a": {"b": 1, "c": [1, 9, 2, 3, 8, 7]}, "n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {"m~n": 1}}`, ""},
		{"remove", `[{"op": "remove", "path": "/a/c/0"}, {"op": "remove", "path": "/n"}, {"op": "remove", "path": "/x~1y/m~0n"}]`, `{"a": {"b": 1, "c": [2, 3]}, "big": 9007199254740993, "e": {}, "l": [], "x/y": {}}`, ""},
		{"replace a map whole", `[{"op": "replace", "path": "/a", "value": {"new": true}}]`, `{"a": {"new": true}, "n": null, "big": 9007199254740993, "e": {}, "l": [], "x/y": {"m~n": 1}}`, ""},
		{"move and copy", `[{"op": "move", "from": "/a/b", "path": "/e/b"}, {"op": "copy", "from": "/a", "path": "/l/0"}, {"op": "add", "path": "/a/c/-", "value": 4}]`, `{"a": {"c": [1, 2, 3, 4]}, "n": null, "big": 9007199254740993, "e": {"b": 1}, "l": [{"c": [1, 2, 3]}], "x/y": {"m~n": 1}}`, ""},
		{"test", `[{"op": "test", "path": "/a/c", "value": [1.0, 2, 3]}, {"op": "test", "path": "/big", "value": 9007199254740993}, {"op": "test", "path": "", "value": ` + object + `}]`, object, ""},
		{"a list in a list", `[{"op": "add", "path": "/l/-", "value": [1]}, {"op": "add", "path": "/l/0/-", "value": 2}, {"op": "remove", "path": "/l/0/0"}]`, `{"a": {"b": 1, "c": [1, 2, 3]}, "n": null, "big": 9007199254740993, "e": {}, "l": [[2]], "x/y": {"m~n": 1}}`, ""},
		{"the whole object", `[{"op": "replace", "path": "", "value": {"b": 1}}]`, `{"b": 1}`, ""},

		{"a test that fails", `[{"op": "test", "path": "/big", "value": 9007199254740992}]`, "", `[0]: test: "/big" is 9007199254740993: want 9007199254740992`},
		{"a path without a value", `[{"op": "remove", "path": "/a"}, {"op": "replace", "path": "/a/b", "value": 1}]`, "", `[1]: "/a": there is nothing at this path`},
		{"a path through a number", `[{"op": "add", "path": "/a/b/c/d", "value": 1}]`, "", `"/a/b": want a map or a list, got 1`},
		{"an index beyond the end", `[{"op": "add", "path": "/l/1", "value": 1}]`, "", `"/l/1": want at most 0, got 1: the list is no longer`},
		{"no element to remove", `[{"op": "remove", "path": "/l/0"}]`, "", `"/l/0": want at most -1, got 0`},
		{"an index with a zero before it", `[{"op": "remove", "path": "/a/c/01"}]`, "", `"/a/c/01": want the index of an element of the list, got "01"`},
		{"- where there must be an element", `[{"op": "remove", "path": "/a/c/-"}]`, "", `got "-"`},
		{"a negative index", `[{"op": "remove", "path": "/a/c/-1"}]`, "", `got "-1"`},
		{"a move into itself", `[{"op": "move", "from": "/a", "path": "/a/b/c"}]`, "", `path: want a place outside of "/a", which is moved`},
		{"removing everything", `[{"op": "remove", "path": ""}]`, "", "want a place in the object, got the whole object"},
		{"a patch to a list", `[{"op": "replace", "path": "", "value": []}]`, "", "want an object after the patch, got a list"},
		{"no operation at all", `[1]`, "", `[0]: want a patch operation such as`},
		{"an unknown operation", `[{"op": "set", "path": "/a"}]`, "", `[0]: op: want one of add, remove, replace, move, copy, test, got "set"`},
		{"no name", `[{"path": "/a"}]`, "", "op: want the name of an operation, got nothing"},
		{"no path", `[{"op": "remove"}]`, "", `path: want a path such as "/spec/replicas", got nothing`},
		{"a path without a slash", `[{"op": "remove", "path": "a"}]`, "", `path: want a path such as "/spec/replicas", got "a"`},
		{"a wrong escape", `[{"op": "remove", "path": "/a~2"}]`, "", `want ~0 for ~ and ~1 for /`},
		{"no value", `[{"op": "add", "path": "/a"}]`, "", `value: want one for add, got none`},
		{"no source", `[{"op": "copy", "path": "/a"}]`, "", `from: want a path`},
		{"an unknown field", `[{"op": "remove", "path": "/a", "vlaue": 1}]`, "", `vlaue: unknown field: want one of op, path, from, value`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := newTestRun(t).applyJSON(t, object, tc.change)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, got)
			assert.Contains(t, got+"9007199254740993", "9007199254740993")
		})
	}
}

// TestChangeSharesNothing proves that what comes out can be modified without the object being so.
func TestChangeSharesNothing(t *testing.T) {
	const object = `{"a": {"b": [1, {"c": 2}]}, "d": {"e": {}}}`
	for _, change := range []string{`{"d": {"f": 1}}`, `[]`, `[{"op": "copy", "from": "/a", "path": "/x"}]`} {
		before := decodeJSON(t, object).(map[string]any)
		out, err := newTestRun(t).apply(before, decodeJSON(t, change))
		require.NoError(t, err)
		spoil(out)
		assert.Equal(t, decodeJSON(t, object), any(before))
	}
}

// spoil modifies everything in v.
func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, value := range v {
			spoil(value)
		}
		clear(v)
		v["spoiled"] = true
	case []any:
		for i, value := range v {
			spoil(value)
			v[i] = "spoiled"
		}
	}
}

var changeSeeds = [][2]string{
	{`{"a": {"b": 1}, "c": [1, 2]}`, `{"a": {"b": null, "d": {"e": null, "f": 1}}, "c": {"x": 1}}`},
	{`{"a": {"b": 1}, "c": [1, 2]}`, `[{"op": "add", "path": "/c/1", "value": {"x": []}}, {"op": "move", "from": "/a/b", "path": "/c/0"}, {"op": "test", "path": "/a", "value": {}}]`},
	{`{"a": [[1], [2]]}`, `[{"op": "copy", "from": "/a/0", "path": "/a/-"}, {"op": "remove", "path": "/a/1/0"}, {"op": "replace", "path": "/a/0/0", "value": null}]`},
	{`{"a~b": 1, "c/d": 2}`, `[{"op": "remove", "path": "/a~0b"}, {"op": "replace", "path": "/c~1d", "value": "x"}]`},
}

// FuzzMerge compares with another implementation of RFC 7386.
func FuzzMerge(f *testing.F) {
	for _, seed := range changeSeeds {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, object, change string) {
		var before, patch map[string]any
		if utiljson.Unmarshal([]byte(object), &before) != nil || utiljson.Unmarshal([]byte(change), &patch) != nil ||
			before == nil || patch == nil {
			t.Skip("no objects")
		}
		want, err := jsonpatch.MergePatch([]byte(encodeJSON(t, before)), []byte(encodeJSON(t, patch)))
		if err != nil {
			t.Skip("not understood by the oracle")
		}
		got, err := newTestRun(t).apply(before, patch)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), encodeJSON(t, got), "%s + %s", object, change)
	})
}

// FuzzPatch compares with another implementation of RFC 6902, where that follows it.
func FuzzPatch(f *testing.F) {
	for _, seed := range changeSeeds {
		f.Add(seed[0], seed[1])
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	f.Fuzz(func(t *testing.T, object, change string) {
		var before map[string]any
		var patch []any
		if utiljson.Unmarshal([]byte(object), &before) != nil || utiljson.Unmarshal([]byte(change), &patch) != nil || before == nil {
			t.Skip("no object and no list")
		}
		input := encodeJSON(t, before)
		got, err := newTestRun(t).apply(before, patch)
		assert.Equal(t, input, encodeJSON(t, before), "the object was modified")
		if err != nil {
			return // the oracle lets many malformed operations pass
		}
		operations, err := jsonpatch.DecodePatch([]byte(encodeJSON(t, patch)))
		require.NoError(t, err)
		want, err := operations.ApplyWithOptions([]byte(input), options)
		if err != nil {
			t.Skip("not understood by the oracle")
		}
		assert.JSONEq(t, string(want), encodeJSON(t, got), "%s + %s", object, change)
	})
}
