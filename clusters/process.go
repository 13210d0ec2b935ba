package clusters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// hasty is how soon after its start the end of a process counts as a failed start.
	hasty = 3 * time.Second
	// maxHasty is how many failed starts in a row there may be.
	maxHasty = 5
	// grace is how long a process that is asked to end has before it is killed.
	grace = 5 * time.Second
)

// A spawner starts processes from one thread that lives as long as the federation. Linux ends a child with Pdeathsig when the thread,
// not the process, that started it ends, and the Go runtime does end threads.
type spawner struct{ jobs chan func() }

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

// start starts the command.
func (s *spawner) start(cmd *exec.Cmd) error {
	result := make(chan error)
	s.jobs <- func() { result <- cmd.Start() }
	return <-result
}

// close ends the thread; call it when all children have ended.
func (s *spawner) close() { close(s.jobs) }

// A process keeps one program of a federation running: when it ends without being asked to, it is started again, as a kubelet does with
// a static Pod. It is safe for concurrent use.
type process struct {
	name    string
	path    string
	args    []string
	env     []string // nil is that of this process
	log     string
	spawner *spawner
	ready   func(context.Context) error // tells whether the program answers; nil when running is enough
	out     io.Writer                   // gets a line when the program ends by itself

	cancel context.CancelFunc
	ended  chan struct{} // closed when run returns

	mu       sync.Mutex
	running  *os.Process   // nil while it does not run
	starts   int           // how often it was started
	killed   bool          // it was asked to end, so that its end counts as no failure
	spent    time.Duration // CPU time of runs that ended
	failure  error         // why it is not started again
	failures int           // failed starts in a row
}

// start starts the program and keeps it running until stop is called.
func (p *process) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.ended = make(chan struct{})
	go p.run(ctx)
}

// run starts the program again and again until ctx ends or it fails to start.
func (p *process) run(ctx context.Context) {
	defer close(p.ended)
	for ctx.Err() == nil {
		if err := p.once(ctx); err != nil {
			p.mu.Lock()
			p.failure = err
			p.mu.Unlock()
			return
		}
		p.mu.Lock()
		pause := time.Duration(p.failures) * time.Second / 2
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// once runs the program to its end. It returns an error when the program shall not be started again.
func (p *process) once(ctx context.Context) error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Env = p.env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	isolate(cmd)
	began := time.Now()
	if err := p.spawner.start(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.mu.Lock()
	p.running, p.killed = cmd.Process, false
	p.starts++
	p.mu.Unlock()

	err = cmd.Wait()
	if err == nil {
		err = errors.New("exit status 0")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = nil
	p.spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if p.killed || ctx.Err() != nil {
		p.failures = 0
		return nil
	}
	if time.Since(began) > hasty {
		p.failures = 0
		fmt.Fprintf(p.out, "%s ended (%v) and is started again: see %s\n", p.name, err, p.log)
		return nil
	}
	p.failures++
	if p.failures >= maxHasty {
		fmt.Fprintf(p.out, "%s ended again (%v) and is given up: see %s\n", p.name, err, p.log)
		return fmt.Errorf("start %s: it ended %d times within %s of its start: %w; the end of %s:\n%s",
			p.name, p.failures, hasty, err, p.log, p.tail())
	}
	return nil
}

// kill ends the program at once, as a crash would. It is started again unless stop was called.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.killed = true
		_ = p.running.Kill() // It may have ended by itself a moment ago.
	}
}

// stop ends the program and waits for its end. It asks the program to end if gently is set, and kills it otherwise.
func (p *process) stop(gently bool) {
	if p.cancel == nil {
		return
	}
	p.cancel()
	if !gently {
		p.kill()
	}
	<-p.ended
}

// restart kills the program, as a crash would, and waits until it runs again and answers.
func (p *process) restart(ctx context.Context) error {
	p.mu.Lock()
	before := p.starts
	p.mu.Unlock()
	p.kill()
	err := poll(ctx, func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.starts == before && p.failure == nil {
			return errors.New("not started again yet")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("restart %s: %w", p.name, err)
	}
	return p.waitReady(ctx)
}

// waitReady waits until the program answers. It returns early when the program cannot be started.
func (p *process) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.ended:
			p.mu.Lock()
			defer p.mu.Unlock()
			cancel(p.failure)
		case <-ctx.Done():
		}
	}()
	err := poll(ctx, func(ctx context.Context) error {
		p.mu.Lock()
		running := p.running != nil
		p.mu.Unlock()
		if !running {
			return errors.New("not running")
		}
		if p.ready == nil {
			return nil
		}
		return p.ready(ctx)
	})
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure != nil {
		return p.failure
	}
	return fmt.Errorf("wait for %s: %w; the end of %s:\n%s", p.name, err, p.log, p.tail())
}

// tail returns the last lines of the log.
func (p *process) tail() []byte {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	return tail(withoutTraces(data), 15)
}

// withoutTraces drops the stack traces of Go programs from a log: what is wrong is in the lines before them.
func withoutTraces(log []byte) []byte {
	var kept []byte
	lines := slices.Collect(bytes.Lines(log))
	for i, line := range lines {
		location := bytes.HasPrefix(line, []byte("\t"))
		function := i+1 < len(lines) && bytes.HasPrefix(lines[i+1], []byte("\t/"))
		if !location && !function && !bytes.HasPrefix(line, []byte("goroutine ")) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// poll calls try until it returns nil. When ctx ends first, the error says why and what try returned last.
func poll(ctx context.Context, try func(context.Context) error) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := try(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (last answer: %w)", context.Cause(ctx), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
