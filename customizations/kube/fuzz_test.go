package kube_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// A text is a number or it is not: then the function gives its second argument. A number is finite.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"", "7", " +007 ", "-0x1F", "1.5e3", "1e3", ".5", "5.", "9223372036854775808", "1_000", "0x", "NaN", "1.0e999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := call(t, "number", []any{text, "none"})
		require.NoError(t, err)
		switch n := got.(type) {
		case string:
			require.Equal(t, "none", n)
		case float64:
			require.False(t, math.IsNaN(n) || math.IsInf(n, 0), text)
		case int64:
			require.True(t, strings.ContainsAny(text, "0123456789"))
		default:
			require.Fail(t, "neither", "%T", got)
		}
	})
}

// No object and no path make a function that follows paths panic, and what get finds, references finds too.
func FuzzPaths(f *testing.F) {
	f.Add(`{"spec":{"a":[{"b":"x"}]}}`, "spec.a[].b")
	f.Add(`{"a":{"":"x"}}`, "a..")
	f.Add(`{"a":["x",null]}`, "a[]")
	f.Fuzz(func(t *testing.T, object, path string) {
		var o map[string]any
		if !json.Valid([]byte(object)) || utiljson.Unmarshal([]byte(object), &o) != nil || o == nil {
			return
		}
		found, err := call(t, "get", []any{o, path})
		refs, refErr := call(t, "references", []any{o, map[string]any{"Secret": []any{path}}})
		if name, ok := found.(string); ok && err == nil && refErr == nil && name != "" && !strings.Contains(path, "[]") {
			require.Len(t, refs, 1)
		}
		_, _ = call(t, "retain", []any{map[string]any{}, o, []any{path}})
		_, _ = call(t, "sum", []any{[]any{map[string]any{"status": o}}, path})
		_, _ = call(t, "sumTree", []any{[]any{map[string]any{"status": o}}, path})
	})
}
