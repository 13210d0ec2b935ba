package lua

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestPoolCountsStates(t *testing.T) {
	e := New(script.Limits{}, nil)
	assert.Zero(t, e.Pool())
	ask := func(text string) error {
		rule, _, err := e.Compile(&script.Source{Customization: "c", Operation: interpreter.InterpretHealth, Language: script.Lua, Text: text})
		require.NoError(t, err)
		running := e.Pool().InUse
		_, err = rule(t.Context(), &interpreter.Request{
			Operation: interpreter.InterpretHealth, Object: &unstructured.Unstructured{Object: map[string]any{"kind": "Widget"}},
		})
		assert.Equal(t, running, e.Pool().InUse, "what was taken is given back")
		return err
	}
	require.NoError(t, ask("function InterpretHealth(o) return true end"))
	assert.Zero(t, e.Pool().Discarded, "a run that went well leaves its state")
	assert.Positive(t, e.Pool().Created)
	require.Error(t, ask("function InterpretHealth(o) error('no') end"))
	p := e.Pool()
	assert.Equal(t, int64(1), p.Discarded, "one that failed does not")
	assert.Equal(t, p.Created-p.Discarded, p.Idle)
	for e.Pool().Idle > 0 { // until the garbage collector has taken them
		runtime.GC()
		runtime.Gosched()
	}
	assert.Equal(t, p.Created, e.Pool().Created)
}
