package webhook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func plainJSON(t testing.TB, text string) map[string]any {
	t.Helper()
	var content map[string]any
	require.NoError(t, utiljson.Unmarshal([]byte(text), &content))
	return content
}

func TestCreatePatch(t *testing.T) {
	for _, tc := range []struct{ reason, have, want, patch string }{
		{"nothing changed", `{"a":{"b":[1,{}]}}`, `{"a":{"b":[1,{}]}}`, ``},
		{"a field", `{"a":1,"b":2}`, `{"a":1,"b":3}`, `[{"op":"replace","path":"/b","value":3}]`},
		{"deep inside", `{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":2}}}`, `[{"op":"replace","path":"/a/b/c","value":2}]`},
		{"a field more", `{}`, `{"a":null}`, `[{"op":"add","path":"/a","value":null}]`},
		{"a field less", `{"a":null}`, `{}`, `[{"op":"remove","path":"/a"}]`},
		{"null is a value", `{"a":1}`, `{"a":null}`, `[{"op":"replace","path":"/a","value":null}]`},
		{"empty is not null", `{"a":{},"b":[]}`, `{"a":null,"b":null}`, `[{"op":"replace","path":"/a","value":null},{"op":"replace","path":"/b","value":null}]`},
		{"an empty list is no empty object", `{"a":{}}`, `{"a":[]}`, `[{"op":"replace","path":"/a","value":[]}]`},
		{"integers that are one float", `{"a":9007199254740992}`, `{"a":9007199254740993}`, `[{"op":"replace","path":"/a","value":9007199254740993}]`},
		{"names with ~ and /", `{"a/b~c":1}`, `{"a/b~c":2}`, `[{"op":"replace","path":"/a~1b~0c","value":2}]`},
		{"an element", `{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":1},{"b":3}]}`, `[{"op":"replace","path":"/a/1/b","value":3}]`},
		{"an element more, in the midst", `{"a":[1,3]}`, `{"a":[1,2,3]}`, `[{"op":"add","path":"/a/1","value":2}]`},
		{"elements less, in the midst", `{"a":[1,2,3,4]}`, `{"a":[1,4]}`, `[{"op":"remove","path":"/a/2"},{"op":"remove","path":"/a/1"}]`},
		{"of equal elements one less", `{"a":[1,1,1]}`, `{"a":[1,1]}`, `[{"op":"remove","path":"/a/2"}]`},
		{"all elements less", `{"a":[1,2]}`, `{"a":[]}`, `[{"op":"remove","path":"/a/1"},{"op":"remove","path":"/a/0"}]`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			patch, err := createPatch(plainJSON(t, tc.have), plainJSON(t, tc.want))
			require.NoError(t, err)
			assert.Equal(t, tc.patch, string(patch))
		})
	}
}

