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
