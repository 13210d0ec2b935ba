package cel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// run is one evaluation of a program: the variables that it sees, and what it may still spend.
type run struct {
	program *Program
	ctx     context.Context
	req     *interpreter.Request

	steps, bytes int64 // left
	glance       int64 // steps until the next look at the clock
	deadline     time.Time

	call           kube.Call // of the library's functions
	calls          int       // how many of them were called
	arguments      []any     // of the calls that are being made
	items, context any
	next           any
	asked          bool // next was asked

	slots  []slot        // of what cel.bind binds
	values []outcome     // of the parts of a literal
	fields script.Fields // of the maps of a literal

	at  int64 // the loop or the call that is being charged for
	err error // why the run was aborted
}

var _ celinterpreter.Activation = (*run)(nil)

// aborted is what an aborted run panics with; run.err says why.
type aborted struct{}

// glanceEvery is how many steps a run takes without looking at the clock.
const glanceEvery = 2000

func (p *Program) newRun(ctx context.Context, req *interpreter.Request) *run {
	r, ok := p.runs.Get().(*run)
	if !ok {
		r = &run{program: p}
	}
	r.ctx, r.req, r.steps, r.bytes, r.glance = ctx, req, p.limits.Steps, p.limits.Memory, glanceEvery
	return r
}

// release lets another run have the memory of one that was not aborted.
func (p *Program) release(r *run) {
	clear(r.slots)
	clear(r.values)
	clear(r.fields)
	*r = run{program: p, slots: r.slots, values: r.values, fields: r.fields, arguments: r.arguments}
	p.runs.Put(r)
}

// ResolveName returns the value of a variable.
func (r *run) ResolveName(name string) (any, bool) {
	switch name {
	case string(interpreter.InputObject):
		return r.req.Object.Object, true
	case string(interpreter.InputObserved):
		return r.req.ObservedObject.Object, true
	case string(interpreter.InputReplicas):
		return int64(r.req.DesiredReplicas), true
	case string(interpreter.InputItems):
		if r.items == nil {
			r.items = script.EncodeInput(r.req, interpreter.InputItems)
		}
		return r.items, true
	case string(interpreter.InputContext):
		if r.context == nil {
			r.context = script.EncodeInput(r.req, interpreter.InputContext)
		}
		return r.context, true
	case nextVariable:
		return r.askNext(), true
	}
	return nil, false
}

// Parent returns nil: all variables are here.
func (r *run) Parent() celinterpreter.Activation { return nil }

// askNext returns what the rest of the chain answers, nil when nobody does. The time it takes is not the run's.
func (r *run) askNext() any {
	if r.asked {
		return r.next
	}
	r.asked, r.at = true, 0
	start := time.Now()
	resp, err := interpreter.Next(r.ctx, r.req)
	if !r.deadline.IsZero() {
		r.deadline = r.deadline.Add(time.Since(start))
	}
	switch {
	case errors.Is(err, interpreter.ErrNotHandled):
		return nil
	case err != nil:
		r.abort(fmt.Errorf("next: %w", err))
	}
	if r.next, err = script.Encode(r.req.Operation, resp); err != nil {
		r.abort(fmt.Errorf("next: %w", err))
	}
	return r.next
}

// runOf returns the run that an expression is evaluated by; nil while it is compiled.
func runOf(vars celinterpreter.Activation) *run {
	for {
		switch v := vars.(type) {
		case *run:
			return v
		case *celinterpreter.ExecutionFrame:
			vars = v.Activation
		case interface {
			Unwrap() celinterpreter.Activation
		}:
			vars = v.Unwrap()
		default:
			return nil
		}
	}
}

// abort ends the run with err. It does not return.
func (r *run) abort(err error) {
	r.err = err
	panic(aborted{})
}

// charge takes steps and bytes from the budgets, and ends the run when one of them is used up.
func (r *run) charge(steps, bytes int64) {
	if steps > r.steps || bytes > r.bytes {
		r.abort(r.overBudget(steps, bytes))
	}
	r.steps -= steps
	r.bytes -= bytes
	if r.glance -= steps; r.glance < 0 {
		r.glance = glanceEvery
		r.look()
	}
}

// chargeBytes is charge for those who can return an error.
func (r *run) chargeBytes(n int) error {
	if n < 0 || int64(n) > r.bytes {
		r.err = r.overBudget(0, math.MaxInt64)
		return r.err
	}
	r.bytes -= int64(n)
	return nil
}

// overBudget returns the error of a run that cannot pay for steps and bytes; what it could not pay is used up.
func (r *run) overBudget(steps, bytes int64) error {
	limits := r.program.limits
	if steps > r.steps {
		r.steps, r.bytes = 0, max(r.bytes-bytes, 0)
		return r.budgetError(interpreter.BudgetSteps, fmt.Sprintf("%d cost units", limits.Steps))
	}
	r.steps, r.bytes = r.steps-steps, 0
	return r.budgetError(interpreter.BudgetMemory, size(limits.Memory))
}

func (r *run) budgetError(budget interpreter.Budget, limit string) error {
	return &interpreter.BudgetError{Rule: r.program.source.Name(), Budget: budget, Limit: limit}
}

// look ends the run when its time is over or its caller has gone.
func (r *run) look() {
	if r.ctx.Err() != nil {
		r.abort(context.Cause(r.ctx))
	}
	now := time.Now()
	if r.deadline.IsZero() {
		r.deadline = now.Add(r.program.limits.Timeout)
		return
	}
	if now.After(r.deadline) {
		r.abort(r.budgetError(interpreter.BudgetTime, r.program.limits.Timeout.String()))
	}
}

// usage returns what the run has cost.
func (r *run) usage() interpreter.Usage {
	limits := r.program.limits
	return interpreter.Usage{Steps: limits.Steps - r.steps, Bytes: limits.Memory - r.bytes}
}

func size(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMi", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%dKi", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
