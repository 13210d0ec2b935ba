package work

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Only what is merged is collected. docs/federation.md has these figures.
func TestCollectedBytes(t *testing.T) {
	text, err := os.ReadFile("testdata/deployment.yaml")
	require.NoError(t, err)
	deployment := object(t, string(text))
	bytes := func(i interpreter.Interpreter) int {
		status, err := interpreter.Client{Interpreter: i}.InterpretStatus(t.Context(), deployment)
		require.NoError(t, err)
		encoded, err := json.Marshal(status)
		require.NoError(t, err)
		return len(encoded)
	}
	const objects = 500
	assert.Equal(t, 71_500, objects*bytes(builtin.Interpreter{}), "trimmed")
	assert.Equal(t, 285_000, objects*bytes(builtin.Generic{}), "whole")
}

// Numbers beyond 2^53 are compared as they are.
func TestSameRaw(t *testing.T) {
	assert.True(t, sameRaw([]byte(`{"a":1,"b":[2]}`), []byte(`{"b": [2], "a": 1}`)))
	assert.False(t, sameRaw([]byte(`{"offset":9007199254740993}`), []byte(`{"offset": 9007199254740992}`)))
}
