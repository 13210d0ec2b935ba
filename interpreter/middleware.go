package interpreter

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Middleware makes a rule from a rule.
type Middleware func(Rule) Rule

// Wrap returns i with every rule passed through the middleware; the first is outermost. The result explains itself as i
// does.
func Wrap(i Interpreter, middleware ...Middleware) Interpreter {
	return wrapped{Interpreter: i, middleware: middleware}
}

type wrapped struct {
	Interpreter
	middleware []Middleware
}

func (w wrapped) Lookup(gvk schema.GroupVersionKind, op Operation) Rule {
	rule := w.Interpreter.Lookup(gvk, op)
	if rule == nil {
		return nil
	}
	for _, m := range slices.Backward(w.middleware) {
		rule = m(rule)
	}
	return rule
}

func (w wrapped) Explain(gvk schema.GroupVersionKind, op Operation) []Source {
	return Explain(w.Interpreter, gvk, op)
}

// Validated is the Middleware that turns a response that breaks its operation's contract (Validate) into an error.
func Validated(rule Rule) Rule {
	return func(ctx context.Context, req *Request) (*Response, error) {
		resp, err := rule(ctx, req)
		if err != nil {
			return nil, err
		}
		if err := Validate(req, resp); err != nil {
			return nil, err
		}
		return resp, nil
	}
}

// Observation is one answered question, for metrics and logs.
type Observation struct {
	// Request is the question. It must not be modified.
	Request *Request
	// Duration is how long the answer took; what Next spent is part of it.
	Duration time.Duration
	// Err is the error of the answer, or nil. Declined questions (ErrNotHandled) are observed too.
	Err error
}

// Handled tells whether the rule answered, well or with an error.
func (o Observation) Handled() bool { return !errors.Is(o.Err, ErrNotHandled) }

// Observed returns the Middleware that calls observe after each answer. observe must be safe for concurrent use.
func Observed(observe func(context.Context, Observation)) Middleware {
	return func(rule Rule) Rule {
		return func(ctx context.Context, req *Request) (*Response, error) {
			start := time.Now()
			resp, err := rule(ctx, req)
			observe(ctx, Observation{Request: req, Duration: time.Since(start), Err: err})
			return resp, err
		}
	}
}
