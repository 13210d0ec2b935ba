package lua

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// pool keeps the states of ended runs for other runs, as long as the garbage collector lets it, and counts them.
type pool struct {
	states sync.Pool
	inUse  atomic.Int64
	// there is how many states there are. It is on its own because the garbage collector counts down in it, which must not
	// keep the pool.
	there              *atomic.Int64
	created, discarded atomic.Int64
}

// get returns a state that no run uses.
func (p *pool) get(e *Engine) *run {
	p.inUse.Add(1)
	if r, ok := p.states.Get().(*run); ok {
		return r
	}
	r := newRun(e)
	p.created.Add(1)
	p.there.Add(1)
	r.cleanup = runtime.AddCleanup(r, func(there *atomic.Int64) { there.Add(-1) }, p.there)
	return r
}

// put takes back a state. One that is not reusable is thrown away.
func (p *pool) put(r *run, reusable bool) {
	p.inUse.Add(-1)
	if reusable {
		p.states.Put(r)
		return
	}
	r.cleanup.Stop()
	p.there.Add(-1)
	p.discarded.Add(1)
}

// Pool returns how many Lua states there are.
func (e *Engine) Pool() script.Pool {
	p := &e.states
	inUse := p.inUse.Load()
	return script.Pool{
		InUse: inUse, Idle: max(p.there.Load()-inUse, 0), Created: p.created.Load(), Discarded: p.discarded.Load(),
	}
}

var _ script.Pooled = (*Engine)(nil)
