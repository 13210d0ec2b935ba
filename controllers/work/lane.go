package work

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

const (
	// Workers is how many Works Reconcile may carry at once. It is several times what a member takes, so that a few members
	// which answer late, or not at all, do not keep the Works of others waiting.
	Workers = 4 * laneWidth
	// laneWidth is how many Works of one member are carried at once.
	laneWidth = 16
)

// lanes bound how many Works of one member are carried at once. The zero value has room for all.
type lanes struct {
	mu sync.Mutex
	of map[string]*lane // by member
}

type lane struct {
	busy int
	// waiting are the Works that found no room, in order; known has each of them, since none waits twice.
	waiting []Key
	known   sets.Set[Key]
}

// enter tells whether there is room for one more Work of the member. If there is none, key waits until leave returns it.
func (l *lanes) enter(member string, key Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]*lane{}
	}
	at := l.of[member]
	if at == nil {
		at = &lane{known: sets.New[Key]()}
		l.of[member] = at
	}
	if at.busy < laneWidth {
		at.busy++
		return true
	}
	if !at.known.Has(key) {
		at.known.Insert(key)
		at.waiting = append(at.waiting, key)
	}
	return false
}

// leave gives back the room that enter found, and returns the Work that has waited longest for it, if any has. Whoever
// gets it has to see to it that it enters.
func (l *lanes) leave(member string) (next Key, waited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.of[member]
	at.busy--
	if len(at.waiting) > 0 {
		next, waited = at.waiting[0], true
		at.waiting = at.waiting[1:]
		at.known.Delete(next)
	} else if at.busy == 0 {
		delete(l.of, member)
	}
	return next, waited
}
