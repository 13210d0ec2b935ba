package lua_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/interpreter"
)

// untouched are scripts that look at what they return in every way there is, and change nothing.
var untouched = []struct{ reason, text string }{
	{"returned as it is", `function ReflectStatus(obj) return obj.status end`},
	{"walked over by pairs", `
		local function walk(t) for k, v in pairs(t) do if type(v) == "table" then walk(v) end end end
		function ReflectStatus(obj) walk(obj.status) return obj.status end`},
	{"walked over by next and #", `
		local function walk(t)
		  local k, v = next(t)
		  while k ~= nil do if type(v) == "table" then walk(v) end k, v = next(t, k) end
		  for i = 1, #t do if type(t[i]) == "table" then walk(t[i]) end end
		  return table.getn(t), table.maxn(t)
		end
		function ReflectStatus(obj) walk(obj.status) return obj.status end`},
	{"walked over by ipairs and unpack", `
		local function walk(t) for _, v in ipairs(t) do if type(v) == "table" then walk(v) end end select("#", unpack(t)) end
		function ReflectStatus(obj) walk(obj.status) for _, v in pairs(obj.status) do if type(v) == "table" then walk(v) end end return obj.status end`},
	{"moved as a whole", `function ReflectStatus(obj) local t = {} t.value = obj.status.value return t end`},
	{"in a table that was made anew", `function ReflectStatus(obj) return {value = obj.status.value} end`},
	{"with a field assigned and removed", `function ReflectStatus(obj) obj.status.new = 1 obj.status.new = nil return obj.status end`},
	{"with an element added and removed", `
		function ReflectStatus(obj)
		  for _, v in pairs(obj.status) do
		    if type(v) == "table" and #v > 0 and type(v[#v]) == "table" then local x = table.remove(v) table.insert(v, x) end
		  end
		  return obj.status
		end`},
}

func TestUntouchedComesBack(t *testing.T) {
	value := map[string]any{
		"int": int64(math.MaxInt64), "negative": int64(math.MinInt64), "beyond": int64(1<<53 + 1), "whole": float64(1), "half": 0.5,
		"large": 1e300, "null": nil, "text": "x", "emptyText": "", "yes": true, "no": false, "emptyObject": map[string]any{},
		"emptyList": []any{}, "a.b/c": "dotted", "1": "a number as a name",
		"list":  []any{nil, int64(1), nil, map[string]any{}, []any{}, map[string]any{"null": nil}, int64(1<<60 + 1)},
		"nulls": []any{nil, nil}, "endsWithNull": []any{int64(1), nil}, "nested": map[string]any{"empty": map[string]any{}, "null": nil},
		"objects": []any{map[string]any{"a": int64(1), "n": nil}, map[string]any{"e": []any{}}},
	}
	for _, test := range untouched {
		t.Run(test.reason, func(t *testing.T) { checkUntouched(t, test.text, value) })
	}
}

func checkUntouched(t *testing.T, text string, value any) {
	t.Helper()
	given := map[string]any{"value": value}
	req := &interpreter.Request{
		Operation: interpreter.InterpretStatus,
		Object:    &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "K", "status": given}},
	}
	require.NoError(t, req.Complete())
	before := runtime.DeepCopyJSON(given)
	resp, err := compiled(t, shared, source(interpreter.InterpretStatus, text))(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, before, resp.Status)
	scribble(resp.Status)
	require.Equal(t, before, given, "the result shares memory with the request")
}

// shared is an engine for tests that need nothing of their own.
var shared = newEngine()

// scribble overwrites every map and list in value.
func scribble(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			scribble(field)
			value[key] = "scribbled"
		}
		value["scribbled"] = true
	case []any:
		for i := range value {
			scribble(value[i])
			value[i] = "scribbled"
		}
	}
}

