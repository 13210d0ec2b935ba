package cel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestEstimate(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	estimate := func(text string, size int64) int64 {
		p, _, err := engine.Program(source(interpreter.InterpretHealth, text))
		require.NoError(t, err)
		return p.Estimate(size)
	}
	flat := `object.a == 1 && object.b == 2`
	assert.Less(t, estimate(flat, 10), int64(30))
	assert.Equal(t, estimate(`[1, 2].all(x, x > 0)`, 10), estimate(`[1, 2].all(x, x > 0)`, 1000), "the length of a literal is known")
	loop := `object.l.all(x, x.a > 1)`
	nested := `object.l.all(x, x.m.all(y, y.a > 1))`
	assert.InDelta(t, 10, float64(estimate(loop, 10_000))/float64(estimate(loop, 1000)), 0.1)
	assert.InDelta(t, 100, float64(estimate(nested, 10_000))/float64(estimate(nested, 1000)), 1)
	assert.Positive(t, estimate(nested, 1<<62), "no overflow")
}
