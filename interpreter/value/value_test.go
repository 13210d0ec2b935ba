package value_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

var object = map[string]any{
	"null": nil, "text": "x", "yes": true, "five": int64(5), "half": 0.5, "two": 2.0,
	"map":  map[string]any{"inner": map[string]any{"leaf": "l"}, "text": "y"},
	"list": []any{map[string]any{"a": "b"}, nil},
	"bad":  []any{"x"},
}

func TestAbsentAndNullReadAsNothing(t *testing.T) {
	for _, field := range []string{"absent", "null"} {
		m, err := value.Map(object, field)
		require.NoError(t, err)
		assert.Nil(t, m)
		m, err = value.MapAt(object, field, "more")
		require.NoError(t, err)
		assert.Nil(t, m)
		l, err := value.List(object, field)
		require.NoError(t, err)
		assert.Nil(t, l)
		s, err := value.String(object, field)
		require.NoError(t, err)
		assert.Empty(t, s)
		s, err = value.StringAt(object, field, "more")
		require.NoError(t, err)
		assert.Empty(t, s)
		b, err := value.Bool(object, field)
		require.NoError(t, err)
		assert.False(t, b)
		_, ok, err := value.Int(object, field)
		require.NoError(t, err)
		assert.False(t, ok)
		require.NoError(t, value.Each(object, field, func(map[string]any) error { return errors.New("visited") }))
	}
	_, err := value.Map(nil, "any")
	require.NoError(t, err)
}

func TestWhatIsThere(t *testing.T) {
	m, err := value.MapAt(object, "map", "inner")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"leaf": "l"}, m)
	s, err := value.StringAt(object, "map", "text")
	require.NoError(t, err)
	assert.Equal(t, "y", s)
	b, err := value.Bool(object, "yes")
	require.NoError(t, err)
	assert.True(t, b)
	n, ok, err := value.Int(object, "two")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, int64(2), n)
	c, ok, err := value.Count(object, "five")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, int32(5), c)
	var visited []map[string]any
	require.NoError(t, value.Each(object, "list", func(m map[string]any) error {
		visited = append(visited, m)
		return nil
	}))
	assert.Equal(t, []map[string]any{{"a": "b"}, nil}, visited)
}

func TestWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		reason string
		err    func() error
		want   string
	}{
		{"a string for an object", func() error { _, err := value.Map(object, "text"); return err }, `text: want an object, got "x"`},
		{"the path up to what is wrong", func() error { _, err := value.MapAt(object, "map", "text", "more"); return err }, `map.text: want an object, got "y"`},
		{"an object for a list", func() error { _, err := value.List(object, "map"); return err }, `map: want a list, got an object`},
		{"a list for a string", func() error { _, err := value.String(object, "list"); return err }, `list: want a string, got a list`},
		{"a string in an object", func() error { _, err := value.StringAt(object, "map", "inner"); return err }, `map.inner: want a string, got an object`},
		{"a number for a boolean", func() error { _, err := value.Bool(object, "five"); return err }, `five: want true or false, got 5`},
		{"a fraction", func() error { _, _, err := value.Int(object, "half"); return err }, `half: want a whole number, got 0.5`},
		{"a boolean for a number", func() error { _, _, err := value.Count(object, "yes"); return err }, `yes: want a whole number, got true`},
		{"below 0", func() error { _, _, err := value.Count(map[string]any{"n": int64(-1)}, "n"); return err }, `n: want a number from 0 to 2147483647, got -1`},
		{"above 32 bits", func() error { _, _, err := value.Count(map[string]any{"n": int64(1) << 31}, "n"); return err }, `n: want a number from 0 to 2147483647, got 2147483648`},
		{"an element of a list", func() error { return value.Each(object, "bad", nil) }, `bad[0]: want an object, got "x"`},
		{
			"the way down comes before the field",
			func() error {
				return value.In("a", value.InElement("b", 3, value.In("c.d", value.Wrong("e", "a string", nil))))
			},
			`a.b[3].c.d.e: want a string, got nothing`,
		},
		{"another error keeps its identity", func() error { return value.In("a", errElse) }, `a: else`},
		{"a long string is not shown", func() error { return value.Wrong("f", "a number", strings.Repeat("x", 100)) }, `f: want a number, got a string of 100 bytes`},
		{"a type that JSON does not have", func() error { return value.Wrong("f", "a number", 3) }, `f: want a number, got a int`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			assert.EqualError(t, tc.err(), tc.want)
		})
	}
	require.ErrorIs(t, value.In("a", errElse), errElse)
	require.NoError(t, value.In("a", nil))
	require.NoError(t, value.InElement("a", 0, nil))
}

var errElse = errors.New("else")

func TestWhole(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want int64
		ok   bool
	}{
		{int64(math.MaxInt64), math.MaxInt64, true},
		{float64(1 << 60), 1 << 60, true},
		{-3.0, -3, true},
		{float64(1 << 63), 0, false},
		{-float64(1 << 63), math.MinInt64, true},
		{math.NaN(), 0, false},
		{math.Inf(1), 0, false},
		{1.5, 0, false},
		{"1", 0, false},
	} {
		got, ok := value.Whole(tc.in)
		assert.Equal(t, tc.ok, ok, tc.in)
		assert.Equal(t, tc.want, got, tc.in)
	}
}

func ExampleIn() {
	spec := map[string]any{"replicas": "three"}
	_, _, err := value.Int(spec, "replicas")
	fmt.Println(value.In("spec", err))
	// Output: spec.replicas: want a whole number, got "three"
}

func TestCopy(t *testing.T) {
	before := fmt.Sprintf("%#v", object)
	got := value.CopyMap(object)
	assert.Equal(t, object, got)
	got["map"].(map[string]any)["inner"].(map[string]any)["leaf"] = "changed"
	got["list"].([]any)[0].(map[string]any)["a"] = "changed"
	got["bad"].([]any)[0] = "changed"
	assert.Equal(t, before, fmt.Sprintf("%#v", object), "the copy shares memory")

	for _, v := range []any{nil, "x", int64(1), 1, []any(nil), map[string]any(nil), []any{}, map[string]any{}} {
		assert.Equal(t, v, value.Copy(v))
	}
}

func TestNearest(t *testing.T) {
	names := []string{"retention", "replicaResource", "replicaRevision", "status"}
	for name, want := range map[string]string{
		"retension": "retention", "Retention": "retention", "statsu": "status", "replicaRes": "", "replicaResourc": "replicaResource",
		"x": "", "": "", strings.Repeat("a", 100): "",
	} {
		assert.Equal(t, want, value.Nearest(name, names), name)
	}
	assert.Equal(t, "ab", value.Nearest("aa", []string{"ab", "ac"}), "the first of equally near ones")
	assert.Equal(t, 1, value.Distance("ab", "ba"))
}
