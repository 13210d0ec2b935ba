package cel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestBuilderIsADetourLess proves that building a literal has the value, the error and the cost of evaluating it.
func TestBuilderIsADetourLess(t *testing.T) {
	l, err := newLibrary(nil)
	require.NoError(t, err)
	literals := 0
	for _, text := range append(expressions(t),
		`{"a": object.spec.replicas, "b": {"c": [object.spec.text, {"d": object.spec}, []], "e": {}}, "f": null}`,
		`[{"a": 1}, [object.spec.ratio], object.spec.containers.map(c, {"n": c.name})]`,
		`{"b": object.absent, "a": object.missing}`,
		`{"b": [1.0 / 0.0], "a": {"z": type(1), "y": optional.of(object)}}`,
		`{"b": {"x": object.?spec}, "a": object.absent}`,
		`{?"a": object.?spec.text, "b": {?"c": object.?absent}, "d": [?object.?absent, 1]}`,
		`{"a": 1, "a": object.spec.text}`,
		`{"a": [?object.?spec.text, ?object.spec.text], "b": 1}`,
		`{?"a": object.spec.text, "b": object.absent}`,
		`{?"a": optional.ofNonZeroValue({?"b": object.?absent, ?"c": optional.ofNonZeroValue([?object.?absent])}), "d": [{}]}`,
		`{?"a": optional.ofNonZeroValue({?"b": object.?spec, ?"c": optional.ofNonZeroValue(object.spec.emptyMap)})}`,
		`{?"a": optional.ofNonZeroValue({1: 2}), ?"b": optional.ofNonZeroValue(0 * size(object)), ?"c": optional.of(duration("1s"))}`,
		`cel.bind(s, object.?spec, cel.bind(t, s.?text.or(s.?absent), {?"t": t, "r": s.?replicas.orValue(0), "n": s[?"null"].orValue(1)}))`,
		`cel.bind(s, object.absent, {"a": object.spec.containers.map(c, cel.bind(n, c.name, n + n)), "b": s})`,
		`cel.bind(s, object.absent, [1])`,
		`cel.bind(x, 1, cel.bind(x, x + 1, {"x": x, "y": [1, 2].map(x, cel.bind(y, x, [10].map(x, x + y)))}))`,
		`{1: object.spec.text}`,
		`{"a": {object.spec.text: 1}}`,
	) {
		here := evaluate(t, l, strings.TrimPrefix(text, "~ "))
		maps, fields := newBuilder(here.syntax.tree.Expr(), here.plan, false), newBuilder(here.syntax.tree.Expr(), here.plan, true)
		if maps == nil {
			continue
		}
		literals++
		for _, b := range []*builder{maps, fields} {
			compareBuilt(t, here, text, b)
		}
	}
	assert.Greater(t, literals, 15)
}

func compareBuilt(t *testing.T, here evaluated, text string, b *builder) {
	req := &interpreter.Request{Object: &unstructured.Unstructured{Object: testObject}}
	plain, built := here.program.newRun(t.Context(), req), here.program.newRun(t.Context(), req)
	want, wantFailed, wantErr := plain.result(here.plan, nil)
	got, gotFailed, gotErr := built.result(here.plan, b)
	assert.Equal(t, want, withMaps(got), text)
	assert.Equal(t, wantErr, gotErr, text)
	assert.Equal(t, plain.usage(), built.usage(), text)
	require.Equal(t, wantFailed == nil, gotFailed == nil, text)
	if wantFailed != nil {
		assert.Equal(t, wantFailed.Error(), gotFailed.Error(), text)
		assert.Equal(t, wantFailed.NodeID(), gotFailed.NodeID(), text)
	}
}

// withMaps returns a result with maps in place of fields.
func withMaps(v any) any {
	switch v := v.(type) {
	case script.Fields:
		out := map[string]any{}
		for _, f := range v {
			out[f.Name] = withMaps(f.Value)
		}
		return out
	case []any:
		for i := range v {
			v[i] = withMaps(v[i])
		}
	}
	return v
}
