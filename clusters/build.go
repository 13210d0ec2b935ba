package clusters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// builder builds programs into one folder of the user's cache.
type builder struct {
	dir string
	out io.Writer
}

// build returns the binaries of the wanted programs, building what the folder does not have.
func (b builder) build(ctx context.Context, wanted []program) (Binaries, error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, fmt.Errorf("create a folder for the binaries: %w", err)
	}
	if built := b.present(wanted); len(built) == len(wanted) {
		return built, nil
	}
	unlock, err := lock(ctx, filepath.Join(b.dir, "lock"), func() {
		fmt.Fprintf(b.out, "another process builds the binaries in %s, waiting for it\n", b.dir)
	})
	if err != nil {
		return nil, fmt.Errorf("wait for another build in %s: %w", b.dir, err)
	}
	defer unlock()

	built := b.present(wanted)
	var missing []program
	var expected time.Duration
	for _, p := range wanted {
		if built[p.name] == "" {
			missing = append(missing, p)
			expected += p.expected
		}
	}
	if len(missing) == 0 {
		return built, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("build %s: the go command is needed once: install Go 1.26 or newer from https://go.dev/dl, "+
			"or set %s to a folder that has these binaries: %w", names(missing), AssetsEnv, err)
	}
	if err := b.layOut(); err != nil {
		return nil, err
	}
	fmt.Fprintf(b.out, "building %s from source into %s: about %s the first time on two cores\n", names(missing), b.dir, expected)
	start := time.Now()
	for i, p := range missing {
		step := fmt.Sprintf("[%d/%d] %s", i+1, len(missing), p.name)
		if err := b.buildOne(ctx, step, p); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(b.out, "built %d binaries in %s\n", len(missing), time.Since(start).Round(time.Second))
	return b.present(wanted), nil
}

// present returns those of the wanted binaries that the folder has.
func (b builder) present(wanted []program) Binaries {
	found := Binaries{}
	for _, p := range wanted {
		if path := b.path(p); executable(path) {
			found[p.name] = path
		}
	}
	return found
}

func (b builder) path(p program) string { return filepath.Join(b.dir, "bin", p.name) }

// layOut writes the embedded module files as modules that the go command accepts.
func (b builder) layOut() error {
	if err := os.MkdirAll(filepath.Join(b.dir, "bin"), 0o755); err != nil {
		return fmt.Errorf("create a folder for the binaries: %w", err)
	}
	for _, module := range []string{"kubernetes", "kwok"} {
		for _, extension := range []string{"mod", "sum"} {
			data, err := modules.ReadFile("binaries/" + module + "." + extension)
			if err != nil {
				return fmt.Errorf("read the embedded module file: %w", err)
			}
			path := filepath.Join(b.dir, module, "go."+extension)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("lay out module %s: %w", module, err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return fmt.Errorf("lay out module %s: %w", module, err)
			}
		}
	}
	return nil
}

// buildOne builds one program and says every ten seconds how far it is. The binary appears under its name only when it is complete.
func (b builder) buildOne(ctx context.Context, step string, p program) error {
	partial := b.path(p) + ".partial"
	defer os.Remove(partial)
	// What an interrupted or killed go command leaves behind goes with this folder: now, or before the next build.
	temporary := filepath.Join(b.dir, "tmp")
	defer os.RemoveAll(temporary)
	if err := errors.Join(os.RemoveAll(temporary), os.Mkdir(temporary, 0o700)); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-ldflags", p.ldflags, "-o", partial, p.pkg)
	cmd.Dir = filepath.Join(b.dir, p.module)
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOTMPDIR="+temporary,
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH) // of this machine, whatever else the user builds for
	isolate(cmd)
	cmd.Cancel = func() error { return interrupt(cmd) }
	cmd.WaitDelay = 10 * time.Second
	spawner := newSpawner()
	defer spawner.close()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output

	start := time.Now()
	fmt.Fprintf(b.out, "%s: building, about %s\n", step, p.expected)
	done := make(chan error, 1)
	go func() {
		err := spawner.start(cmd)
		if err == nil {
			err = cmd.Wait()
		}
		done <- err
	}()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintf(b.out, "%s: %s of about %s\n", step, time.Since(start).Round(time.Second), p.expected)
		case err := <-done:
			if ctx.Err() != nil {
				return fmt.Errorf("build %s: %w", p.name, context.Cause(ctx))
			}
			if err != nil {
				return fmt.Errorf("build %s with go build %s: %w\n%s%s", p.name, p.pkg, err, tail(output.Bytes(), 20), hint(output.Bytes()))
			}
			if err := os.Rename(partial, b.path(p)); err != nil {
				return fmt.Errorf("build %s: %w", p.name, err)
			}
			fmt.Fprintf(b.out, "%s: built in %s\n", step, time.Since(start).Round(time.Second))
			return nil
		}
	}
}

// hint says how to mend what the go command complains of, when it could not download a module; otherwise it is empty.
func hint(output []byte) string {
	for _, sign := range []string{"dial tcp", "no such host", "proxyconnect", "i/o timeout", "GOPROXY=off", "TLS handshake"} {
		if bytes.Contains(output, []byte(sign)) {
			return "\nmodules could not be downloaded: the first build needs a connection to GOPROXY, or the binaries in a folder that " + AssetsEnv + " names"
		}
	}
	return ""
}

// lines makes a nil writer one that discards.
func lines(out io.Writer) io.Writer {
	if out == nil {
		return io.Discard
	}
	return out
}

// tail returns the last n lines of data.
func tail(data []byte, n int) []byte {
	data = bytes.TrimRight(data, "\n")
	at := len(data)
	for range n {
		next := bytes.LastIndexByte(data[:at], '\n')
		if next < 0 {
			return data
		}
		at = next
	}
	return data[at+1:]
}

// lock takes the lock file at path, waiting until another process gives it back or ctx ends. It calls busy once if it has to wait.
func lock(ctx context.Context, path string, busy func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for waiting := false; ; waiting = true {
		err := tryLock(file)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, errors.Join(err, file.Close())
		}
		if !waiting && busy != nil {
			busy()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
