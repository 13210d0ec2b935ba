package lua

import (
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// NewPlain returns an engine that compiles scripts as they are, without rewriting them.
func NewPlain(limits script.Limits, functions []kube.Function) *Engine {
	e := New(limits, functions)
	e.plain = true
	return e
}
