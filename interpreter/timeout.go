package interpreter

import (
	"context"
	"sync"
	"time"
)

// Timeout returns the Middleware that cancels a rule's context after d. Time that the rule spends in Next does not
// count. The context's cause is then context.DeadlineExceeded. A rule that does not look at its context is not stopped.
func Timeout(d time.Duration) Middleware {
	return func(rule Rule) Rule {
		return func(ctx context.Context, req *Request) (*Response, error) {
			t := newTimeout(ctx, d)
			defer t.stop()
			return rule(t, req)
		}
	}
}

// timeout is a context that ends after a time that can be held still.
type timeout struct {
	context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	started time.Time
	paused  int
}

type timeoutKey struct{}

func newTimeout(parent context.Context, d time.Duration) *timeout {
	ctx, cancel := context.WithCancelCause(parent)
	t := &timeout{Context: ctx, cancel: cancel, left: d, started: time.Now()}
	t.timer = time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return t
}

func timeoutOf(ctx context.Context) *timeout {
	t, _ := ctx.Value(timeoutKey{}).(*timeout)
	return t
}

func (t *timeout) Value(key any) any {
	if key == (timeoutKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// Err returns the cause when the time is over, so that callers see a deadline and not a mere cancellation.
func (t *timeout) Err() error {
	err := t.Context.Err()
	if err != nil && context.Cause(t.Context) == context.DeadlineExceeded { //nolint:errorlint // the very value set above
		return context.DeadlineExceeded
	}
	return err
}

func (t *timeout) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paused++; t.paused > 1 {
		return
	}
	if t.timer.Stop() {
		t.left -= time.Since(t.started)
	}
}

func (t *timeout) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paused--; t.paused > 0 || t.Context.Err() != nil {
		return
	}
	t.started = time.Now()
	t.timer.Reset(max(t.left, 0))
}

func (t *timeout) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	t.cancel(context.Canceled)
}
