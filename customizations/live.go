package customizations

import (
	"context"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Live holds the Set in force. Its zero value has none: until the first Store every question is answered with
// interpreter.ErrNotReady. It is safe for concurrent use, and must not be copied.
type Live struct {
	set atomic.Pointer[Set]
}

var (
	_ interpreter.Interpreter = (*Live)(nil)
	_ interpreter.Explainer   = (*Live)(nil)
)

// Store puts s in force; it must not be nil. Rules that were looked up before answer as they did.
func (l *Live) Store(s *Set) { l.set.Store(s) }

// Load returns the Set in force; nil before the first Store.
func (l *Live) Load() *Set { return l.set.Load() }

// Lookup asks the Set in force.
func (l *Live) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	s := l.set.Load()
	if s == nil {
		return notReady
	}
	return s.Lookup(gvk, op)
}

// Explain asks the Set in force. Before the first Store its one source has the error interpreter.ErrNotReady.
func (l *Live) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	s := l.set.Load()
	if s == nil {
		return []interpreter.Source{{Link: "customizations", Err: interpreter.ErrNotReady}}
	}
	return s.Explain(gvk, op)
}

func notReady(context.Context, *interpreter.Request) (*interpreter.Response, error) {
	return nil, interpreter.ErrNotReady
}
