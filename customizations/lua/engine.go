package lua

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Engine compiles and runs Lua scripts. It is safe for concurrent use.
type Engine struct {
	limits  script.Limits
	library *library
	states  pool
	// now is the clock that runs are timed by.
	now func() time.Time
	// plain leaves out the rewriting of scripts; tests compare with it.
	plain bool
}

var _ script.Engine = (*Engine)(nil)

// limitTables makes t[20000000] = 1 cost what a map entry costs and not 1.5 GB. gopher-lua reads this variable of its own
// whenever a table grows, so it is set once, before the first state is made.
var limitTables = sync.OnceFunc(func() { lua.MaxArrayIndex = maxList })

// New returns an engine whose runs may spend what limits says; zero limits mean the defaults. Scripts find functions in
// the library kube, beside next, emptyObject and emptyList. The engine keeps functions.
//
// The first call sets lua.MaxArrayIndex, for the whole process.
func New(limits script.Limits, functions []kube.Function) *Engine {
	limitTables()
	e := &Engine{limits: limits.WithDefaults(), library: newLibrary(functions), now: time.Now}
	e.states.there = new(atomic.Int64)
	return e
}

// Compile returns the rule of src and warnings about it; see script.Engine.
func (e *Engine) Compile(src *script.Source) (interpreter.Rule, script.Problems, error) {
	p, warnings, err := e.Load(src)
	if err != nil {
		return nil, warnings, err
	}
	return p.Rule(), warnings, nil
}

// Load is Compile for those who want to know more about the script than its rule.
func (e *Engine) Load(src *script.Source) (*Program, script.Problems, error) {
	if src.Operation.Info() == nil {
		return nil, nil, fmt.Errorf("%s: unknown operation %q", src.Customization, src.Operation)
	}
	p, warnings, problem := compile(e, src)
	if problem != nil {
		return nil, nil, script.Problems{problem}
	}
	if problem := p.tryLoad(); problem != nil {
		return nil, warnings, script.Problems{problem}
	}
	return p, warnings, nil
}

// Program is a compiled script. It is immutable and safe for concurrent use.
type Program struct {
	engine *Engine
	src    *script.Source
	name   string
	info   *interpreter.OperationInfo
	proto  *lua.FunctionProto
	// defined holds the places where the script defines global functions, locals those of its local ones.
	defined, locals map[string]token
	// longest is the most elements that a table constructor of the script has.
	longest int
	// usesGlobalTable tells that the script mentions _G.
	usesGlobalTable bool
}

// Rule returns the rule that runs the program.
func (p *Program) Rule() interpreter.Rule { return p.answer }

func (p *Program) answer(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	var resp *interpreter.Response
	err := p.run(ctx, req, func(r *run) (err error) {
		resp, err = r.answer()
		return err
	})
	if trace := interpreter.TraceOf(ctx); trace != nil && trace.Answered != nil {
		trace.Answered(p.src.Source(), err)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// run calls do with a state that is ready for a run of p. A state in which anything went wrong is not used again.
func (p *Program) run(ctx context.Context, req *interpreter.Request, do func(*run) error) (err error) {
	if err := ctx.Err(); err != nil {
		return p.at(0, err)
	}
	r := p.engine.states.get(p.engine)
	r.begin(ctx, p, req)
	done := false
	defer func() {
		if !done {
			err = r.recovered(recover())
		}
		p.engine.states.put(r, r.end(err != nil))
	}()
	err = do(r)
	done = true
	return err
}

// tryLoad runs the script itself, and tells what is wrong with it.
func (p *Program) tryLoad() *script.Problem {
	var missing *script.Problem
	err := p.run(context.Background(), nil, func(r *run) error {
		if err := r.load(); err != nil {
			return err
		}
		if _, ok := r.function(); !ok {
			missing = r.missing()
		}
		return nil
	})
	if err != nil {
		return asProblem(p.src, err)
	}
	return missing
}

// Lines returns the lines of the script that hold instructions, sorted: those that a complete set of cases would run.
func (p *Program) Lines() []int {
	lines := map[int]bool{}
	collectLines(p.proto, lines)
	return slices.Sorted(maps.Keys(lines))
}

// recovered returns the error of a run that panicked: a library function that raised an error outside of a call, or a
// defect of the Lua machine.
func (r *run) recovered(panicked any) error {
	if raised, ok := panicked.(*lua.ApiError); ok {
		return r.problem(r.failure, raised)
	}
	return r.program.at(0, fmt.Errorf("the Lua machine failed: %v", panicked))
}
