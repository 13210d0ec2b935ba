package clusters

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newProcess returns a process that runs a shell script, stopped when the test ends.
func newProcess(t *testing.T, script string) *process {
	t.Helper()
	s := newSpawner()
	p := &process{name: "test", path: "/bin/sh", args: []string{"-c", script}, log: filepath.Join(t.TempDir(), "log"), spawner: s, out: io.Discard}
	t.Cleanup(func() {
		p.stop(false)
		s.close()
	})
	return p
}

// pidAfter waits until the process was started so often, and has said so, and returns its id.
func pidAfter(t *testing.T, p *process, starts int) int {
	t.Helper()
	var u Usage
	require.NoError(t, poll(t.Context(), func(context.Context) error {
		if u = p.usage(); u.Starts < starts || u.PID == 0 {
			return errors.New("not started")
		}
		log, err := os.ReadFile(p.log)
		if err != nil || strings.Count(string(log), "\n") < starts {
			return errors.New("not begun")
		}
		return nil
	}))
	return u.PID
}

func TestProcessIsRestarted(t *testing.T) {
	p := newProcess(t, "echo started; exec sleep 1000")
	p.start()
	require.NoError(t, p.waitReady(t.Context()))
	first := pidAfter(t, p, 1)

	require.NoError(t, p.restart(t.Context()))
	second := pidAfter(t, p, 2)
	assert.NotEqual(t, first, second)

	require.NoError(t, syscall.Kill(second, syscall.SIGKILL))
	third := pidAfter(t, p, 3)
	p.stop(true)
	require.ErrorIs(t, syscall.Kill(third, 0), syscall.ESRCH)
	log, err := os.ReadFile(p.log)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("started\n", 3), string(log))
}

func TestHopelessProcessIsGivenUp(t *testing.T) {
	p := newProcess(t, "echo unknown flag >&2; exit 2")
	var out bytes.Buffer
	p.out = &lineWriter{out: &out}
	p.ready = func(context.Context) error { return errors.New("does not answer") }
	p.start()
	err := p.waitReady(t.Context())
	require.ErrorContains(t, err, "start test: it ended 5 times within 3s of its start: exit status 2")
	require.ErrorContains(t, err, "unknown flag")
	assert.Equal(t, "test ended again (exit status 2) and is given up: see "+p.log+"\n", out.String())
}

// TestPanicIsTold has the lines before a long stack trace in the error.
func TestPanicIsTold(t *testing.T) {
	trace := strings.Repeat("example.com/store.open({0x1, 0x2})\n\t/src/store/open.go:12 +0x54\n", 20)
	log := "starting\nno space left on device\npanic: cannot create the log\n\ngoroutine 1 [running]:\n" + trace + "starting\n"
	assert.Equal(t, "starting\nno space left on device\npanic: cannot create the log\n\nstarting\n", string(withoutTraces([]byte(log))))
	p := &process{log: filepath.Join(t.TempDir(), "log")}
	require.NoError(t, os.WriteFile(p.log, []byte(log), 0o600))
	assert.Contains(t, string(p.tail()), "no space left on device")
}

func TestMissingProgramIsTold(t *testing.T) {
	p := newProcess(t, "")
	p.path = filepath.Join(t.TempDir(), "missing")
	p.start()
	require.ErrorContains(t, p.waitReady(t.Context()), "start test: fork/exec")
}

func TestWaitReadyEndsWithItsContext(t *testing.T) {
	p := newProcess(t, "exec sleep 1000")
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	p.ready = func(context.Context) error {
		cancel(gaveUp)
		return errors.New("does not answer")
	}
	p.start()
	err := p.waitReady(ctx)
	require.ErrorIs(t, err, gaveUp)
	require.ErrorContains(t, err, "does not answer")
}

func TestStubbornProcessIsKilled(t *testing.T) {
	p := newProcess(t, "trap '' TERM; echo ready; while :; do sleep 0.1; done")
	p.start()
	pid := pidAfter(t, p, 1)
	p.stop(false)
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestUsageAddsUpOverRestarts(t *testing.T) {
	p := newProcess(t, "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec sleep 1000")
	p.start()
	spent := func(least time.Duration) time.Duration {
		var u Usage
		require.NoError(t, poll(t.Context(), func(context.Context) error {
			if u = p.usage(); u.CPU < least {
				return errors.New("still working")
			}
			return nil
		}))
		return u.CPU
	}
	first := spent(50 * time.Millisecond)
	require.NoError(t, p.restart(t.Context()))
	assert.GreaterOrEqual(t, p.usage().CPU, first)
	spent(first + 50*time.Millisecond)
	p.stop(false)
	u := p.usage()
	assert.GreaterOrEqual(t, u.CPU, first+50*time.Millisecond, "what ended processes used is known, too")
	assert.Zero(t, u.PID)
	assert.Zero(t, u.Resident)
}
