package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// slotSize is what an element of a table's array takes, with what Go throws away while the array grows.
const slotSize = 5 * valueSize

// maxN returns the last index of t that is not nil. gopher-lua finds it from the end of the array, past every nil that
// stands there; nobody can tell how many these are, but they are no more than the longest array of the run has elements.
func (r *run) maxN(t *lua.LTable) int {
	n := t.MaxN()
	r.skipped(r.longest - n)
	return n
}

// length returns #t.
func (r *run) tableLength(t *lua.LTable) int {
	n := t.Len()
	r.skipped(r.longest - n)
	return n
}

// skipped takes the work of walking past n elements.
func (r *run) skipped(n int) {
	if n >= lengthPerStep {
		r.work(r.l, n/lengthPerStep)
	}
}

// grow takes what t needs to have an element at i.
func (r *run) grow(t *lua.LTable, i int) {
	if i < 1 || i >= maxList {
		r.charge(r.l, entrySize)
		r.entries++
		return
	}
	if gap := i - r.maxN(t); gap > 0 {
		r.charge(r.l, slotSize*gap)
	}
	r.longest = max(r.longest, i)
}

// arrayIndex returns the index of an array that f is, or 0.
func arrayIndex(f float64) int {
	if i := int(f); f >= 1 && f < maxList && float64(i) == f {
		return i
	}
	return 0
}

// limitList raises an error when a list would have n elements and that is too many.
func (r *run) limitList(n int) {
	if n >= maxList {
		r.l.RaiseError("a list of %d elements: want fewer than %d", n, maxList)
	}
}

// text is a string in the making, which takes its memory from the budget.
type text struct {
	run *run
	b   strings.Builder
}

func (t *text) write(s string) {
	if free := t.b.Cap() - t.b.Len(); free < len(s) {
		t.run.charge(t.run.l, 2*t.b.Cap()+len(s))
		t.b.Grow(len(s))
	}
	t.b.WriteString(s)
}

func (t *text) String() string { return t.b.String() }
