package webhook

import (
	"cmp"
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// EndpointStats is how it stands with a place where webhooks are.
type EndpointStats struct {
	// URL is where it is.
	URL string
	// Connections is how many are open, Calls how many are going on.
	Connections, Calls int
	// Failures is how many calls failed in a row until now.
	Failures int
	// LeftAlone tells that calls are not let through, because too many failed.
	LeftAlone bool
}

// Endpoints returns how it stands with the places where the webhooks of s are, sorted by URL, each once.
func (s *Set) Endpoints() []EndpointStats {
	byURL := map[string]*EndpointStats{}
	var out []EndpointStats
	for _, e := range s.endpoints {
		known := byURL[e.url]
		if known == nil {
			known = &EndpointStats{URL: e.url}
			byURL[e.url] = known
		}
		e.addTo(known)
	}
	for _, stats := range byURL {
		out = append(out, *stats)
	}
	slices.SortFunc(out, func(a, b EndpointStats) int { return cmp.Compare(a.URL, b.URL) })
	return out
}

// addTo adds what is known about e. Endpoints of one URL differ in whom they trust and what they show.
func (e *endpoint) addTo(stats *EndpointStats) {
	e.mu.Lock()
	stats.Calls += e.calls
	e.mu.Unlock()
	stats.Connections += int(e.connections.Load())
	b := &e.breaker
	b.mu.Lock()
	defer b.mu.Unlock()
	stats.Failures += b.failures
	stats.LeftAlone = stats.LeftAlone || !b.until.IsZero()
}

// counted returns dial with its open connections counted in n.
func counted(dial dialFunc, n *atomic.Int64) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		n.Add(1)
		return &countedConn{Conn: conn, uncount: sync.OnceFunc(func() { n.Add(-1) })}, nil
	}
}

type countedConn struct {
	net.Conn
	uncount func()
}

func (c *countedConn) Close() error {
	c.uncount()
	return c.Conn.Close()
}
