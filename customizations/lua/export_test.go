package lua

import (
	"time"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// NewTimed returns an engine whose runs are timed by a clock.
func NewTimed(limits script.Limits, functions []kube.Function, now func() time.Time) *Engine {
	e := New(limits, functions)
	e.now = now
	return e
}

// NewPlain returns an engine that compiles scripts as they are, without rewriting them.
func NewPlain(limits script.Limits, functions []kube.Function) *Engine {
	e := New(limits, functions)
	e.plain = true
	return e
}

// CanCheck tells whether Check finds its way in a program.
func CanCheck(p *Program) bool {
	_, _, ok := parsePositions(p.src)
	return ok
}
