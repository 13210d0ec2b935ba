package controllers

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// eventSource is what the controllers are called in events.
const eventSource = "dragoman"

// told are the warnings that an earlier process has told of, as far as their events are still there: problems that last
// are found again when the controllers start again, and are no news.
type told struct {
	reader client.Reader

	mu       sync.Mutex
	loaded   bool
	warnings map[string]bool
}

// before tells whether an earlier process told this warning. It says so once: a problem that goes and comes back is told.
func (t *told) before(ctx context.Context, regarding client.Object, reason, note string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.loaded {
		t.loaded = true
		t.load(ctx)
	}
	key := warningKey(string(regarding.GetUID()), reason, note)
	was := t.warnings[key]
	delete(t.warnings, key)
	return was
}

// load reads the events that there are. Without them a warning is told twice, which is no reason to stop.
func (t *told) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var list corev1.EventList
	if err := t.reader.List(ctx, &list, client.MatchingFields{"reportingComponent": eventSource, "type": corev1.EventTypeWarning}); err != nil {
		return
	}
	t.warnings = make(map[string]bool, len(list.Items))
	for i := range list.Items {
		e := &list.Items[i]
		t.warnings[warningKey(string(e.InvolvedObject.UID), e.Reason, e.Message)] = true
	}
}

func warningKey(uid, reason, note string) string { return uid + "\x00" + reason + "\x00" + note }
