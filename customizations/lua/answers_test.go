package lua_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestAnswersAsThePeer holds that scripts written for the peer run unchanged, and give the answers that they give there.
func TestAnswersAsThePeer(t *testing.T) {
	e, peer := newEngine(), &baseline{}
	for _, q := range corpus(t) {
		t.Run(q.name, func(t *testing.T) {
			want, err := peer.answer(t.Context(), q.src, q.req)
			require.NoError(t, err)
			got, err := compiled(t, e, q.src)(t.Context(), q.req)
			require.NoError(t, err)
			assert.JSONEq(t, encoded(t, q.req.Operation, want), encoded(t, q.req.Operation, got))
		})
	}
}

// encoded returns a response as JSON, without what the peer loses.
func encoded(t *testing.T, op interpreter.Operation, resp *interpreter.Response) string {
	t.Helper()
	value, err := script.Encode(op, resp)
	require.NoError(t, err)
	data, err := json.Marshal(withoutEmpties(value))
	require.NoError(t, err)
	return string(data)
}

func withoutEmpties(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, field := range value {
			if field = withoutEmpties(field); field == nil {
				continue
			}
			if m, ok := field.(map[string]any); ok && len(m) == 0 {
				continue
			}
			if l, ok := field.([]any); ok && len(l) == 0 {
				continue
			}
			out[key] = field
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = withoutEmpties(value[i])
		}
		return out
	}
	return value
}
