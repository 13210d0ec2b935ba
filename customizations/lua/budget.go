package lua

import (
	"context"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// clockInterval is after how many instructions a run looks at the clock and at its caller's context.
const clockInterval = 1024

// budget is what a run has spent. As the context of the run's Lua state, whose loop asks Done before every instruction,
// it counts them. There is no goroutine and no timer.
type budget struct {
	limits script.Limits
	now    func() time.Time
	rule   string
	caller context.Context
	// stepped is called before each instruction when it is not nil.
	stepped func()

	steps, next int64
	bytes       int64
	deadline    time.Time
	// failure is why the run is over. It stays: a script that catches the error gets it again with its next instruction.
	failure error
}

var (
	_ context.Context = (*budget)(nil)

	// ended is a channel that is closed.
	ended = func() chan struct{} {
		c := make(chan struct{})
		close(c)
		return c
	}()
)

// start begins a run.
func (b *budget) start(ctx context.Context, rule string, stepped func()) {
	b.rule, b.caller, b.stepped = rule, ctx, stepped
	b.steps, b.bytes, b.failure = 0, 0, nil
	b.deadline = b.now().Add(b.limits.Timeout)
	b.schedule()
}

// schedule sets the instruction before which check is called next.
func (b *budget) schedule() {
	switch {
	case b.failure != nil:
		b.next = 0
	case b.stepped != nil:
		b.next = b.steps + 1
	default:
		b.next = min(b.steps+clockInterval, b.limits.Steps+1)
	}
}

// Done counts an instruction. It returns nil while the run may go on.
func (b *budget) Done() <-chan struct{} {
	b.steps++
	if b.steps < b.next {
		return nil
	}
	if b.check() != nil {
		return ended
	}
	if b.stepped != nil {
		b.stepped()
	}
	return nil
}

// Err returns why the run is over.
func (b *budget) Err() error { return b.failure }

// Deadline returns when the run must be over.
func (b *budget) Deadline() (time.Time, bool) { return b.deadline, true }

// Value returns nil: what the caller's context holds is not for the Lua state.
func (b *budget) Value(any) any { return nil }

// check returns why the run is over, or nil when it may go on.
func (b *budget) check() error {
	if b.failure == nil {
		if b.steps > b.limits.Steps {
			b.fail(interpreter.BudgetSteps, fmt.Sprintf("%d instructions", b.limits.Steps))
		} else if err := b.caller.Err(); err != nil {
			b.failure = err
		} else if b.now().After(b.deadline) {
			b.fail(interpreter.BudgetTime, b.limits.Timeout.String())
		}
	}
	b.schedule()
	return b.failure
}

func (b *budget) fail(over interpreter.Budget, limit string) {
	if b.failure == nil {
		b.failure = &interpreter.BudgetError{Rule: b.rule, Budget: over, Limit: limit}
	}
	b.next = 0
}

func (b *budget) failDepth() {
	b.fail(interpreter.BudgetDepth, fmt.Sprintf("%d nested calls", b.limits.Depth))
}

// take takes n bytes from the budget. Its error ends the run.
func (b *budget) take(n int) error {
	b.bytes += int64(n)
	if b.bytes > b.limits.Memory || b.failure != nil {
		b.fail(interpreter.BudgetMemory, bytesText(b.limits.Memory))
		return b.failure
	}
	return nil
}

// charge takes n bytes that the running library function is about to allocate.
func (b *budget) charge(l *lua.LState, n int) {
	if err := b.take(n); err != nil {
		raise(l, err)
	}
}

// work takes n instructions for work that a library function does in one.
func (b *budget) work(l *lua.LState, n int) {
	b.steps += int64(n)
	if b.steps >= b.next && b.check() != nil {
		raise(l, b.failure)
	}
}

func raise(l *lua.LState, err error) { l.RaiseError("%s", err.Error()) }

func bytesText(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMi", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%dKi", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// pause lets the time that f takes not count.
func (b *budget) pause(f func()) {
	started := b.now()
	f()
	b.deadline = b.deadline.Add(b.now().Sub(started))
}

// usage returns what the run cost.
func (b *budget) usage() interpreter.Usage {
	return interpreter.Usage{Steps: min(b.steps, b.limits.Steps), Bytes: min(b.bytes, b.limits.Memory)}
}
