package webhook

import (
	"fmt"
	"sync"
	"time"
)

const (
	// breakerThreshold is how many calls in a row have to fail before an endpoint is left alone.
	breakerThreshold = 5
	// breakerPause is for how long it is left alone before one call tries again.
	breakerPause = 10 * time.Second
)

// A breaker keeps calls away from an endpoint that does not answer, so that callers learn at once what waiting would
// only tell them later. After breakerThreshold failed calls in a row it is open. When breakerPause has passed it lets
// one call through: its success closes the breaker, its failure opens it for as long again.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // zero while closed
	probing  bool
	last     error
}

// outcome is what a call tells about its endpoint.
type outcome int

const (
	answered outcome = iota
	failed
	abandoned // by the caller, before anything could be told
)

// enter returns the function to tell the call's outcome to, or an error when the breaker is open.
func (b *breaker) enter() (func(outcome, error), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return b.leave, nil
	}
	if wait := time.Until(b.until); wait > 0 || b.probing {
		return nil, &openError{failures: b.failures, wait: max(wait, 0), last: b.last}
	}
	b.probing = true
	return b.probed, nil
}

func (b *breaker) probed(o outcome, err error) {
	b.mu.Lock()
	b.probing = false
	b.mu.Unlock()
	b.leave(o, err)
}

func (b *breaker) leave(o outcome, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch o {
	case answered:
		b.failures, b.until, b.last = 0, time.Time{}, nil
	case failed:
		b.last = err
		if b.failures++; b.failures >= breakerThreshold {
			b.until = time.Now().Add(breakerPause)
		}
	case abandoned:
	}
}

// openError is the error of a call that an open breaker did not let through.
type openError struct {
	failures int
	wait     time.Duration
	last     error
}

func (e *openError) Error() string {
	return fmt.Sprintf("not asked: the last %d calls failed, the next try is in %s; the last error: %s",
		e.failures, e.wait.Round(time.Millisecond), e.last)
}

func (e *openError) Unwrap() error { return e.last }
