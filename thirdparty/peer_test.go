package thirdparty_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// peer answers by the peer's method: a pooled state, the script parsed with every call, arguments and results through JSON
// text, those of the library's functions too. It is the benchmarks' baseline.
type peer struct {
	states sync.Pool
	cel    script.Engine
}

func (p *peer) answer(ctx context.Context, src *script.Source, req *interpreter.Request) error {
	if src.Language == script.CEL {
		rule, _, err := p.cel.Compile(src)
		if err != nil {
			return err
		}
		_, err = rule(ctx, req)
		return err
	}
	l, ok := p.states.Get().(*glua.LState)
	if !ok {
		l = newState()
	}
	defer p.states.Put(l)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l.SetContext(ctx)
	if err := l.DoString(src.Text); err != nil {
		return err
	}
	info := req.Operation.Info()
	fn := l.GetGlobal(info.Function)
	l.SetGlobal(info.Function, glua.LNil)
	var args []glua.LValue
	for _, in := range info.Inputs {
		if in != interpreter.InputContext {
			args = append(args, throughJSON(l, script.EncodeInput(req, in)))
		}
	}
	if err := l.CallByParam(glua.P{Fn: fn, NRet: 2, Protect: true}, args...); err != nil {
		return err
	}
	first := plain(l.Get(-2))
	l.Pop(2)
	data, err := json.Marshal(first)
	if err != nil {
		return err
	}
	var out any
	return json.Unmarshal(data, &out)
}

func newState() *glua.LState {
	l := glua.NewState()
	module := l.NewTable()
	for _, f := range kube.Functions() {
		module.RawSetString(f.Name, l.NewFunction(func(l *glua.LState) int {
			args := make([]any, l.GetTop())
			for i := range args {
				args[i] = fromJSON(plain(l.Get(i + 1)))
			}
			checked, err := f.Check(args)
			if err == nil {
				var out any
				if out, err = f.Call(&kube.Call{Context: l.Context()}, checked); err == nil {
					l.Push(throughJSON(l, out))
					return 1
				}
			}
			l.RaiseError("%s", err.Error())
			return 0
		}))
	}
	l.SetGlobal("require", l.NewFunction(func(l *glua.LState) int {
		l.Push(module)
		return 1
	}))
	return l
}

// fromJSON returns v as decoding its JSON text gives it, whole numbers as int64.
func fromJSON(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return whole(out)
}

func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	}
	return v
}

func throughJSON(l *glua.LState, v any) glua.LValue { return toLua(l, fromJSON(v)) }

func toLua(l *glua.LState, v any) glua.LValue {
	switch v := v.(type) {
	case string:
		return glua.LString(v)
	case int64:
		return glua.LNumber(v)
	case float64:
		return glua.LNumber(v)
	case bool:
		return glua.LBool(v)
	case []any:
		t := l.CreateTable(len(v), 0)
		for _, element := range v {
			t.Append(toLua(l, element))
		}
		return t
	case map[string]any:
		t := l.CreateTable(0, len(v))
		for key, field := range v {
			t.RawSetString(key, toLua(l, field))
		}
		return t
	}
	return glua.LNil
}

func plain(v glua.LValue) any {
	switch v := v.(type) {
	case glua.LString:
		return string(v)
	case glua.LNumber:
		return float64(v)
	case glua.LBool:
		return bool(v)
	case *glua.LTable:
		if v.Len() > 0 {
			list := make([]any, 0, v.Len())
			v.ForEach(func(_, element glua.LValue) { list = append(list, plain(element)) })
			return list
		}
		object := map[string]any{}
		v.ForEach(func(key, field glua.LValue) { object[key.String()] = plain(field) })
		return object
	case *glua.LNilType:
		return nil
	}
	panic(errors.New("want a value that JSON has"))
}