// TestAnyValueComesBack is the same for values drawn at random.
func TestAnyValueComesBack(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		value := []any{randomValue(r, 4)}
		for _, test := range untouched {
			checkUntouched(t, test.text, value)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomValue(r *rand.Rand, depth int) any {
	kinds := 10
	if depth == 0 {
		kinds = 8
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return int64(r.IntN(300))
	case 3:
		return int64(r.Uint64())
	case 4:
		return r.NormFloat64()
	case 5:
		return float64(r.IntN(10))
	case 6, 7:
		return string(rune('a' + r.IntN(26)))
	case 8:
		out := make([]any, r.IntN(5))
		for i := range out {
			out[i] = randomValue(r, depth-1)
		}
		return out
	default:
		out := map[string]any{}
		for range r.IntN(20) {
			out[string(rune('a'+r.IntN(26)))] = randomValue(r, depth-1)
		}
		return out
	}
}

// FuzzBridge holds that what a script does not change comes back as it was, whatever it is.
func FuzzBridge(f *testing.F) {
	f.Add([]byte(`{"a": [1, null, {}, []], "b": 9007199254740993, "c": 1.0}`))
	f.Add([]byte(`[[[]], {"": null}, -0.0, 1e400]`))
	f.Add([]byte(`"text"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any // in a list: a number on its own would be moved
		if err := utiljson.Unmarshal(data, &value); err != nil || len(data) > 1<<14 {
			return
		}
		for _, test := range untouched {
			checkUntouched(t, test.text, []any{value})
		}
	})
}

// TestWhatAScriptDoes tells what becomes of values that a script does change.
func TestWhatAScriptDoes(t *testing.T) {
	const object = `{"apiVersion": "v1", "kind": "K", "metadata": {"name": "a"}, "spec": {
		"big": 9007199254740993, "null": null, "empty": {}, "list": [1, 2, 3], "none": [], "objects": [{"a": 1, "e": {}}, {"a": 2, "n": null}],
		"nested": {"labels": {}, "items": []}}}`
	tests := []struct{ reason, text, want string }{
		{"an assignment changes one field", `obj.spec.list[2] = 9`, `{"list": [1, 9, 3]}`},
		{"an element is appended", `obj.spec.list[#obj.spec.list + 1] = 4`, `{"list": [1, 2, 3, 4]}`},
		{"an element is removed", `table.remove(obj.spec.list, 1)`, `{"list": [2, 3]}`},
		{"the last element is set to nil", `obj.spec.list[3] = nil`, `{"list": [1, 2]}`},
		{"all elements are removed", `for i = 3, 1, -1 do table.remove(obj.spec.list) end`, `{"list": []}`},
		{"a null is assigned", `obj.spec.null = 1`, `{"null": 1}`},
		{"a field is removed", `obj.spec.null = nil obj.spec.list = nil`, `{"null": "gone", "list": "gone"}`},
		{"an object becomes empty", `obj.spec.nested.labels = nil obj.spec.nested.items = nil`, `{"nested": {}}`},
		{"an empty list is filled", `obj.spec.none[1] = "x"`, `{"none": ["x"]}`},
		{"an empty list is filled with names", `obj.spec.none.a = "x"`, `{"none": {"a": "x"}}`},
		{"an empty object is filled", `obj.spec.empty.a = "x"`, `{"empty": {"a": "x"}}`},
		{"an empty object is filled like a list", `table.insert(obj.spec.empty, "x") obj.spec.empty[2] = "y"`, `{"empty": ["x", "y"]}`},
		{"a nested empty table of the script is dropped", `obj.spec.new = {a = {}, b = 1, c = {{}}}`, `{"new": {"b": 1, "c": []}}`},
		{"unless the object has an empty object there", `obj.spec.nested = {labels = {}, items = {}, more = {}}`, `{"nested": {"labels": {}, "items": []}}`},
		{"or in an element of a list", `obj.spec.objects = {{a = 1, e = {}}}`, `{"objects": [{"a": 1, "e": {}}]}`},
		{"or the script says which it is", `local kube = require("kube") obj.spec.new = {o = kube.emptyObject(), l = kube.emptyList()}`, `{"new": {"o": {}, "l": []}}`},
		{"the same table twice", `local t = {a = 1} obj.spec.x = t obj.spec.y = t obj.spec.z = {t, t}`, `{"x": {"a": 1}, "y": {"a": 1}, "z": [{"a": 1}, {"a": 1}]}`},
		{"the same input twice", `obj.spec.x = obj.spec.objects`, `{"x": [{"a": 1, "e": {}}, {"a": 2, "n": null}]}`},
		{"a change seen through both names", `obj.spec.x = obj.spec.objects obj.spec.x[1].a = 5`, `{"x": [{"a": 5, "e": {}}, {"a": 2, "n": null}], "objects": [{"a": 5, "e": {}}, {"a": 2, "n": null}]}`},
		{"whole numbers are whole", `obj.spec.x = 4 / 2 obj.spec.y = 2.5 obj.spec.z = 2^53`, `{"x": 2, "y": 2.5, "z": 9007199254740992}`},
		{"a swap of elements", `local l = obj.spec.objects l[1], l[2] = l[2], l[1]`, `{"objects": [{"a": 2, "n": null}, {"a": 1, "e": {}}]}`},
		{"a sort", `table.sort(obj.spec.list, function(a, b) return a > b end)`, `{"list": [3, 2, 1]}`},
		{"many new fields", `for i = 10, 40 do obj.spec.nested["k" .. i] = i obj.spec.nested["k" .. i] = nil end`, `{}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			req := &interpreter.Request{Operation: interpreter.ReviseReplica, Object: &unstructured.Unstructured{}}
			require.NoError(t, utiljson.Unmarshal([]byte(object), &req.Object.Object))
			require.NoError(t, req.Complete())
			want := req.Object.DeepCopy()
			var changes map[string]any
			require.NoError(t, utiljson.Unmarshal([]byte(test.want), &changes))
			for key, value := range changes {
				want.Object["spec"].(map[string]any)[key] = value
				if value == "gone" {
					delete(want.Object["spec"].(map[string]any), key)
				}
			}
			resp, err := compiled(t, shared, source(interpreter.ReviseReplica, "function ReviseReplica(obj) "+test.text+" return obj end"))(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, want.Object, resp.Object.Object)
		})
	}
}

// TestLongLists holds that a list that is longer than Lua's tables can count is an error once a script looks at it, and
// comes back as it was when none does.
func TestLongLists(t *testing.T) {
	long := make([]any, 70_000)
	for text, want := range map[string]string{
		`obj.status.x = #obj.status.long`:            "a list of 70000 elements: want fewer than 65536",
		`obj.status.x = obj.status.long[1]`:          "a list of 70000 elements: want fewer than 65536",
		`for _ in ipairs(obj.status.long) do end`:    "a list of 70000 elements: want fewer than 65536",
		`for _ in pairs(obj.status.long) do end`:     "a list of 70000 elements: want fewer than 65536",
		`table.insert(obj.status.long, 1)`:           "a list of 70000 elements: want fewer than 65536",
		`obj.status.short[1] = {} obj.status.y = ""`: "",
	} {
		req := &interpreter.Request{Operation: interpreter.InterpretStatus, Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "K", "status": map[string]any{"long": long, "short": []any{}},
		}}}
		require.NoError(t, req.Complete())
		resp, err := compiled(t, shared, source(interpreter.InterpretStatus, "function ReflectStatus(obj) "+text+" return obj.status end"))(t.Context(), req)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err)
		assert.Len(t, resp.Status["long"], len(long))
	}
}

// TestNumbersAreNotRounded holds that a number that Lua cannot hold is an error once a script moves it.
func TestNumbersAreNotRounded(t *testing.T) {
	for _, n := range []int64{1<<53 + 1, -(1<<53 + 1), 1<<53 + 2, 1<<60 + 1, math.MaxInt64, math.MinInt64} {
		for _, text := range []string{
			`obj.spec.copy = obj.spec.n`, `obj.spec.n = obj.spec.n * 1`, `obj.spec.n = obj.spec.n`, `obj.spec.l = {obj.spec.n}`,
			`table.insert(obj.spec.list, 1, 0)`, `obj.spec.n = tonumber("` + string(must(json.Marshal(n))) + `")`,
		} {
			req := &interpreter.Request{Operation: interpreter.ReviseReplica, Object: &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "K", "spec": map[string]any{"n": n, "list": []any{n}},
			}}}
			require.NoError(t, req.Complete())
			_, err := compiled(t, shared, source(interpreter.ReviseReplica, "function ReviseReplica(obj) "+text+" return obj end"))(t.Context(), req)
			assert.ErrorContains(t, err, "want a number that Lua holds exactly", "%d: %s", n, text)
		}
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
