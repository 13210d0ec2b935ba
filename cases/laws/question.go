package laws

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// asker asks one case's interpreter.
type asker struct {
	ctx   context.Context
	rules interpreter.Interpreter
}

// answer is what became of a question.
type answer struct {
	response *interpreter.Response
	// outputs are the parts of the answer as plain values.
	outputs []cases.Output
	err     error
	usage   interpreter.Usage
	source  interpreter.Source
}

// handled tells whether anybody answered, be it by an error.
func (a *answer) handled() bool { return !errors.Is(a.err, interpreter.ErrNotHandled) }

// ok tells whether there is an answer.
func (a *answer) ok() bool { return a.err == nil }

// object returns the object of the answer.
func (a *answer) object() map[string]any {
	if a.response == nil || a.response.Object == nil {
		return nil
	}
	return a.response.Object.Object
}

// same tells whether two answers are the same, in what they say and what they cost.
func (a *answer) same(b *answer) bool {
	return errorText(a.err) == errorText(b.err) && equal(a.outputs, b.outputs) && a.usage == b.usage
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ask asks op with a copy of in.
func (a asker) ask(op interpreter.Operation, in inputs) *answer {
	req, err := in.clone().request(op)
	if err != nil {
		return &answer{err: fmt.Errorf("%w: %w", errUnasked, err)}
	}
	return a.put(req)
}

// errUnasked is the error of a question that cannot be asked.
var errUnasked = errors.New("no question")

// put asks req.
func (a asker) put(req *interpreter.Request) *answer {
	out := a.once(req)
	for range patience {
		if !late(out.err) {
			break
		}
		out = a.once(req)
	}
	return out
}

// patience is how often a question is asked again that was over its time by wall clock: that says something about how busy
// the machine is, and nothing about the rule.
const patience = 5

func late(err error) bool {
	var budget *interpreter.BudgetError
	return errors.As(err, &budget) && budget.Budget == interpreter.BudgetTime
}

func (a asker) once(req *interpreter.Request) *answer {
	out := &answer{}
	ctx := interpreter.WithTrace(a.ctx, &interpreter.Trace{
		Answered: func(source interpreter.Source, _ error) { out.source = source },
		Spent: func(_ interpreter.Source, usage interpreter.Usage) {
			out.usage.Steps += usage.Steps
			out.usage.Bytes += usage.Bytes
		},
	})
	out.response, out.err = guarded(ctx, a.rules, req)
	if out.err != nil {
		return out
	}
	if out.response == nil {
		out.err = errors.New("a rule returned neither a response nor an error")
		return out
	}
	out.outputs, out.err = cases.Outputs(req.Operation, out.response)
	return out
}

// guarded asks, and makes an error of a panic.
func guarded(ctx context.Context, rules interpreter.Interpreter, req *interpreter.Request) (resp *interpreter.Response, err error) {
	defer func() {
		if value := recover(); value != nil {
			resp, err = nil, &cases.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return interpreter.Client{Interpreter: rules}.Do(ctx, req)
}

// cause returns what an error says without the question that it is the answer to.
func cause(err error) string {
	if asked, ok := errors.AsType[*interpreter.Error](err); ok {
		err = asked.Err
	}
	return err.Error()
}

// origin returns the "file:line" that an error is about, or what it says: errors of one origin are one defect.
func origin(err error) string {
	var problem *script.Problem
	if errors.As(err, &problem) && problem.Line > 0 {
		return problem.Source.Position(problem.Line)
	}
	return cause(err)
}
