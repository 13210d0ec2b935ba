package lua_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	glua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// baseline answers as the peer does: a pooled state, the script parsed with every call, arguments and results through
// JSON text, and so the arguments and results of kube's functions.
type baseline struct {
	states sync.Pool
}

func (b *baseline) answer(ctx context.Context, src *script.Source, req *interpreter.Request) (*interpreter.Response, error) {
	l, ok := b.states.Get().(*glua.LState)
	if !ok {
		l = newBaselineState()
	}
	defer b.states.Put(l)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l.SetContext(ctx)
	if err := l.DoString(src.Text); err != nil {
		return nil, err
	}
	info := req.Operation.Info()
	fn := l.GetGlobal(info.Function)
	if fn.Type() != glua.LTFunction {
		return nil, errors.New("not found function " + info.Function)
	}
	args := make([]glua.LValue, 0, 2)
	for _, in := range info.Inputs {
		if in == interpreter.InputContext {
			continue // The peer has none.
		}
		arg, err := throughJSON(l, script.EncodeInput(req, in))
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	if err := l.CallByParam(glua.P{Fn: fn, NRet: 2, Protect: true}, args...); err != nil {
		return nil, err
	}
	first, second := l.Get(-2), l.Get(-1)
	l.Pop(2)
	return decodeBaseline(info, first, second)
}

func decodeBaseline(info *interpreter.OperationInfo, first, second glua.LValue) (*interpreter.Response, error) {
	resp := &interpreter.Response{}
	switch info.Result {
	case interpreter.ResultReplicas:
		n, ok := first.(glua.LNumber)
		if !ok {
			return nil, errors.New("expect the returned replica to be a number")
		}
		resp.Replicas = int32(n)
		if second == glua.LNil {
			return resp, nil
		}
		resp.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{}
		return resp, fromLua(second, resp.ReplicaRequirements)
	case interpreter.ResultHealth:
		healthy, ok := first.(glua.LBool)
		if !ok {
			return nil, errors.New("expect the returned value to be a boolean")
		}
		resp.Health = interpreter.HealthOf(bool(healthy))
		return resp, nil
	case interpreter.ResultComponents:
		return resp, fromLua(first, &resp.Components)
	case interpreter.ResultDependencies:
		resp.Dependencies = []configv1alpha1.DependentObjectReference{}
		err := fromLua(first, &resp.Dependencies)
		resp.Dependencies = interpreter.SortDependencies(resp.Dependencies)
		return resp, err
	case interpreter.ResultStatus:
		return resp, fromLua(first, &resp.Status)
	default:
		resp.Object = &unstructured.Unstructured{}
		return resp, fromLua(first, &resp.Object.Object)
	}
}

func newBaselineState() *glua.LState {
	l := glua.NewState(glua.Options{SkipOpenLibs: true})
	for name, open := range map[string]glua.LGFunction{
		glua.LoadLibName: glua.OpenPackage, glua.BaseLibName: glua.OpenBase, glua.TabLibName: glua.OpenTable,
		glua.StringLibName: glua.OpenString, glua.MathLibName: glua.OpenMath, glua.OsLibName: glua.OpenOs,
	} {
		if name == glua.LoadLibName {
			continue
		}
		l.Push(l.NewFunction(open))
		l.Push(glua.LString(name))
		l.Call(1, 0)
	}
	l.SetGlobal("require", l.NewFunction(func(l *glua.LState) int {
		l.Push(l.GetField(l.Get(glua.RegistryIndex), "kube"))
		return 1
	}))
	module := l.NewTable()
	for _, f := range kube.Functions() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			module.RawSetString(name, l.NewFunction(baselineFunction(f)))
		}
	}
	l.SetField(l.Get(glua.RegistryIndex), "kube", module)
	return l
}

func baselineFunction(f kube.Function) glua.LGFunction {
	return func(l *glua.LState) int {
		args := make([]any, max(l.GetTop(), len(f.Params)))
		for i := range args {
			if value := l.Get(i + 1); value != glua.LNil {
				if err := fromLua(value, &args[i]); err != nil {
					l.RaiseError("%s", err.Error())
				}
			}
		}
		out, err := f.Call(&kube.Call{Context: l.Context(), Charge: func(int) error { return nil }}, args)
		if err != nil {
			l.RaiseError("%s", err.Error())
		}
		value, err := throughJSON(l, out)
		if err != nil {
			l.RaiseError("%s", err.Error())
		}
		l.Push(value)
		return 1
	}
}

// throughJSON returns a Go value as a Lua value, by way of JSON.
func throughJSON(l *glua.LState, value any) (glua.LValue, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	return eager(l, plain), nil
}

func eager(l *glua.LState, value any) glua.LValue {
	switch value := value.(type) {
	case string:
		return glua.LString(value)
	case float64:
		return glua.LNumber(value)
	case bool:
		return glua.LBool(value)
	case []any:
		t := l.CreateTable(len(value), 0)
		for _, element := range value {
			t.Append(eager(l, element))
		}
		return t
	case map[string]any:
		t := l.CreateTable(0, len(value))
		for key, field := range value {
			t.RawSetString(key, eager(l, field))
		}
		return t
	}
	return glua.LNil
}

// fromLua decodes a Lua value into a Go value, by way of JSON.
func fromLua(value glua.LValue, into any) error {
	data, err := json.Marshal(asJSON{value})
	if err != nil {
		return err
	}
	if string(data) == "[]" {
		if _, isMap := into.(*map[string]any); isMap {
			data = []byte("{}")
		}
	}
	return json.Unmarshal(data, into)
}

// asJSON marshals a Lua value, each table by a call of Marshal of its own, as the peer's library does.
type asJSON struct{ glua.LValue }

func (j asJSON) MarshalJSON() ([]byte, error) {
	switch value := j.LValue.(type) {
	case glua.LBool:
		return json.Marshal(bool(value))
	case glua.LNumber:
		return json.Marshal(float64(value))
	case glua.LString:
		return json.Marshal(string(value))
	case *glua.LNilType:
		return []byte("null"), nil
	case *glua.LTable:
		return tableJSON(value)
	}
	return nil, fmt.Errorf("cannot encode %s", j.Type())
}

func tableJSON(t *glua.LTable) ([]byte, error) {
	key, value := t.Next(glua.LNil)
	switch key.Type() {
	case glua.LTNil:
		return []byte("[]"), nil
	case glua.LTNumber:
		list := make([]asJSON, 0, t.Len())
		for ; key != glua.LNil; key, value = t.Next(key) {
			list = append(list, asJSON{value})
		}
		return json.Marshal(list)
	default:
		object := make(map[string]asJSON)
		for ; key != glua.LNil; key, value = t.Next(key) {
			object[key.String()] = asJSON{value}
		}
		return json.Marshal(object)
	}
}
