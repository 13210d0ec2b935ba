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
	bindings map[int64]binding
	wanted   map[int64]node // their values and bodies, as far as they are planned
	seen     func(id int64, value ref.Val)
}

func newBinder(bindings map[int64]binding, seen func(int64, ref.Val)) *binder {
	b := &binder{bindings: bindings, wanted: make(map[int64]node, 2*len(bindings)), seen: seen}
	for _, c := range bindings {
		b.wanted[c.loop.AccuInit().ID()], b.wanted[c.loop.Result().ID()] = nil, nil
	}
	return b
}

func (b *binder) decorate(n node) (node, error) {
	if c, ok := b.bindings[n.ID()]; ok {
		value, body := b.wanted[c.loop.AccuInit().ID()], b.wanted[c.loop.Result().ID()]
		if value == nil || body == nil {
			return nil, fmt.Errorf("plan the binding of %s: its value or its body is missing", c.loop.AccuVar())
		}
		n = &bind{
			base: base{n.ID()}, slot: c.slot, slots: len(b.bindings),
			value: newPart(value), body: newPart(body), seen: b.seen,
		}
	}
	if _, ok := b.wanted[n.ID()]; ok {
		b.wanted[n.ID()] = n
	}
	return n, nil
}

// bind gives a value a name, which is a slot of the run.
type bind struct {
	base
	slot, slots int
	value, body part
	seen        func(id int64, value ref.Val)
}

// slot holds a value that is evaluated once somebody asks for it, where it was bound.
type slot struct {
	bound  *part
	around *frame
	found  bool
	outcome
	wrapped ref.Val // the outcome, once somebody has asked for it
}

func (b *bind) Eval(vars celinterpreter.Activation) ref.Val {
	return b.Exec(celinterpreter.AsFrame(vars))
}

func (b *bind) Exec(f *frame) ref.Val { return b.evaluate(f).wrap() }

func (b *bind) evaluate(f *frame) outcome {
	s := b.enter(f)
	out := b.body.evaluate(f)
	*s = slot{}
	if b.seen != nil {
		b.seen(b.id, out.wrap())
	}
	return out
}

// enter binds the value.
func (b *bind) enter(f *frame) *slot {
	r := runOf(f)
	if r.slots == nil {
		r.slots = make([]slot, b.slots)
	}
	s := &r.slots[b.slot]
	*s = slot{bound: &b.value, around: f}
	return s
}

// bound is the value in a slot.
type bound struct {
	base
	slot int
}

func (b *bound) Eval(vars celinterpreter.Activation) ref.Val {
	return b.Exec(celinterpreter.AsFrame(vars))
}

func (b *bound) Exec(f *frame) ref.Val {
	out := b.evaluate(f)
	s := &runOf(f).slots[b.slot]
	if s.wrapped == nil {
		s.wrapped = out.wrap()
	}
	return s.wrapped
}

func (b *bound) evaluate(f *frame) outcome {
	s := &runOf(f).slots[b.slot]
	if !s.found {
		s.outcome = s.bound.evaluate(s.around)
		s.found = true
	}
	return s.outcome
}
