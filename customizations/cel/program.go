package cel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct {
	source    *script.Source
	info      *interpreter.OperationInfo
	limits    script.Limits
	library   *library
	explained interpreter.Source
	plan      node
	builder   *builder // nil when the expression is no literal
	block     block
	// syntax analyzes the source again, when an error or a trace wants to know places: few programs ever need them.
	syntax func() (*syntax, error)
	// runs are those that are over and whose memory can be used again.
	runs sync.Pool
	// steps is what there is to tell a trace about each node; made when a trace wants to know.
	steps func() map[int64]stepOf
}

var _ interpreter.Rule = (*Program)(nil).Answer

// Answer is the program's rule. An error is a *script.Problem with the place in the expression; the cause of one that
// went over a budget is an *interpreter.BudgetError, that of one that was interrupted the cause of ctx.
func (p *Program) Answer(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	trace := interpreter.TraceOf(ctx)
	if ctx.Err() != nil {
		return nil, p.fail(trace, p.problem(0, "interrupted", context.Cause(ctx)))
	}
	plan, builder := p.plan, p.builder
	if trace != nil && (trace.Step != nil || trace.Read != nil) {
		var err error
		if plan, err = p.observed(trace); err != nil {
			return nil, p.fail(trace, err)
		}
		builder = nil // it would not be seen
	}
	r := p.newRun(ctx, req)
	resp, err := r.answer(plan, builder)
	if trace != nil && trace.Spent != nil {
		trace.Spent(p.explained, r.usage())
	}
	if err != nil {
		return nil, p.fail(trace, err)
	}
	p.release(r)
	if trace != nil && trace.Answered != nil {
		trace.Answered(p.explained, nil)
	}
	return resp, nil
}

func (p *Program) fail(trace *interpreter.Trace, err error) error {
	if trace != nil && trace.Answered != nil && !errors.Is(err, interpreter.ErrNotHandled) {
		trace.Answered(p.explained, err)
	}
	return err
}

func (r *run) answer(plan node, b *builder) (resp *interpreter.Response, err error) {
	defer func() {
		switch recovered := recover(); {
		case r.err != nil:
			resp, err = nil, r.aborted()
		case recovered != nil:
			resp, err = nil, r.program.problem(0, fmt.Sprintf("the expression cannot be evaluated: %v", recovered), nil)
		}
	}()
	r.charge(r.program.block.steps, r.program.block.bytes)
	result, failed, err := r.result(plan, b)
	if failed != nil {
		return nil, r.program.evaluationProblem(failed, r)
	}
	root := ""
	switch wanted := r.program.info.Result; {
	case err != nil:
		return nil, r.program.wrongResult(root, err)
	case wanted == interpreter.ResultObject:
		if result, err = r.apply(r.req.Object.Object, result); err != nil {
			return nil, r.program.wrongResult("patch", err)
		}
		root = string(wanted)
	case wanted != interpreter.ResultReplicas:
		root = string(wanted)
	}
	if resp, err = script.Decode(r.req, result); err != nil {
		return nil, r.program.wrongResult(root, err)
	}
	return resp, nil
}

// result returns the value of the expression as a plain one, or the error that is its value, or why the value cannot be
// a plain one.
func (r *run) result(plan node, b *builder) (result any, failed *types.Err, err error) {
	frame, err := celinterpreter.NewExecutionFrame(r)
	if err != nil {
		return nil, nil, err
	}
	// After a panic the frame is left to the garbage collector: others may still refer to it.
	if b != nil {
		result, failed, err = b.build(r, frame)
		frame.Close()
		return result, failed, err
	}
	value := execute(plan, frame)
	frame.Close()
	if failed, ok := value.(*types.Err); ok {
		return nil, failed, nil
	}
	result, err = r.plain(value)
	return result, nil, err
}

func execute(plan node, f *frame) ref.Val {
	if observed, ok := plan.(*celinterpreter.ObservableInterpretable); ok {
		return observed.ObserveExec(f, func(any) {})
	}
	return plan.Exec(f)
}

// aborted returns the error of a run that was aborted.
func (r *run) aborted() error {
	var budget *interpreter.BudgetError
	switch {
	case errors.As(r.err, &budget):
		return r.program.problem(r.at, fmt.Sprintf("over its %s budget of %s", budget.Budget, budget.Limit), r.err)
	case r.ctx.Err() != nil && errors.Is(r.err, context.Cause(r.ctx)):
		return r.program.problem(r.at, "interrupted: "+r.err.Error(), r.err)
	default:
		return r.program.problem(r.at, r.err.Error(), r.err)
	}
}
