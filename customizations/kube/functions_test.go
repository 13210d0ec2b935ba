package kube_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/interpreter"
)

// plain returns YAML as plain values, whole numbers as int64.
func plain(t testing.TB, text string) any {
	t.Helper()
	var out struct{ V any }
	require.NoError(t, yaml.Unmarshal([]byte("v: "+text), &out), text)
	return normalize(out.V)
}

// normalize turns the numbers that YAML decoding leaves as float64 into int64 where they are whole; 1.5 and 2.0 written
// with !double stay.
func normalize(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case map[string]any:
		for key := range v {
			v[key] = normalize(v[key])
		}
	case []any:
		for i := range v {
			v[i] = normalize(v[i])
		}
	}
	return v
}

func function(t testing.TB, name string) *kube.Function {
	t.Helper()
	for _, f := range kube.Functions() {
		if f.Name == name {
			return &f
		}
	}
	require.Fail(t, "no function "+name)
	return nil
}

func call(t testing.TB, name string, args []any) (any, error) {
	f := function(t, name)
	checked, err := f.Check(args)
	if err != nil {
		return nil, err
	}
	ctx := interpreter.WithClock(t.Context(), interpreter.Clock{Now: func() time.Time {
		return time.Date(2024, 5, 1, 12, 0, 0, 999, time.FixedZone("east", 3600))
	}})
	return f.Call(&kube.Call{Context: ctx}, checked)
}

// rows is the file of calls: what each function returns, or the end of its error, and why that matters.
type row struct {
	Reason string
	Call   string
	Args   []any
	Want   any
	Error  string
}

func TestFunctions(t *testing.T) {
	data, err := os.ReadFile("testdata/calls.yaml")
	require.NoError(t, err)
	var rows []row
	require.NoError(t, yaml.UnmarshalStrict(data, &rows))
	tested := map[string]bool{}
	seen := map[string]bool{}
	for _, r := range rows {
		tested[r.Call] = true
		name := r.Call + ": " + r.Reason
		require.False(t, seen[name] || r.Reason == "", "reasons are given, and unique: %s", name)
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			args := normalize(r.Args).([]any)
			before := runtime.DeepCopyJSONValue(args)
			got, err := call(t, r.Call, args)
			assert.Equal(t, before, args, "arguments are not modified")
			if r.Error != "" {
				require.ErrorContains(t, err, r.Error)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, normalize(r.Want), normalize(runtime.DeepCopyJSONValue(got)))
		})
	}
	for _, f := range kube.Functions() {
		assert.True(t, tested[f.Name], "kube.%s has no row in testdata/calls.yaml", f.Name)
	}
}

func TestTableIsWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, f := range kube.Functions() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			assert.False(t, names[name], name)
			names[name] = true
		}
		assert.NotEmpty(t, f.Result, f.Name)
		assert.True(t, strings.HasSuffix(f.Doc, "."), "%s: the documentation is sentences", f.Name)
		assert.Contains(t, f.Lua, "kube."+f.Name+"(", f.Name)
		assert.Contains(t, f.CEL, "kube."+f.Name+"(", f.Name)
		require.NotNil(t, f.Call, f.Name)
		optional := false
		for _, p := range f.Params {
			assert.False(t, optional && !p.Optional && !f.Variadic, "%s: %s cannot be given when one before it is left out", f.Name, p.Name)
			assert.NotEmpty(t, p.Type, f.Name)
		}
	}
	for _, peer := range []string{"accuratePodRequirements", "getPodDependencies", "resourceAdd", "getResourceQuantity"} {
		assert.True(t, names[peer], peer)
	}
}

// No argument of any kind makes a function panic.
func TestNoArgumentPanics(t *testing.T) {
	samples := []any{
		nil, true, int64(1), 1.5, "", "x", "1Gi", []any{}, []any{nil}, []any{"a"}, []any{map[string]any{}},
		map[string]any{}, map[string]any{"status": "x"}, map[string]any{"metadata": []any{}, "status": map[string]any{"conditions": []any{nil}}},
		[]any{map[string]any{"status": map[string]any{"a": []any{}, "conditions": []any{map[string]any{"type": []any{}, "message": map[string]any{}}}}}},
		map[string]any{"spec": "x", "status": map[string]any{"conditions": map[string]any{"a": "b"}, "a": "b"}},
		map[string]any{"Secret": []any{"a[].b", "[]", "..", ""}, "a": []any{[]any{}}},
	}
	for _, f := range kube.Functions() {
		var args []any
		var try func(int)
		try = func(left int) {
			if left == 0 {
				assert.NotPanics(t, func() { _, _ = call(t, f.Name, args) }, fmt.Sprint(f.Name, args))
				return
			}
			for _, sample := range samples {
				args = append(args, sample)
				try(left - 1)
				args = args[:len(args)-1]
			}
		}
		try(min(len(f.Params), 3))
	}
}

func TestMergeConditionsChargesWhatItWrites(t *testing.T) {
	f := function(t, "mergeConditions")
	spent := 0
	over := fmt.Errorf("over")
	c := &kube.Call{Context: t.Context(), Charge: func(n int) error {
		if spent += n; spent > 100 {
			return over
		}
		return nil
	}}
	_, err := f.Call(c, []any{plain(t, `[{clusterName: a, status: {conditions: [{type: A, message: `+strings.Repeat("x", 90)+`}, {type: A, message: z}]}}]`)})
	require.ErrorIs(t, err, over)
}
