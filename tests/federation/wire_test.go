package federation

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// wire is the way from the control plane to one member, which can be cut: from outside, the member's API server has then
// stopped. Or it can be silent: the API server then takes connections and never says a word.
type wire struct {
	listener net.Listener
	to       string

	mu      sync.Mutex
	spoken  sync.Cond // when the wire is not silent any more
	silent  bool
	cut     bool
	refused int // while it was cut last
	open    map[net.Conn]bool
}

// newWire has the control plane reach a member over a wire until it is removed.
func newWire(t *testing.T, name string) *wire {
	t.Helper()
	server, err := url.Parse(member(name).Server)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{listener: listener, to: server.Host, open: map[net.Conn]bool{}}
	w.spoken.L = &w.mu
	go w.serve()
	patch(t, control(), clusterResource, "", name, `{"spec":{"apiEndpoint":"https://`+listener.Addr().String()+`"}}`)
	eventually(t, "the controllers to use the wire to "+name, func(context.Context) error {
		return logged(shared.log, `"endpoint":"https://`+listener.Addr().String())
	})
	return w
}

// remove has the control plane reach the member directly again.
func (w *wire) remove(t *testing.T, name string) {
	t.Helper()
	w.set(false)
	patch(t, control(), clusterResource, "", name, `{"spec":{"apiEndpoint":"`+member(name).Server+`"}}`)
	awaits(t, control(), clusterResource, "", name, "ready", isReady)
	require.NoError(t, w.listener.Close())
	w.set(true)
}

// set cuts the wire or mends it. Connections over a wire that is cut end at once.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.refused = cut, 0
	w.spoken.Broadcast()
	if cut {
		for c := range w.open {
			_ = c.Close()
		}
	}
}

// silence has nothing come through the wire, in either direction, or what was kept back and everything after it.
func (w *wire) silence(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = on
	w.spoken.Broadcast()
}

// tries returns how often somebody has called in vain since the wire was cut.
func (w *wire) tries() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused
}

func (w *wire) serve() {
	for {
		from, err := w.listener.Accept()
		if err != nil {
			return
		}
		to, err := (&net.Dialer{}).Dial("tcp4", w.to)
		w.mu.Lock()
		if w.cut || err != nil {
			w.refused++
			_ = from.Close()
			if to != nil {
				_ = to.Close()
			}
			w.mu.Unlock()
			continue
		}
		w.open[from], w.open[to] = true, true
		w.mu.Unlock()
		go w.carry(from, to)
		go w.carry(to, from)
	}
}

func (w *wire) carry(from, to net.Conn) {
	_, _ = io.Copy(audible{to, w}, from) // it ends when either side does
	_, _ = from.Close(), to.Close()
	w.mu.Lock()
	delete(w.open, from)
	w.mu.Unlock()
}

// audible writes when the wire is not silent.
type audible struct {
	to   io.Writer
	wire *wire
}

func (a audible) Write(p []byte) (int, error) {
	a.wire.mu.Lock()
	for a.wire.silent && !a.wire.cut {
		a.wire.spoken.Wait()
	}
	a.wire.mu.Unlock()
	return a.to.Write(p)
}

// isReady is the condition of a Cluster that is ready.
func isReady(o *unstructured.Unstructured) error {
	if conditionOf(o, "Ready") != "True" {
		return errors.New("it is not ready")
	}
	return nil
}

func isNotReady(o *unstructured.Unstructured) error {
	if conditionOf(o, "Ready") != "False" {
		return errors.New("it is not known to be away")
	}
	return nil
}
