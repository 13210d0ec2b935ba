package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	celinterpreter "github.com/google/cel-go/interpreter"
)

// otherwise is a.or(b) or a.orValue(b): b is evaluated only when a is none.
type otherwise struct {
	base
	value         bool
	first, second part
}

func (o *otherwise) Eval(vars celinterpreter.Activation) ref.Val {
	return o.Exec(celinterpreter.AsFrame(vars))
}

func (o *otherwise) Exec(f *frame) ref.Val { return o.evaluate(f).wrap() }

func (o *otherwise) evaluate(f *frame) outcome {
	first := o.first.evaluate(f)
	value, optional := first.optional()
	switch {
	case first.failed() != nil:
		return first
	case !optional:
		return outcome{isWrapped, types.NewErrWithNodeID(o.id,
			"want an optional value before or and orValue, got %s", describe(first.wrap()))}
	case value.kind == isNone:
		return o.second.evaluate(f)
	case o.value:
		return value
	default:
		return first
	}
}

// nonZero is optional.ofNonZeroValue(value).
type nonZero struct {
	base
	value part
}

func (n *nonZero) Eval(vars celinterpreter.Activation) ref.Val {
	return n.Exec(celinterpreter.AsFrame(vars))
}

func (n *nonZero) Exec(f *frame) ref.Val { return n.evaluate(f).wrap() }

func (n *nonZero) evaluate(f *frame) outcome {
	switch o := n.value.evaluate(f); {
	case o.failed() != nil:
		return o
	case o.kind == isPlain && isZero(o.value):
		return outcome{kind: isNone}
	case o.kind == isPlain:
		return outcome{isSome, o.value}
	default:
		v := o.wrap()
		if z, ok := v.(traits.Zeroer); ok && z.IsZeroValue() {
			return outcome{kind: isNone}
		}
		return outcome{isWrapped, types.OptionalOf(v)}
	}
}

// isZero tells whether v is what CEL calls a zero value.
func isZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return v == nil || v == false || v == int64(0) || v == 0.0 || v == ""
	}
}
