package interpreter

import (
	"context"
	"time"
)

// Trace is told what happens while a question is answered. A nil function is not called. The functions are called from
// the goroutine that asks, before the answer is returned; they must not keep values that they are given unless it says so.
type Trace struct {
	// Answered is called by the rule that answers, when it has its answer or its error (not ErrNotHandled).
	Answered func(Source, error)
	// Printed is called with what a script prints, one call for each print, without a newline at the end.
	Printed func(Source, string)
	// Spent is called at the end of each script run with what it cost.
	Spent func(Source, Usage)
	// Step is called for each executed line and decided condition (Lua) or evaluated node (CEL). Asking for steps makes a
	// run slower and changes neither its answer nor its Usage.
	Step func(Step)
	// Read is called for each field of the inputs that a script reads, once for each time, with its path such as
	// object.spec.replicas; [] stands for any element of a list. What a library function reads of a value that it is given
	// is not told apart. Asking for reads costs what asking for steps does.
	Read func(Source, string)
}

// Usage is what a run of a rule cost. It is the same on every machine.
type Usage struct {
	// Steps is the instructions of the Lua machine, or the cost units of CEL.
	Steps int64
	// Bytes is the memory that the run allocated, as its budget counts it.
	Bytes int64
}

// Step is one step of a script.
type Step struct {
	// Source is the rule that is running.
	Source Source
	// Line and Column are the place in the script, from 1; Column is 0 where the language does not tell it.
	Line, Column int
	// Node identifies the evaluated node (CEL) or the decided condition (Lua); 0 for a line.
	Node int64
	// Parent is the Node around this one; 0 for the outermost, and for a line or condition.
	Parent int64
	// Text is the source text of the node (CEL) or of the line, or how the condition came out (Lua).
	Text string
	// Values returns the local variables in scope (Lua), or the value of the node or condition under the name "", as plain
	// Go values. It is valid only during the call.
	Values func() map[string]any
}

type traceKey struct{}

// WithTrace returns a context in which rules tell t what they do. A context has one Trace; the inner one wins.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the Trace of ctx, or nil.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

type clockKey struct{}

// Clock is the time and the randomness that rules see.
type Clock struct {
	// Now returns the current time. Nil means time.Now.
	Now func() time.Time
	// Seed makes the numbers that scripts draw at random; the same seed gives the same numbers.
	Seed int64
}

// WithClock returns a context in which rules see c instead of the real time, so that what they do can be repeated.
func WithClock(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, c)
}

// ClockOf returns the Clock of ctx. Its Now is never nil.
func ClockOf(ctx context.Context) Clock {
	c, _ := ctx.Value(clockKey{}).(Clock)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
