package manifest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		reason, text string
		lines        []int // of the first key of each document
	}{
		{"no document", "", nil},
		{"comments are no document", "# a\n---\n\n  # b\n", nil},
		{"one, with the line of its first key", "\n# a\nkey: 1\n", []int{3}},
		{"separators may have blanks behind them, files a byte order mark and DOS lines", "\uFEFFa: 1\r\n--- \t\r\nb: 1\r\n", []int{1, 3}},
		{"empty documents are left out", "---\n---\na: 1\n---\n", []int{3}},
		{"a line that only begins like a separator is text", "a: |\n  x\n---b: 1\n", []int{1}},
		{"a separator in a block of text is text", "a: |\n  ---\n  x\n", []int{1}},
		{"no newline at the end", "a: 1\n---\nb: 1", []int{1, 3}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var lines []int
			for _, d := range Split("f", []byte(tc.text)) {
				lines = append(lines, d.Line())
			}
			assert.Equal(t, tc.lines, lines)
		})
	}
}

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		reason, text string
		want         any
		err          string
	}{
		{"whole numbers are exact", "a: 9007199254740993", map[string]any{"a": int64(9007199254740993)}, ""},
		{"JSON is read as JSON", "{\"a\": [1, 2.5, null, {}, []]}", map[string]any{"a": []any{int64(1), 2.5, nil, map[string]any{}, []any{}}}, ""},
		{"words mean what they mean to Kubernetes", "a: yes\nb: \"yes\"", map[string]any{"a": true, "b": "yes"}, ""},
		{"anchors", "a: &x {b: 1}\nc: *x", map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}, ""},
		{"an error has the line of the file", "# c\n---\na: 1\n b: 2", nil, "f:4: YAML does not parse: mapping values are not allowed in this context"},
		{"a key twice is an error, with a value", "a: 1\na: 2", map[string]any{"a": int64(2)}, `f:2: YAML does not parse: key "a" already set in map`},
		{"so is each further one, with its line of the file", "# c\n---\na: 1\na: 2\nb: 3\nb: 4", map[string]any{"a": int64(2), "b": int64(4)}, `f:4: YAML does not parse: key "a" already set in map; line 6: key "b" already set in map`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			documents := Split("f", []byte(tc.text))
			require.Len(t, documents, 1)
			got, err := documents[0].Decode()
			assert.Equal(t, tc.want, got)
			if tc.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tc.err)
			}
		})
	}
}

func TestLineOf(t *testing.T) {
	d := Split("f", []byte("# c\n---\na:\n  b: 1\n  c:\n  - x\n  - y: 2\n    z: |\n      text\ne: &e {f: 1}\ng: *e\n"))[0]
	for _, tc := range []struct {
		path string
		line int
	}{
		{"a", 3}, {"a.b", 4}, {"a.c[0]", 6}, {"a.c[1].z", 8}, {"e.f", 10}, {"g.f", 10},
		{"a.c[7]", 5}, {"a.nowhere.deeper", 3}, {"nowhere", 3},
	} {
		path, err := ParsePath(tc.path)
		require.NoError(t, err)
		assert.Equal(t, tc.line, d.LineOf(path), tc.path)
	}
	assert.Equal(t, 3, d.LineOf(nil))

	for path, end := range map[string]int{"a": 10, "a.b": 5, "a.c": 10, "a.c[0]": 7, "a.c[1].y": 8, "g": 12} {
		p, err := ParsePath(path)
		require.NoError(t, err)
		node, got := d.Extent(p)
		assert.NotNil(t, node)
		assert.Equal(t, end, got, "what follows %s", path)
	}
}

func TestObjects(t *testing.T) {
	objects, err := Objects("f", []byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- {kind: Pod}\n- text\n---\napiVersion: v1\n"))
	require.Error(t, err)
	assert.Equal(t, "f:5: items[1].apiVersion: want one, got nothing\n"+
		"f:6: want an object with apiVersion and kind, got \"text\"\n"+
		"f:8: kind: want one, got nothing", err.Error())
	require.Len(t, objects, 1)
	assert.Equal(t, 4, objects[0].LineOf(nil))

	objects, err = Objects("f", []byte("apiVersion: example.com/v1\nkind: PriceList\nitems: [{apiVersion: v1, kind: Pod}]\n---\napiVersion: v1\nkind: AllowList\nspec: {items: []}\n"))
	require.NoError(t, err)
	assert.Len(t, objects, 2, "a kind that is called a list and has no items is an object")
}

func TestParsePath(t *testing.T) {
	for text, want := range map[string]Path{
		"a":                 {"a"},
		"a.b[0].c":          {"a", "b", 0, "c"},
		`a["x.y/z"].b`:      {"a", "x.y/z", "b"},
		`["\"quoted\""][1]`: {`"quoted"`, 1},
	} {
		got, err := ParsePath(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, text, got.String())
	}
	for text, message := range map[string]string{
		"":      "path: want a field such as spec.replicas, got none",
		".a":    `path ".a": want a key, got none before ".a"`,
		"a.":    `path "a.": want a key, got none before ""`,
		"a[x]":  `path "a[x]": want an index in brackets such as [0], got [x]`,
		"a[0":   `path "a[0": want an index in brackets such as [0], got [0`,
		"a[-1]": `path "a[-1]": want an index in brackets such as [0], got [-1]`,
		`a["x]`: `path "a[\"x]": want a key in quotes and brackets such as ["a.b"], got ["x]`,
		"a[0]b": `path "a[0]b": want a dot or a bracket before "b"`,
	} {
		_, err := ParsePath(text)
		assert.EqualError(t, err, message)
	}
}

// FuzzParsePath holds that what is parsed is written as something that is parsed to the same.
func FuzzParsePath(f *testing.F) {
	for _, text := range []string{"a", "a.b[0].c", `a["x.y/z"].b`, `["\"\\"]`, "a..b", "[", "[\"", "a[99999999999999999999]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(path.String())
		require.NoError(t, err)
		assert.Equal(t, path, again)
	})
}

