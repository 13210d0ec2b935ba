package webhook

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	// maxGathered is how many bytes may wait to be written before Write waits too.
	maxGathered = 64 << 10
	// maxKept is how many bytes of buffer are kept for what comes next: what waits, and one more record of TLS.
	maxKept = 2 * maxGathered
	// serverPatience lets the last answer go out, and is what crypto/tls gives its last message.
	serverPatience = 5 * time.Second
	// clientPatience is short: a caller whose time is over waits for it, and its question is of no use any more.
	clientPatience = 50 * time.Millisecond
)

// gathered is a connection whose Write does not wait for the network: what is written while the system is busy with the
// last bytes, by many calls at once, or in several steps by one, goes out together. HTTP/2 writes a header and a body, and
// flushes each; a system call for each would take longer than everything else that is done for them.
//
// A write that fails is the error of every later one, and closes nothing.
type gathered struct {
	net.Conn
	// patience is how long what was accepted may take to go out, once the connection is to be closed.
	patience time.Duration

	mu      sync.Mutex
	changed sync.Cond // when there is room, or nothing more is written
	waiting []byte
	spare   []byte
	writing bool
	blocked int // calls of Write that wait for room
	closed  bool
	err     error
}

func gather(c net.Conn, patience time.Duration) net.Conn {
	g := &gathered{Conn: c, patience: patience}
	g.changed.L = &g.mu
	return g
}

// Write accepts p, which is copied.
func (g *gathered) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.waiting) >= maxGathered && g.err == nil && !g.closed {
		g.blocked++
		g.changed.Wait()
		g.blocked--
	}
	switch {
	case g.closed:
		return 0, net.ErrClosed
	case g.err != nil:
		return 0, g.err
	}
	g.waiting = append(g.waiting, p...)
	if !g.writing {
		g.writing = true
		go g.write()
	}
	return len(p), nil
}

// write writes what waits until nothing does.
func (g *gathered) write() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.waiting) > 0 && g.err == nil {
		out := g.waiting
		g.waiting, g.spare = g.spare[:0], nil
		g.changed.Broadcast()
		g.mu.Unlock()
		_, err := g.Conn.Write(out)
		g.mu.Lock()
		g.err = err
		if cap(out) <= maxKept {
			g.spare = out
		}
	}
	g.writing = false
	g.changed.Broadcast()
}

// SetWriteDeadline sets until when writes may take. One that is over still lets go out what was accepted.
func (g *gathered) SetWriteDeadline(t time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return net.ErrClosed
	}
	if least := time.Now().Add(g.patience); g.writing && !t.IsZero() && t.Before(least) {
		t = least
	}
	return g.Conn.SetWriteDeadline(t)
}

// SetDeadline sets both deadlines.
func (g *gathered) SetDeadline(t time.Time) error {
	if err := g.SetReadDeadline(t); err != nil {
		return err
	}
	return g.SetWriteDeadline(t)
}

// Close closes the connection when what was accepted is written, or does not go out. When a Write waits, it is there to
// end it, as with any connection, and closes at once.
func (g *gathered) Close() error {
	g.mu.Lock()
	g.closed = true
	if g.blocked > 0 {
		g.changed.Broadcast()
	} else if g.writing {
		_ = g.Conn.SetWriteDeadline(time.Now().Add(g.patience)) // if it cannot be set, nothing is written any more
		for g.writing {
			g.changed.Wait()
		}
	}
	g.mu.Unlock()
	return g.Conn.Close()
}

// gatheredDial is dial with connections that gather.
func gatheredDial(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return gather(c, clientPatience), nil
	}
}

// gatheredListener accepts connections that gather.
type gatheredListener struct{ net.Listener }

// Accept returns the next connection.
func (l gatheredListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return gather(c, serverPatience), nil
}
