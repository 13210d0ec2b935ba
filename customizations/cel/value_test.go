package cel

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// describePlain returns a plain value as text, with the types of numbers.
func describePlain(v any) string {
	if v, ok := v.(float64); ok {
		return fmt.Sprintf("float %v", v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(data)
}

// TestToPlain has a row for each type of CEL.
func TestToPlain(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	for _, tc := range []struct {
		reason, text string
		want         any
		err          string
	}{
		{"null", `null`, nil, ""},
		{"boolean", `true`, true, ""},
		{"integer beyond 2^53", `9007199254740993`, int64(9007199254740993), ""},
		{"unsigned integer", `3u`, int64(3), ""},
		{"unsigned integer beyond int64", `18446744073709551615u`, nil, "below 2^63"},
		{"double", `1.0`, 1.0, ""},
		{"infinity has no JSON", `1.0 / 0.0`, nil, "want a number, got +Inf"},
		{"NaN has no JSON", `0.0 / 0.0`, nil, "want a number, got NaN"},
		{"text", `"a"`, "a", ""},
		{"bytes are base64, as in JSON", `b"hi"`, "aGk=", ""},
		{"a duration in seconds, as CEL has it in JSON", `duration("1h0m0.5s")`, "3600.5s", ""},
		{"a time", `timestamp("2020-01-02T03:04:05.6+01:00")`, "2020-01-02T02:04:05.6Z", ""},
		{"a quantity in its own form", `quantity("1024Mi")`, "1Gi", ""},
		{"a quantity that was computed", `quantity("1").add(quantity("500m"))`, "1500m", ""},
		{"quantities are compared by value, computed ones too", `quantity("1").add(1) == quantity("2000m")`, true, ""},
		{"an address", `ip("10.0.0.1")`, "10.0.0.1", ""},
		{"a network", `cidr("10.0.0.0/8")`, "10.0.0.0/8", ""},
		{"a URL", `url("https://example.com/a")`, "https://example.com/a", ""},
		{"a version", `semver("1.2.3")`, "1.2.3", ""},
		{"a list of anything", `[1, "a", [], {}, null]`, []any{int64(1), "a", []any{}, map[string]any{}, nil}, ""},
		{"a map of anything", `{"a": {"b": [1.5]}}`, map[string]any{"a": map[string]any{"b": []any{1.5}}}, ""},
		{"the input, unchanged", `object.spec.emptyMap`, map[string]any{}, ""},
		{"the input, unchanged", `object.spec.emptyList`, []any{}, ""},
		{"a joined list", `[object.spec["null"]] + object.spec.emptyList + [1]`, []any{nil, int64(1)}, ""},
		{"a list of strings", `"a b".split(" ")`, []any{"a", "b"}, ""},
		{"a list in a map in a loop", `[1].map(x, {"x": [x]})`, []any{map[string]any{"x": []any{int64(1)}}}, ""},
		{"what is bound does not change", `cel.bind(x, [], [x + [1], x + [2], x])`, []any{[]any{int64(1)}, []any{int64(2)}, []any{}}, ""},
		{"what is bound may hide another name", `cel.bind(x, 1, cel.bind(x, x + 1, [x, cel.bind(object, 5, object)]))`, []any{int64(2), int64(5)}, ""},
		{"what is bound and not used is not evaluated", `cel.bind(x, object.absent, 1)`, int64(1), ""},
		{"a name in a loop", `[1, 2].map(i, cel.bind(x, i * 10, [3].map(j, x + i + j)))`, []any{[]any{int64(14)}, []any{int64(25)}}, ""},
		{"a key that is no text", `{"b": {"a": 1, 2: 3}}`, nil, "b: want text for each key of a map, got 2"},
		{"an optional value", `[object.?spec]`, nil, "[0]: want a value, got an optional one: end it with .orValue(...)"},
		{"a type", `{"a.b": [type(1)]}`, nil, `["a.b"][0]: want a value, got the type int`},
	} {
		t.Run(tc.text, func(t *testing.T) {
			here := evaluate(t, l, tc.text)
			require.NoError(t, here.err)
			got, err := here.run.plain(here.value)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got, tc.reason)
		})
	}
}

// FuzzIdentity proves that Go -> CEL -> Go is the identity: as a whole, and taken apart and put together in CEL.
func FuzzIdentity(f *testing.F) {
	for _, seed := range []string{
		`{"a": 9007199254740993, "b": null, "c": {}, "d": [], "e": -0.0, "f": 1e300, "g": "\u0000é", "h": [[[]], [{}], null]}`,
		`{"": {"": [1, 1.0, 1.5, true, false, "x"]}}`,
		`[9223372036854775807, -9223372036854775808]`,
		`"text"`, `null`, `0.1`,
	} {
		f.Add(seed)
	}
	l, err := newLibrary(nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data string) {
		var in any
		if utiljson.Unmarshal([]byte(data), &in) != nil {
			t.Skip("no JSON")
		}
		before, err := json.Marshal(in)
		require.NoError(t, err)
		testIdentity(t, l, in)
		after, err := json.Marshal(in)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "the input was modified")
	})
}

// identities are expressions that return the field x of the object.
var identities = []string{
	`object.x`,
	`object["x"]`,
	`[object.x][0]`,
	`{"y": object.x}.y`,
	`object.?x.value()`,
	`[object].map(o, o.x)[0]`,
	`cel.bind(x, object.x, x)`,
	`type(object.x) == list ? dyn(object.x.map(e, e)) : dyn(object.x)`,
	`type(object.x) == list ? dyn([] + object.x + []) : dyn(object.x)`,
	`type(object.x) == list ? dyn(([1] + object.x).slice(1, size(object.x) + 1)) : dyn(object.x)`,
	`type(object.x) == map ? dyn(object.x.transformMap(k, v, v)) : dyn(object.x)`,
}

func testIdentity(t *testing.T, l *library, in any) {
	t.Helper()
	for _, text := range identities {
		here := evaluateObject(t, l, text, map[string]any{"x": in}, true)
		require.NoError(t, here.err, text)
		out, err := here.run.plain(here.value)
		require.NoError(t, err, text)
		require.Equal(t, in, out, text)
	}
}
