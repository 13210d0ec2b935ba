package queue

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Low is the priority of what nobody waits for: a relist, a change of a cluster that touches every object.
const Low = handler.LowPriority

// A Queue is the work queue of a controller, for others to add to. Its zero value is ready to use; what is added before
// the controller runs is kept. It is safe for concurrent use, and must not be copied.
type Queue[K comparable] struct {
	mu      sync.Mutex
	queue   workqueue.TypedRateLimitingInterface[K]
	pending map[K]int // with priority
}

// Source returns what the controller has to watch, once.
func (q *Queue[K]) Source() source.TypedSource[K] {
	return source.TypedFunc[K](func(_ context.Context, queue workqueue.TypedRateLimitingInterface[K]) error {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.queue = queue
		for key, priority := range q.pending {
			add(queue, key, priority, 0)
		}
		q.pending = nil
		return nil
	})
}

// Add asks for keys to be reconciled soon.
func (q *Queue[K]) Add(keys ...K) { q.add(0, 0, keys) }

// AddLow asks for keys to be reconciled when nothing else waits.
func (q *Queue[K]) AddLow(keys ...K) { q.add(Low, 0, keys) }

// AddAfter asks for a key to be reconciled after d.
func (q *Queue[K]) AddAfter(key K, d time.Duration) { q.add(0, d, []K{key}) }

func (q *Queue[K]) add(priority int, after time.Duration, keys []K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range keys {
		if q.queue != nil {
			add(q.queue, key, priority, after)
			continue
		}
		if q.pending == nil {
			q.pending = map[K]int{}
		}
		if old, ok := q.pending[key]; !ok || old < priority {
			q.pending[key] = priority
		}
	}
}

func add[K comparable](q workqueue.TypedRateLimitingInterface[K], key K, priority int, after time.Duration) {
	if p, ok := q.(priorityqueue.PriorityQueue[K]); ok {
		p.AddWithOpts(priorityqueue.AddOpts{Priority: &priority, After: after}, key)
		return
	}
	q.AddAfter(key, after)
}
