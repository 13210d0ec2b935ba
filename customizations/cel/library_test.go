package cel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestLibraryIsBound proves that every function of the library has a meter, and that its example compiles.
func TestLibraryIsBound(t *testing.T) {
	functions := kube.Functions()
	l, err := newLibrary(functions)
	require.NoError(t, err)
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			assert.Contains(t, l.meters, "kube."+f.Name)
			if f.CEL == "" {
				return
			}
			ok := false
			var problems script.Problems
			for _, op := range []interpreter.Operation{interpreter.AggregateStatus, interpreter.Retain, interpreter.ReviseReplica} {
				src := &script.Source{Customization: f.Name, Operation: op, Language: script.CEL, Text: f.CEL}
				env, err := l.environments[op]()
				require.NoError(t, err)
				checked, found := l.compile(env, src)
				ok, problems = ok || checked != nil, append(problems, found...)
			}
			assert.True(t, ok, "its example does not compile: %v", problems)
		})
	}
}
