package cel

import (
	"fmt"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
)

// isBind tells whether e is what cel.bind(name, value, body) expands to: a loop over nothing, of which only the
// accumulator, name, and the result, body, are evaluated.
func isBind(e ast.Expr) bool {
	if e.Kind() != ast.ComprehensionKind {
		return false
	}
	condition := e.AsComprehension().LoopCondition()
	return condition.Kind() == ast.LiteralKind && condition.AsLiteral() == types.False
}

// binder replaces such loops by nodes that bind. cel-go's loops make an accumulator that begins as [] or {} one that can
// be changed, so that in cel.bind(x, [], [x + [1], x + [2]]) both elements were [1, 2].
type binder struct {
	binds  map[int64]ast.ComprehensionExpr
	wanted map[int64]node // their values and bodies, as far as they are planned
	seen   func(id int64, value ref.Val)
}

func newBinder(binds map[int64]ast.ComprehensionExpr, seen func(int64, ref.Val)) *binder {
	b := &binder{binds: binds, wanted: make(map[int64]node, 2*len(binds)), seen: seen}
	for _, c := range binds {
		b.wanted[c.AccuInit().ID()], b.wanted[c.Result().ID()] = nil, nil
	}
	return b
}

func (b *binder) decorate(n node) (node, error) {
	if c, ok := b.binds[n.ID()]; ok {
		value, body := b.wanted[c.AccuInit().ID()], b.wanted[c.Result().ID()]
		if value == nil || body == nil {
			return nil, fmt.Errorf("plan the binding of %s: its value or its body is missing", c.AccuVar())
		}
		n = &bind{base: base{n.ID()}, name: c.AccuVar(), value: value, body: body, seen: b.seen}
	}
	if _, ok := b.wanted[n.ID()]; ok {
		b.wanted[n.ID()] = n
	}
	return n, nil
}

// bind gives a value a name.
type bind struct {
	base
	name        string
	value, body node
	seen        func(id int64, value ref.Val)
}

func (b *bind) Eval(vars celinterpreter.Activation) ref.Val {
	return b.Exec(celinterpreter.AsFrame(vars))
}

func (b *bind) Exec(f *frame) ref.Val {
	inner := f.Push(&binding{bind: b, outer: f})
	out := b.body.Exec(inner)
	inner.Pop()
	if b.seen != nil {
		b.seen(b.id, out)
	}
	return out
}

// binding is a name that has a value once somebody asks for it.
type binding struct {
	*bind
	outer *frame
	found ref.Val
}

// ResolveName returns the value of the one name.
func (b *binding) ResolveName(name string) (any, bool) {
	if name != b.name {
		return nil, false
	}
	if b.found == nil {
		b.found = b.value.Exec(b.outer)
	}
	return b.found, true
}

// Parent returns nil: the frame knows the other names.
func (b *binding) Parent() celinterpreter.Activation { return nil }
