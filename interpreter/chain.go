package interpreter

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Rule answers one operation for one kind.
//
// It must not modify its request, and its response must not share memory with it. It returns ErrNotHandled, perhaps
// wrapped, when it finds that the question is not its to answer; any other error is final. On error the response is
// nil. A Rule is safe for concurrent use.
type Rule func(context.Context, *Request) (*Response, error)

// An Interpreter knows rules. It is safe for concurrent use.
type Interpreter interface {
	// Lookup returns a rule for op on objects of kind gvk, or nil if it surely has none. It may be generous: a rule that
	// finds it does not apply to an object answers ErrNotHandled.
	Lookup(gvk schema.GroupVersionKind, op Operation) Rule
}

// Func is a Lookup that is an Interpreter.
type Func func(schema.GroupVersionKind, Operation) Rule

// Lookup calls f.
func (f Func) Lookup(gvk schema.GroupVersionKind, op Operation) Rule { return f(gvk, op) }

// A Chain asks each Interpreter in turn. The first that has a rule decides; any error but ErrNotHandled is final. A
// Chain is itself an Interpreter. Its elements must not be nil.
type Chain []Interpreter

var (
	_ Interpreter = Func(nil)
	_ Interpreter = Chain(nil)
	_ Explainer   = Chain(nil)
)

// Lookup returns a rule that asks the rules of the chain's elements in turn, or nil when none has any.
func (c Chain) Lookup(gvk schema.GroupVersionKind, op Operation) Rule {
	var first Rule
	var rules []Rule
	for _, link := range c {
		rule := link.Lookup(gvk, op)
		switch {
		case rule == nil:
		case first == nil:
			first = rule
		default:
			if rules == nil {
				rules = append(make([]Rule, 0, len(c)), first)
			}
			rules = append(rules, rule)
		}
	}
	if rules == nil {
		return first
	}
	return First(rules...)
}

// First returns the rule that asks each of rules in turn until one does not answer ErrNotHandled. While one of them
// runs, Next asks those after it, and then what comes after the whole. First keeps rules; it returns nil for none.
func First(rules ...Rule) Rule {
	switch len(rules) {
	case 0:
		return nil
	case 1:
		return rules[0]
	}
	return sequence(rules).answer
}

// sequence is rules of which the first that handles a question answers it.
type sequence []Rule

func (s sequence) answer(ctx context.Context, req *Request) (*Response, error) {
	for i, rule := range s {
		inner := ctx
		if rest := s[i+1:]; len(rest) > 0 {
			inner = &nextContext{Context: ctx, rest: rest}
		}
		resp, err := rule(inner, req)
		if err == nil || !errors.Is(err, ErrNotHandled) {
			return resp, err
		}
	}
	return nil, ErrNotHandled
}

// nextContext is the context of a rule that others stand behind.
type nextContext struct {
	context.Context // of the whole sequence
	rest            sequence
}

type nextKey struct{}

func (c *nextContext) Value(key any) any {
	if key == (nextKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Next asks the candidate after the running rule: the next matching customization, then the next link of the chain.
// ctx is the context that the rule was called with, or one made from it; req is the rule's request or a changed copy.
// It returns ErrNotHandled when nobody answers.
//
// What the next rule spends is not charged to the asker: it runs under the asker's caller's context, and the asker's
// Timeout stands still meanwhile.
func Next(ctx context.Context, req *Request) (*Response, error) {
	c, ok := ctx.Value(nextKey{}).(*nextContext)
	if !ok {
		return nil, ErrNotHandled
	}
	if t := timeoutOf(ctx); t != nil && t != timeoutOf(c.Context) {
		t.pause()
		defer t.resume()
	}
	resp, err := c.rest.answer(c.Context, req)
	if err != nil && errors.Is(err, ErrNotHandled) {
		return Next(c.Context, req)
	}
	return resp, err
}