// TestCreatePatchOfEverything changes more than one patch may.
func TestCreatePatchOfEverything(t *testing.T) {
	have, want := map[string]any{"a": map[string]any{}}, map[string]any{"a": map[string]any{}}
	for i := range maxPatchOperations + 1 {
		have["a"].(map[string]any)[fmt.Sprint(i)] = int64(1)
		want["a"].(map[string]any)[fmt.Sprint(i)] = int64(2)
	}
	patch, err := createPatch(have, want)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(patch), `[{"op":"replace","path":"/a","value":{`))
	got, err := applyPatch(have, patch)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestMergeObjectKeepsWhatTheTypeDoesNotKnow(t *testing.T) {
	for _, tc := range []struct{ reason, object, before, after, want string }{
		{"nothing changed", `{"a":1,"x":2}`, `{"a":1,"zero":0}`, `{"a":1,"zero":0}`, `{"a":1,"x":2}`},
		{"a field", `{"a":1,"x":2}`, `{"a":1}`, `{"a":3}`, `{"a":3,"x":2}`},
		{"a field inside", `{"a":{"b":1,"x":null}}`, `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":2,"x":null}}`},
		{"a field less", `{"a":1,"x":2}`, `{"a":1}`, `{}`, `{"x":2}`},
		{"an object that only the type has", `{}`, `{"status":{"ready":0,"phase":""}}`, `{"status":{"ready":1,"phase":""}}`, `{"status":{"ready":1}}`},
		{"an object that is new", `{}`, `{}`, `{"status":{"ready":1}}`, `{"status":{"ready":1}}`},
		{"an element", `{"a":[{"b":1,"x":1},{"b":2,"x":2}]}`, `{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":1},{"b":3}]}`, `{"a":[{"b":1,"x":1},{"b":3,"x":2}]}`},
		{"an element more", `{"a":[{"b":1,"x":1},{"b":2,"x":2}]}`, `{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":1},{"b":5},{"b":2}]}`, `{"a":[{"b":1,"x":1},{"b":5},{"b":2,"x":2}]}`},
		{"an element less", `{"a":[{"b":1,"x":1},{"b":2,"x":2},{"b":3,"x":3}]}`, `{"a":[{"b":1},{"b":2},{"b":3}]}`, `{"a":[{"b":1},{"b":3}]}`, `{"a":[{"b":1,"x":1},{"b":3,"x":3}]}`},
		{"elements that moved", `{"a":[{"b":1,"x":1},{"b":2,"x":2},{"b":3,"x":3}]}`, `{"a":[{"b":1},{"b":2},{"b":3}]}`, `{"a":[{"b":3},{"b":1},{"b":2}]}`, `{"a":[{"b":3,"x":3},{"b":1,"x":1},{"b":2,"x":2}]}`},
		{"an element less and one more", `{"a":[{"b":1,"x":1},{"b":2,"x":2},{"b":3,"x":3}]}`, `{"a":[{"b":1},{"b":2},{"b":3}]}`, `{"a":[{"b":2},{"b":3},{"b":4}]}`, `{"a":[{"b":2,"x":2},{"b":3,"x":3},{"b":4}]}`},
		{"an element that moved and one that was changed", `{"a":[{"b":1,"x":1},{"b":2,"x":2},{"b":3,"x":3}]}`, `{"a":[{"b":1},{"b":2},{"b":3}]}`, `{"a":[{"b":3},{"b":5},{"b":1}]}`, `{"a":[{"b":3,"x":3},{"b":5,"x":2},{"b":1,"x":1}]}`},
		{"equal elements, of which one is changed", `{"a":[{"b":1,"x":1},{"b":1,"x":2}]}`, `{"a":[{"b":1},{"b":1}]}`, `{"a":[{"b":2},{"b":1}]}`, `{"a":[{"b":2,"x":1},{"b":1,"x":2}]}`},
		{"an object that becomes a list", `{"a":{"x":1}}`, `{"a":{}}`, `{"a":[]}`, `{"a":[]}`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := mergeObject(plainJSON(t, tc.object), plainJSON(t, tc.before), plainJSON(t, tc.after))
			assert.Equal(t, plainJSON(t, tc.want), got)
		})
	}
}

// FuzzPatch makes a patch from one object to another, and applies it.
func FuzzPatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`},
		{`{"a":1,"b":null,"c":[1,{"d":[]}]}`, `{"a":9007199254740993,"c":[{"d":[null]},{}]}`},
		{`{"a":{"":{"~":1}},"/":[[],[[]]]}`, `{"a":{"":{"~":{"/":2}}},"/":[[[]],[]]}`},
		{`{"a":[1,2,3,4,5]}`, `{"a":[5,4,3]}`},
		{`{"a":"<&>\u2028"}`, `{"a":0.1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, have, want string) {
		var h, w map[string]any
		if utiljson.Unmarshal([]byte(have), &h) != nil || utiljson.Unmarshal([]byte(want), &w) != nil || h == nil || w == nil {
			return
		}
		h, w = rewritten(t, h), rewritten(t, w) // 1.0 is written as 1
		patch, err := createPatch(h, w)
		if err != nil {
			require.False(t, equal(unnamed(h), unnamed(w)))
			return
		}
		if patch == nil {
			require.Equal(t, w, h)
			return
		}
		got, err := applyPatch(h, patch)
		require.NoError(t, err, "%s", patch)
		require.Equal(t, w, got, "%s", patch)
		byLibrary, err := applyByLibrary(h, patch)
		require.NoError(t, err, "%s", patch)
		require.Equal(t, w, byLibrary, "%s", patch)
	})
}