// FuzzObjects holds that no file crashes or hangs the reader, and that places are in the file.
func FuzzObjects(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n"))
	f.Add([]byte("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("? {a: 1}\n: 2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := Objects("f", data)
		if err != nil {
			assert.NotEmpty(t, err.Error())
		}
		for _, o := range objects {
			assert.Positive(t, o.LineOf(Path{"metadata", "name"}))
			node, end := o.Document.Extent(Path{"metadata"})
			assert.True(t, node == nil || end > 0)
		}
	})
}

func TestMisfits(t *testing.T) {
	type inner struct {
		Count int32       `json:"count"`
		Ready *bool       `json:"ready"`
		At    metav1.Time `json:"at"`
	}
	type outer struct {
		metav1.TypeMeta `json:",inline"`
		Names           []string          `json:"names"`
		Inner           inner             `json:"inner"`
		Labels          map[string]string `json:"labels"`
		Hidden          string            `json:"-"`
		Anything        any               `json:"anything"`
	}
	for _, tc := range []struct {
		reason, text string
		want         []string
	}{
		{"what fits, null and what may be anything", "kind: A\nnames: [a]\ninner: {count: 3, ready: null, at: \"2026-01-01T00:00:00Z\"}\nlabels: {a: b}\nanything: {x: 1}", nil},
		{"a whole number may be written with a point", "inner: {count: 3.0}", nil},
		{"fields that there are not, at every depth", "kinds: A\ninner: {cuont: 1}\nHidden: x", []string{
			"Hidden: unknown field", `inner.cuont: unknown field, did you mean "count"?`, `kinds: unknown field, did you mean "kind"?`,
		}},
		{"values of another type", "names: a\ninner: {count: many, ready: 1}\nlabels: [a]", []string{
			`inner.count: want a whole number, got "many"`, "inner.ready: want true or false, got 1", "labels: want an object, got a list", `names: want a list, got "a"`,
		}},
		{"what YAML reads otherwise than it looks", "names: [on, 5]\nlabels: {a.b: yes}", []string{
			`labels["a.b"]: want a string, got true: put it in quotes`, "names[0]: want a string, got true: put it in quotes", "names[1]: want a string, got 5: put it in quotes",
		}},
		{"numbers that are none here", "inner: {count: 3000000000}", []string{"inner.count: want a whole number, got 3000000000"}},
		{"a fraction", "inner: {count: 0.5}", []string{"inner.count: want a whole number, got 0.5"}},
		{"a time that is none", "inner: {at: today}", []string{`inner.at: parsing time "today"`}},
		{"no map at all", "5", []string{"want an object, got 5"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			value, err := Split("f", []byte(tc.text))[0].Decode()
			require.NoError(t, err)
			misfits := Misfits(value, reflect.TypeFor[*outer]())
			require.Len(t, misfits, len(tc.want))
			for i, m := range misfits {
				assert.ErrorContains(t, m, tc.want[i])
			}
		})
	}
}

func TestTextLines(t *testing.T) {
	const file = `# c
---
apiVersion: v1
kind: ConfigMap
data:
  block: |

    one
    two
  folded: >
    one
    two
      three

    four
    four

    five
  quoted: "one\ntwo"
  plain: one
  same: &same >-
    one

    two
  again: *same
  number: 5
`
	objects, err := Objects("f", []byte(file))
	require.NoError(t, err)
	for field, want := range map[string][]int{
		"block": {7, 8, 9}, "folded": {11, 13, 14, 15, 18}, "quoted": {19, 19}, "plain": {20}, "same": {22, 24}, "again": {22, 24},
		"number": {26}, "nowhere": nil,
	} {
		assert.Equal(t, want, objects[0].TextLines(Path{"data", field}), "%s: %q", field, objects[0].Object["data"].(map[string]any)[field])
	}
	assert.Nil(t, objects[0].TextLines(Path{"data"}), "a map is no text")
}
