package lua

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// kubeTable returns the library kube: the shared functions, and next.
func kubeTable(shared []kube.Function) functions {
	out := functions{
		"next": kubeNext,
	}
	for i := range shared {
		for _, name := range append([]string{shared[i].Name}, shared[i].Aliases...) {
			out[name] = bind(name, &shared[i])
		}
	}
	return out
}

// bind makes a Lua function of a shared one, for one of its names.
func bind(name string, f *kube.Function) lua.LGFunction {
	return func(l *lua.LState) int {
		r := runOf(l)
		if r.check() != nil { // What the function does is not counted: at least it begins in time.
			raise(l, r.failure)
		}
		args, err := r.arguments(f)
		if err == nil {
			var out any
			out, err = f.Call(&kube.Call{Context: r.caller, Request: r.req, Charge: r.take}, args)
			if err == nil {
				l.Push(r.toLua(out))
				return 1
			}
		}
		r.raise(fmt.Errorf("kube.%s: %w", name, err))
		return 0
	}
}

// raise raises err, so that the problem of the run has it as its cause.
func (r *run) raise(err error) {
	r.cause = err
	raise(r.l, err)
}

// arguments returns the arguments of the running function as f wants them.
func (r *run) arguments(f *kube.Function) ([]any, error) {
	given, params := r.l.GetTop(), len(f.Params)
	if given > params && !f.Variadic {
		return nil, fmt.Errorf("want %d arguments, got %d", params, given)
	}
	n := params
	if f.Variadic {
		// The last parameter stands for any number of arguments, none included.
		n = max(given, params-1)
	}
	args := make([]any, n)
	for i := range args {
		param := &f.Params[min(i, params-1)]
		arg, err := r.argument(param, r.l.Get(i+1))
		if err != nil {
			return nil, fmt.Errorf("argument %d, %s: %w", i+1, param.Name, err)
		}
		args[i] = arg
	}
	return args, nil
}

func (r *run) argument(param *kube.Param, value lua.LValue) (any, error) {
	if value == lua.LNil && param.Optional {
		return nil, nil
	}
	c := result{run: r, share: true}
	plain, err := c.value(value)
	if err != nil {
		return nil, err
	}
	return typed(param.Type, plain)
}

// typed returns a plain value as one of the given type. What a script made as an empty table can be an empty list.
func typed(want kube.Type, plain any) (any, error) {
	var ok bool
	switch want {
	case kube.Any:
		ok = true
	case kube.String:
		_, ok = plain.(string)
	case kube.Bool:
		_, ok = plain.(bool)
	case kube.Int:
		_, ok = plain.(int64)
	case kube.Double:
		if n, whole := plain.(int64); whole {
			return float64(n), nil
		}
		_, ok = plain.(float64)
	case kube.Map:
		if list, isList := plain.([]any); isList && len(list) == 0 {
			return map[string]any{}, nil
		}
		_, ok = plain.(map[string]any)
	case kube.List:
		if object, isObject := plain.(map[string]any); isObject && len(object) == 0 {
			return []any{}, nil
		}
		_, ok = plain.([]any)
	}
	if !ok {
		return nil, fmt.Errorf("want a %s, got %s", want, script.Describe(plain))
	}
	return plain, nil
}

// kubeNext asks the next rule, and returns what the operation's own function would: nothing but nil when nobody answers.
// Arguments take the place of the request's inputs; nil leaves an input as it is.
func kubeNext(l *lua.LState) int {
	r := runOf(l)
	if r.req == nil {
		l.RaiseError("kube.next: there is no question yet: call it in a function")
	}
	req, err := r.nextRequest()
	if err != nil {
		r.raise(fmt.Errorf("kube.next: %w", err))
	}
	var resp *interpreter.Response
	r.pause(func() { resp, err = interpreter.Next(r.caller, req) })
	if errors.Is(err, interpreter.ErrNotHandled) {
		l.Push(lua.LNil)
		return 1
	}
	var values []lua.LValue
	if err == nil {
		values, err = r.spreadAnswer(resp)
	}
	if err != nil {
		r.raise(fmt.Errorf("kube.next: %w", err))
	}
	for _, value := range values {
		l.Push(value)
	}
	return len(values)
}

// nextRequest returns the request for the next rule.
func (r *run) nextRequest() (*interpreter.Request, error) {
	if r.l.GetTop() == 0 {
		return r.req, nil
	}
	inputs := r.program.info.Inputs
	if given := r.l.GetTop(); given > len(inputs) {
		return nil, fmt.Errorf("want at most %d arguments, got %d", len(inputs), given)
	}
	req := *r.req
	for i, in := range inputs {
		value := r.l.Get(i + 1)
		if value == lua.LNil {
			continue
		}
		if v := viewOf(value); v != nil && !v.changed() && r.isInput(v, in) {
			continue
		}
		// A copy: the next rule's answer may be kept, and views of the request share memory with it.
		c := result{run: r}
		plain, err := c.value(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in, err)
		}
		if err := script.DecodeInput(&req, in, plain); err != nil {
			return nil, err
		}
	}
	return &req, req.Complete()
}

// isInput tells whether v is the view of the input itself.
func (r *run) isInput(v *view, in interpreter.Input) bool {
	i := slices.Index(r.program.info.Inputs, in)
	return i < len(r.inputs) && r.inputs[i] == lua.LValue(&v.data)
}
