package lua_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIdioms holds that what the peer's users write gives here what it gives there: each script in testdata/idioms is
// full of one sort of it.
func TestIdioms(t *testing.T) {
	e, peer := newEngine(), &baseline{}
	for _, q := range questions(t, "idioms") {
		t.Run(q.name, func(t *testing.T) {
			before := q.req.Object.DeepCopy()
			want, err := peer.answer(t.Context(), q.src, q.req)
			require.NoError(t, err)
			rule := compiled(t, e, q.src)
			got, err := rule(t.Context(), q.req)
			require.NoError(t, err)
			assert.JSONEq(t, encoded(t, q.req.Operation, want), encoded(t, q.req.Operation, got))
			again, err := rule(t.Context(), q.req)
			require.NoError(t, err)
			assert.Equal(t, got, again, "a second run gives another answer")
			assert.Equal(t, before, q.req.Object, "the input changes")
		})
	}
}
