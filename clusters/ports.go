package clusters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Ports are chosen below the range from which systems take the local ports of outgoing connections (32768 and up on Linux): a client
// that retries while a server restarts must never sit on that server's port.
const (
	lowestPort  = 20000
	highestPort = 32000
)

// ports remembers which server listens where, so that a federation that is started again on the same data keeps its addresses. It is
// safe for concurrent use.
type ports struct {
	file string

	mu    sync.Mutex
	known map[string]int
	// taken holds listeners on the ports given out until their servers start, so that nobody else gets them.
	taken map[string]net.Listener
}

// openPorts loads the ports used before from the folder, if any.
func openPorts(dir string) (*ports, error) {
	p := &ports{file: filepath.Join(dir, "ports.json"), known: map[string]int{}, taken: map[string]net.Listener{}}
	data, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load the ports used before: %w", err)
	}
	if err := json.Unmarshal(data, &p.known); err != nil {
		return nil, fmt.Errorf("load the ports used before from %s: %w", p.file, err)
	}
	return p, nil
}

// take returns the port of the named server: the one it had before if that is free, else any free one. It is held until release.
func (p *ports) take(name string) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	candidates := []int{p.known[name]}
	for range 1000 {
		candidates = append(candidates, lowestPort+rand.IntN(highestPort-lowestPort))
	}
	var listen net.ListenConfig
	for _, port := range candidates {
		if port == 0 {
			continue
		}
		listener, err := listen.Listen(context.Background(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		p.known[name], p.taken[name] = port, listener
		return port, nil
	}
	return 0, fmt.Errorf("find a port for %s: none free on 127.0.0.1 between %d and %d", name, lowestPort, highestPort)
}

// release lets go of the server's port, so that it can listen, and of those whose names are the server's with a dash and a word.
func (p *ports) release(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for of, listener := range p.taken {
		if of == name || strings.HasPrefix(of, name+"-") {
			delete(p.taken, of)
			errs = append(errs, listener.Close())
		}
	}
	return errors.Join(errs...)
}

// save writes down which ports were taken.
func (p *ports) save() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, err := json.MarshalIndent(p.known, "", "  ")
	if err != nil {
		return fmt.Errorf("save the ports: %w", err)
	}
	if err := os.WriteFile(p.file, data, 0o644); err != nil {
		return fmt.Errorf("save the ports: %w", err)
	}
	return nil
}

// close lets go of all ports.
func (p *ports) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, listener := range p.taken {
		errs = append(errs, listener.Close())
	}
	clear(p.taken)
	return errors.Join(errs...)
}
