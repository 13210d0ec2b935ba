package cel

import (
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/kube"
)

// freeCalls is how many functions of the library a run may call without being charged for what it hands to them. They read
// their arguments, and copy them at most, which only a loop makes much of; weighing them would take as long as most
// functions do.
const freeCalls = 32

// kubeCall is a call of a function of the kube library.
type kubeCall struct {
	base
	function *kube.Function
	args     []part
}

func newKubeCall(c celinterpreter.InterpretableCall, f *kube.Function) *kubeCall {
	out := &kubeCall{base: base{c.ID()}, function: f, args: newParts(c.Args())}
	for i := range out.args {
		if known := out.args[i].known; known != nil && known.kind == isWrapped {
			if plain, ok := plainConstant(known.wrap()); ok {
				out.args[i].known = &outcome{isPlain, plain}
			}
		}
	}
	return out
}

// plainConstant returns a constant as a plain value that all runs share; false when it is none, or a large one.
func plainConstant(v ref.Val) (plain any, ok bool) {
	defer func() {
		if recover() != nil { // over the budget
			ok = false
		}
	}()
	plain, err := foldingRun().plain(v)
	return plain, err == nil
}

func (c *kubeCall) Eval(vars celinterpreter.Activation) ref.Val {
	return c.Exec(celinterpreter.AsFrame(vars))
}

func (c *kubeCall) Exec(f *frame) ref.Val { return c.evaluate(f).wrap() }

func (c *kubeCall) evaluate(f *frame) outcome {
	r := runOf(f)
	// What is there belongs to calls that this one is an argument of.
	first, n := len(r.arguments), max(len(c.args), len(c.function.Params))
	r.arguments = slices.Grow(r.arguments, n)[:first+n]
	args := r.arguments[first : first+len(c.args)]
	out := c.call(f, r, args)
	clear(args)
	r.arguments = r.arguments[:first]
	return out
}

// call fills args, which has the length of the call's own and room for all of the function's parameters, and calls the
// function.
func (c *kubeCall) call(f *frame, r *run, args []any) outcome {
	for i := range c.args {
		arg := c.args[i].evaluate(f)
		if arg.failed() != nil {
			return arg
		}
		args[i] = arg.value // of one that is none: nil
	}
	r.at = c.id
	for i, arg := range args {
		var err error
		if args[i], err = r.shared(arg); err != nil {
			return c.failed("%s: %w", c.function.Params[min(i, len(c.function.Params)-1)].Name, err)
		}
	}
	args, err := c.function.Check(args)
	if err != nil {
		return outcome{isWrapped, types.LabelErrNode(c.id, types.WrapErr(err))}
	}
	r.charge(10, 64)
	if r.calls++; r.calls > freeCalls {
		w := scales{run: r}
		w.plain(args)
		r.charge(0, bytesEntry*w.nodes)
	}
	if r.call.Charge == nil {
		r.call = kube.Call{Context: r.ctx, Request: r.req, Charge: r.chargeBytes}
	}
	value, err := c.function.Call(&r.call, args)
	switch {
	case r.err != nil:
		panic(aborted{})
	case err != nil:
		return c.failed("%w", err)
	}
	return outcome{isPlain, value}
}

func (c *kubeCall) failed(format string, args ...any) outcome {
	err := types.NewErr("kube."+c.function.Name+": "+format, args...)
	return outcome{isWrapped, types.LabelErrNode(c.id, err)}
}

// shared returns an argument as a plain value, which nobody may change. An optional value without a value is nil.
func (r *run) shared(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any, []any:
		r.charge(1, 0)
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return r.shared(v.GetValue())
	case traits.Mapper:
		if native, ok := v.Value().(map[string]any); ok {
			return r.shared(native)
		}
		return r.plain(v.(ref.Val))
	case traits.Lister:
		if native, ok := v.Value().([]any); ok {
			return r.shared(native)
		}
		return r.plain(v.(ref.Val))
	case ref.Val:
		return r.plain(v)
	}
	return v, nil
}
