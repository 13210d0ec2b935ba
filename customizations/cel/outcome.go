package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
)

// outcome is what evaluating a node gives: a value of CEL's, or the plain one that it would wrap, where that is at hand
// and nobody needs the other.
type outcome struct {
	kind outcomeKind
	// value is a plain value, which may share memory with the inputs; a ref.Val when the outcome is wrapped.
	value any
}

type outcomeKind uint8

const (
	// isWrapped: any value of CEL's, errors and optional values among them.
	isWrapped outcomeKind = iota
	// isPlain: a plain value: nil, bool, int64, float64, string, map[string]any or []any.
	isPlain
	// isSome: an optional value that has a plain value.
	isSome
	// isNone: an optional value that has no value.
	isNone
)

// plainNode is a node whose value need not be wrapped.
type plainNode interface {
	node
	// evaluate is Exec, without wrapping what is plain.
	evaluate(f *frame) outcome
}

// part is a node in another one, which would rather have plain values.
type part struct {
	node
	plain plainNode // the same node; nil when it wraps all its values
	known *outcome  // of a constant
}

func newPart(n node) part {
	p := part{node: n}
	switch typed := n.(type) {
	case plainNode:
		p.plain = typed
	case celinterpreter.InterpretableConst:
		known := outcome{isWrapped, typed.Value()}
		switch v := typed.Value().(type) {
		case types.Null:
			known = outcome{isPlain, nil}
		case types.Bool, types.Int, types.Double, types.String:
			known = outcome{isPlain, scalar(v)}
		}
		p.known = &known
	}
	return p
}

func newParts(nodes []node) []part {
	out := make([]part, len(nodes))
	for i, n := range nodes {
		out[i] = newPart(n)
	}
	return out
}

func (p *part) evaluate(f *frame) outcome {
	switch {
	case p.plain != nil:
		return p.plain.evaluate(f)
	case p.known != nil:
		return *p.known
	default:
		return outcome{isWrapped, p.Exec(f)}
	}
}

// failed returns the error, or the unknown value, that o is; nil when it is another value.
func (o outcome) failed() ref.Val {
	if o.kind != isWrapped {
		return nil
	}
	if v, ok := o.value.(ref.Val); ok && types.IsUnknownOrError(v) {
		return v
	}
	return nil
}

// optional returns the value of an optional value, which is none where there is none; false when o is no such value.
func (o outcome) optional() (outcome, bool) {
	switch o.kind {
	case isSome:
		return outcome{isPlain, o.value}, true
	case isNone:
		return o, true
	case isWrapped:
		if v, ok := o.value.(*types.Optional); ok {
			if v.HasValue() {
				return outcome{isWrapped, v.GetValue()}, true
			}
			return outcome{kind: isNone}, true
		}
	}
	return o, false
}

// wrap returns o as a value of CEL's.
func (o outcome) wrap() ref.Val {
	switch o.kind {
	case isPlain:
		return types.DefaultTypeAdapter.NativeToValue(o.value)
	case isSome:
		return types.OptionalOf(types.DefaultTypeAdapter.NativeToValue(o.value))
	case isNone:
		return types.OptionalNone
	default:
		v, _ := o.value.(ref.Val)
		return v
	}
}

// isPlainValue tells whether v has one of the types that plain values have.
func isPlainValue(v any) bool {
	switch v.(type) {
	case nil, bool, int64, float64, string, map[string]any, []any:
		return true
	}
	return false
}
