package cel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
		`{1: object.spec.text}`,
		`{"a": {object.spec.text: 1}}`,
	) {
		here := evaluate(t, l, strings.TrimPrefix(text, "~ "))
		b := newBuilder(here.syntax.tree.Expr(), here.plan)
		if b == nil {
			continue
		}
		literals++
		req := &interpreter.Request{Object: &unstructured.Unstructured{Object: testObject}}
		plain, built := here.program.newRun(t.Context(), req), here.program.newRun(t.Context(), req)
		want, wantFailed, wantErr := plain.result(here.plan, nil)
		got, gotFailed, gotErr := built.result(here.plan, b)
		assert.Equal(t, want, got, text)
		assert.Equal(t, wantErr, gotErr, text)
		assert.Equal(t, plain.usage(), built.usage(), text)
		require.Equal(t, wantFailed == nil, gotFailed == nil, text)
		if wantFailed != nil {
			assert.Equal(t, wantFailed.Error(), gotFailed.Error(), text)
			assert.Equal(t, wantFailed.NodeID(), gotFailed.NodeID(), text)
		}
	}
	assert.Greater(t, literals, 5)
}
