package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/kube"
)

// library is what scripts find in their environment. It is made once for an engine, shared by all its states, and never
// changed; scripts only ever hold proxies of its tables.
type library struct {
	// globals are the functions of the base library.
	globals *lua.LTable
	// modules are the tables: string, table, math, os, kube, package.
	modules map[string]*lua.LTable
	// kube are the functions of the library kube, as they are documented.
	kube []kube.Function
	// hidden are the functions that only rewritten scripts call.
	hidden map[string]*lua.LFunction
	// viewMeta is the metatable of views.
	viewMeta *lua.LTable
}

type functions map[string]lua.LGFunction

func newLibrary(kubeFunctions []kube.Function) *library {
	lib := &library{
		globals: newModule(baseFunctions),
		modules: map[string]*lua.LTable{
			"string":  newModule(stringFunctions),
			"table":   newModule(tableFunctions),
			"math":    newModule(mathFunctions),
			"os":      newModule(osFunctions),
			"kube":    newModule(kubeTable(kubeFunctions)),
			"package": newModule(functions{"loadlib": forbidden("loadlib")}),
		},
		kube:     kubeFunctions,
		hidden:   map[string]*lua.LFunction{},
		viewMeta: newModule(viewFunctions),
	}
	lib.globals.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	addMathConstants(lib.modules["math"])
	lib.modules["package"].Metatable = newModule(functions{"__index": packageField})
	for _, name := range forbiddenNames {
		lib.globals.RawSetString(name, newFunction(forbidden(name)))
	}
	for name, function := range hiddenFunctions {
		lib.hidden[name] = newFunction(function)
	}
	return lib
}

func newModule(functions functions) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for name, function := range functions {
		t.RawSetString(name, newFunction(function))
	}
	return t
}

func newFunction(function lua.LGFunction) *lua.LFunction {
	return &lua.LFunction{IsG: true, GFunction: function}
}

// lookUp returns the function that a script gets for name, "pairs" or "string.format", in an environment in which nothing
// was changed; nil when there is none.
func (b *library) lookUp(name string) *lua.LFunction {
	table := b.globals
	if module, field, ok := strings.Cut(name, "."); ok {
		if table, name = b.modules[module], field; table == nil {
			return nil
		}
	}
	function, _ := table.RawGetString(name).(*lua.LFunction)
	return function
}

// isGlobal tells whether the library has a table that is a global variable called name.
func (b *library) isGlobal(name string) bool { return name != "kube" && b.modules[name] != nil }

// has tells whether the library has name, a function or a constant.
func (b *library) has(name string) bool {
	table := b.globals
	if module, field, ok := strings.Cut(name, "."); ok {
		table, name = b.modules[module], field
	}
	return table != nil && table.RawGetString(name) != lua.LNil
}

// forbiddenNames are the functions of the base library that scripts must not call.
var forbiddenNames = []string{
	"collectgarbage", "dofile", "getfenv", "getmetatable", "load", "loadfile", "loadstring", "rawequal", "rawget", "rawset",
	"setfenv", "setmetatable", "module", "newproxy",
}

// forbidden returns a function that raises the peer's error.
func forbidden(name string) lua.LGFunction {
	return func(l *lua.LState) int {
		l.RaiseError("call function %s is not supported in karmada customized resourceinterpreter.", name)
		return 0
	}
}

// proxies are the tables through which a state's scripts see the library. What a script writes into one stays in it,
// hides what the library has, and is thrown away after the run.
type proxies struct {
	globals    *lua.LTable // finds the proxies, and then the library's globals
	stringMeta *lua.LTable // makes ("x"):upper() find the proxy of string
	tables     []proxy
}

type proxy struct {
	name  string
	table *lua.LTable
}

// proxyNames are the library's modules.
var proxyNames = []string{"string", "table", "math", "os", "kube", "package"}

func (p *proxies) make(r *run) {
	lib := r.engine.library
	p.globals = r.l.CreateTable(0, len(proxyNames))
	p.globals.Metatable = metatable(r.l, lib.globals)
	p.stringMeta = r.l.CreateTable(0, 1)
	r.l.SetMetatable(lua.LString(""), p.stringMeta)
	r.envMeta.RawSetString("__index", p.globals)
	p.tables = make([]proxy, len(proxyNames))
	for i, name := range proxyNames {
		p.tables[i] = proxy{name: name}
		p.set(r, i)
	}
}

func metatable(l *lua.LState, index *lua.LTable) *lua.LTable {
	meta := l.CreateTable(0, 1)
	meta.RawSetString("__index", index)
	return meta
}

// set puts a new proxy into place i.
func (p *proxies) set(r *run, i int) {
	name := p.tables[i].name
	t := r.l.CreateTable(0, 0)
	t.Metatable = metatable(r.l, r.engine.library.modules[name])
	p.tables[i].table = t
	if name != "kube" { // It is found by require alone.
		p.globals.RawSetString(name, t)
	}
	if name == "string" {
		p.stringMeta.RawSetString("__index", t)
	}
}

// renew replaces the proxies that the last run wrote into.
func (p *proxies) renew(r *run) {
	for i := range p.tables {
		if key, _ := p.tables[i].table.Next(lua.LNil); key != lua.LNil {
			p.set(r, i)
		}
	}
}

// module returns the proxy called name, or nil.
func (p *proxies) module(name string) *lua.LTable {
	for i := range p.tables {
		if p.tables[i].name == name {
			return p.tables[i].table
		}
	}
	return nil
}

// module returns the library's table that t is a proxy of, or nil.
func (r *run) module(t *lua.LTable) *lua.LTable {
	for i := range r.proxies.tables {
		if r.proxies.tables[i].table == t {
			return r.engine.library.modules[r.proxies.tables[i].name]
		}
	}
	return nil
}