// unnamed returns the field of object that has no name, if any.
func unnamed(object map[string]any) map[string]any {
	field := map[string]any{}
	if value, ok := object[""]; ok {
		field[""] = value
	}
	return field
}

func rewritten(t testing.TB, object map[string]any) map[string]any {
	t.Helper()
	data, err := appendJSON(nil, object)
	require.NoError(t, err)
	return plainJSON(t, string(data))
}

// FuzzApplyPatch applies any patch to an object: hostile ones end with an error, and in time.
func FuzzApplyPatch(f *testing.F) {
	for _, seed := range []string{
		`[]`, `{}`, `null`, `[null]`, `[{}]`, `[{"op":"x"}]`,
		`[{"op":"replace","path":"/list/9","value":1}]`, `[{"op":"add","path":"/list/9","value":1}]`,
		`[{"op":"add","path":"/list/-9","value":1}]`, `[{"op":"remove","path":"/list/-1"}]`, `[{"op":"add","path":"/list/-","value":1}]`,
		`[{"op":"move","from":"/object","path":"/object/a"}]`, `[{"op":"copy","from":"","path":"/a"}]`,
		`[{"op":"test","path":"","value":null}]`, `[{"op":"replace","path":"","value":5}]`, `[{"op":"remove","path":""}]`,
		`[{"op":"add","path":"/list/1","value":9},{"op":"remove","path":"/list/0"},{"op":"replace","path":"/list/4/b","value":{}}]`,
		`[{"op":"add","path":"/list/3/0","value":9},{"op":"add","path":"/list/03","value":9}]`, `[{"op":"replace","path":"/a~1b~0","value":null}]`,
		`[{"op":"add","path":"/text/a","value":1}]`, `[{"op":"add","path":"/none/a","value":1}]`, `[{"op":"replace","path":"/object/a/b","value":1}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, patch string) {
		object := func() map[string]any {
			return plainJSON(t, `{"list":[1,2,null,[3],{"b":4}],"object":{"a":{},"none":null},"text":"t","none":null,"a/b~":5}`)
		}
		have := object()
		content, err := applyPatch(have, []byte(patch))
		require.Equal(t, err == nil, content != nil)
		require.Equal(t, object(), have, "it is only read")
		byLibrary, libraryErr := applyByLibrary(object(), []byte(patch))
		if err == nil {
			require.NoError(t, libraryErr)
			require.Equal(t, byLibrary, content)
		}
	})
}

// known is a type that knows some of the fields of an object.
type known struct {
	A *int64           `json:"a,omitempty"`
	B string           `json:"b"`
	C []known          `json:"c,omitempty"`
	D map[string]known `json:"d,omitempty"`
	E *known           `json:"e,omitempty"`
	F []int64          `json:"f"`
}

// FuzzMergeObject makes of one object what the type knows of another: that is then what the type knows of it, and without
// a change it stays as it is.
func FuzzMergeObject(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`},
		{`{"x":1,"e":{"x":{"a":1},"a":5}}`, `{"e":{"b":"b"},"f":[]}`},
		{`{"c":[{"a":1,"x":1},{"a":2,"x":2},{"a":3}],"f":[1,2,3]}`, `{"c":[{"a":3},{"a":1},{"b":"n"}],"f":[3,1]}`},
		{`{"d":{"a":{"x":null},"b":null},"e":null,"c":null,"f":null,"b":null}`, `{"d":{"a":{"f":[1]},"c":{}}}`},
		{`{"c":[null,{"a":1},null]}`, `{"c":[{"a":1},{},{"a":1}]}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		object := func() map[string]any {
			var o map[string]any
			if utiljson.Unmarshal([]byte(from), &o) != nil || o == nil {
				return nil
			}
			return o
		}
		seen := func(content map[string]any) map[string]any {
			v, err := typed[known]("object", content)
			if err != nil {
				return nil
			}
			p, err := plain(v)
			require.NoError(t, err)
			return p
		}
		var want map[string]any
		if utiljson.Unmarshal([]byte(to), &want) != nil || want == nil || object() == nil {
			return
		}
		before, after := seen(object()), seen(want)
		if before == nil || after == nil {
			return
		}
		require.Equal(t, object(), mergeObject(object(), before, seen(object())))
		require.Equal(t, after, seen(mergeObject(object(), before, after)))
	})
}
