package lua

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// run is a Lua state and the run that goes on in it. States are used again for other runs; nothing of a run is left in
// them: globals are in the run's own environment, and whatever a script writes into a library table lands in the proxy
// that it sees, which is then thrown away.
type run struct {
	budget

	engine  *Engine
	cleanup runtime.Cleanup // of the pool's count
	l       *lua.LState
	envMeta *lua.LTable // the metatable of environments: it finds the library
	proxies proxies

	program *Program
	req     *interpreter.Request // nil while the script is loaded
	trace   *interpreter.Trace
	reads   *reads // nil when nobody wants to know them
	env     *lua.LTable
	globals int // how many names env has seen, counted again with each run
	views   views
	entries int // how many entries that are no array's the script has assigned
	longest int // the highest index of an array that the run has used
	random  *rand.Rand
	inputs  []lua.LValue // the arguments of the script's function
	loaded  *lua.LTable  // package.loaded, once the script looked at it
	preload *lua.LTable  // package.preload, likewise

	// cause is the Go error behind the last error that a library function raised, and raised what the script's own
	// error function was last called with.
	cause  error
	raised string
	// caught tells that the script caught an error.
	caught bool
}

// registrySize and maxRegistry bound the values that the calls of a run hold: each call needs at most 250.
const (
	registrySize = 512
	maxRegistry  = 16 << 10
)

func newRun(e *Engine) *run {
	r := &run{engine: e}
	r.limits, r.now = e.limits, e.now
	r.l = lua.NewState(lua.Options{
		CallStackSize: e.limits.Depth, RegistrySize: registrySize, RegistryMaxSize: maxRegistry, RegistryGrowStep: registrySize,
		SkipOpenLibs: true,
	})
	r.l.SetContext(r)
	r.envMeta = r.l.CreateTable(0, 1)
	r.proxies.make(r)
	return r
}

// runOf returns the run that goes on in l.
func runOf(l *lua.LState) *run { return l.Context().(*run) }

// begin prepares the state for a run of p.
func (r *run) begin(ctx context.Context, p *Program, req *interpreter.Request) {
	r.program, r.req, r.trace = p, req, interpreter.TraceOf(ctx)
	r.random, r.cause, r.raised, r.caught = nil, nil, "", false
	r.inputs, r.loaded, r.preload = nil, nil, nil
	r.longest, r.entries = p.longest, 0
	var stepped func()
	r.reads = nil
	if r.trace != nil && req != nil {
		if r.trace.Step != nil {
			stepped = r.newStepper()
		}
		if r.trace.Read != nil {
			r.reads = newReads(r)
		}
	}
	r.start(ctx, p.name, stepped)
	if r.env == nil {
		r.env = r.l.CreateTable(0, 8)
		r.env.Metatable = r.envMeta
	}
	if p.usesGlobalTable {
		r.env.RawSetString("_G", r.env)
	}
}

// end reports what the run cost, and tells whether the state can be used again.
func (r *run) end(failed bool) (reusable bool) {
	if r.trace != nil && r.trace.Spent != nil {
		r.trace.Spent(r.program.src.Source(), r.usage())
	}
	reusable = !failed && !r.caught && r.failure == nil
	if reusable {
		r.l.SetTop(0)
		r.proxies.renew(r)
		r.clearEnv()
		r.views.reset()
	}
	r.program, r.req, r.trace, r.caller, r.stepped = nil, nil, nil, nil, nil
	r.inputs, r.loaded, r.preload = nil, nil, nil
	return reusable
}

// maxGlobals is how many names of globals an environment may have seen.
const maxGlobals = 64

// clearEnv makes the environment empty again. A table remembers names that were taken out, in their order: one that a
// script could walk over, or that has seen many, is thrown away.
func (r *run) clearEnv() {
	n := 0
	for key, _ := r.env.Next(lua.LNil); key != lua.LNil; key, _ = r.env.Next(key) {
		if _, isName := key.(lua.LString); !isName || n == maxGlobals {
			r.env = nil
			return
		}
		n++
	}
	r.globals += n
	if r.program.usesGlobalTable || r.globals > maxGlobals {
		r.env, r.globals = nil, 0
		return
	}
	for key, _ := r.env.Next(lua.LNil); key != lua.LNil; key, _ = r.env.Next(key) {
		r.env.RawSet(key, lua.LNil)
	}
}

// call calls fn, which returns at most results values, and leaves them on the stack.
func (r *run) call(fn *lua.LFunction, results int, args ...lua.LValue) error {
	err := r.l.CallByParam(lua.P{Fn: fn, NRet: results, Protect: true}, args...)
	if r.failure != nil {
		return r.problem(r.failure, err)
	}
	if err != nil {
		return r.problem(nil, err)
	}
	return nil
}

// load runs the script itself, which defines its function.
func (r *run) load() error {
	fn := r.l.NewFunctionFromProto(r.program.proto)
	fn.Env = r.env
	return r.call(fn, 0)
}

// function returns the function that answers the program's operation, after load.
func (r *run) function() (*lua.LFunction, bool) {
	fn, ok := r.env.RawGetString(r.program.info.Function).(*lua.LFunction)
	return fn, ok
}

// lineOfFunction returns the line on which fn begins, 0 for one of the library.
func lineOfFunction(fn *lua.LFunction) int {
	if fn.IsG {
		return 0
	}
	return fn.Proto.LineDefined
}

// answer runs the program for the request.
func (r *run) answer() (*interpreter.Response, error) {
	if err := r.load(); err != nil {
		return nil, err
	}
	fn, ok := r.function()
	if !ok {
		return nil, r.program.at(0, errors.New("function "+r.program.info.Function+" is not defined"))
	}
	inputs := r.program.info.Inputs
	r.inputs = make([]lua.LValue, len(inputs))
	for i, in := range inputs {
		r.inputs[i] = r.input(in)
		r.reads.name(r.inputs[i], in)
	}
	if err := r.call(fn, maxResults, r.inputs...); err != nil {
		return nil, err
	}
	resp, err := r.decode()
	if err != nil {
		return nil, r.program.at(lineOfFunction(fn), err)
	}
	return resp, nil
}
