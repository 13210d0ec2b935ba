package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dragoman builds the command, once, and returns its path.
var dragoman = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(shared.Dir(), "dragoman")
	out, err := exec.Command("go", "build", "-o", binary, "../../cmd/dragoman").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return binary, nil
})

// startUp starts dragoman up with a temporary folder of its own. What it prints can be read while it runs.
func startUp(t *testing.T, args ...string) (cmd *exec.Cmd, out *output, temp string) {
	t.Helper()
	temp = t.TempDir()
	cmd, out = startUpIn(t, temp, args...)
	return cmd, out, temp
}

// startUpIn starts dragoman up with the given temporary folder.
func startUpIn(t *testing.T, temp string, args ...string) (*exec.Cmd, *output) {
	t.Helper()
	binary, err := dragoman()
	require.NoError(t, err)
	out := &output{}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"up"}, args...)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // whether these tests have a terminal or not, this has none
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second // what it leaves behind, holding the output, fails the test and does not hang it
	require.NoError(t, cmd.Start())
	return cmd, out
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.Write(data)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

// requireNothingLeft checks that no process runs that has the folder in its arguments, and that the folder is empty.
func requireNothingLeft(t *testing.T, temp string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Empty(t, processesWith(t, temp))
}

// processesWith returns the command lines of the processes that have the text in theirs.
func processesWith(t *testing.T, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(line), text) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// TestTour runs the tour of the examples, which fails when a step does not do what it says. It prints into a file, which
// has all of it in the end: a script that opens /dev/stderr anew empties the file that it is.
func TestTour(t *testing.T) {
	cmd, out, temp := startUp(t,
		"--apply", "examples/federation,examples/flink/crd.yaml,examples/flink/basic.yaml", "--",
		"bash", "-c", `examples/federation/tour.sh > "$0" 2>&1; code=$?; cat "$0"; exit $code`, filepath.Join(t.TempDir(), "tour.log"))
	require.NoError(t, cmd.Wait(), out)
	for _, want := range []string{
		"# A control plane and its members", "celExpression: object.spec.job.parallelism >= 4",
		"member2=Healthy after", "member2=Unhealthy after", "denied the request", `deployment.apps "web" deleted`,
	} {
		assert.Contains(t, out.String(), want)
	}
	requireNothingLeft(t, temp)
}

func TestInterruptLeavesNothingBehind(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	cmd, out, temp := startUp(t, "--members", "1", "--nodes", "1", "--kubeconfig", kubeconfig)
	WaitFor(t, "the federation", func(context.Context) error {
		if !strings.Contains(out.String(), "Ctrl-C stops everything") {
			return errors.New(out.String())
		}
		return nil
	})
	create := exec.CommandContext(t.Context(), Federation().Binary("kubectl"), "--kubeconfig", kubeconfig, "--context", "member1",
		"create", "deployment", "web", "--image", "registry.example/web:1")
	created, err := create.CombinedOutput()
	require.NoError(t, err, "%s", created)
	WaitFor(t, "what happens to be told", func(context.Context) error {
		for _, want := range []string{"member1        Deployment default/web created", "readyReplicas 1"} {
			if !strings.Contains(out.String(), want) {
				return errors.New(out.String())
			}
		}
		return nil
	})
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait(), out)
	requireNothingLeft(t, temp)
}

// TestInterruptedStart closes the terminal, as it were, while clusters are starting.
func TestInterruptedStart(t *testing.T) {
	cmd, out, temp := startUp(t, "--members", "1")
	WaitFor(t, "etcd", func(context.Context) error {
		if !strings.Contains(out.String(), "etcd: ready") {
			return errors.New(out.String())
		}
		return nil
	})
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Error(t, cmd.Wait())
	assert.Contains(t, out.String(), "error: interrupted before the federation was ready")
	requireNothingLeft(t, temp)
}

// TestKilledUp kills it as the out-of-memory killer would. Its children die with it; what is left on disk the next one deletes.
func TestKilledUp(t *testing.T) {
	args := []string{"--members", "0", "--controllers=false", "--quiet"}
	cmd, out, temp := startUp(t, args...)
	ready := func(out *output) func(context.Context) error {
		return func(context.Context) error {
			if !strings.Contains(out.String(), "Ctrl-C stops everything") {
				return errors.New(out.String())
			}
			return nil
		}
	}
	WaitFor(t, "the federation", ready(out))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	WaitFor(t, "its processes to be gone", func(context.Context) error {
		if left := processesWith(t, temp); len(left) > 0 {
			return errors.New(left[0])
		}
		return nil
	})
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	require.Len(t, left, 1)

	next, out, _ := startUp(t, append(args, "--data", t.TempDir(), "--", "true")...)
	require.NoError(t, next.Wait(), out)
	require.DirExists(t, left[0], "it is another folder's business")
	next, out = startUpIn(t, temp, append(args, "--", "true")...)
	require.NoError(t, next.Wait(), out)
	requireNothingLeft(t, temp)
}

// TestCommandEndsWithUp has a command start another program, and wait for it when it is asked to end.
func TestCommandEndsWithUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "started")
	cmd, out, temp := startUp(t, "--members", "0", "--controllers=false", "--", "sh", "-c", `sleep 1000 & echo > "$1"; wait`, "sh", file)
	WaitFor(t, "the command", func(context.Context) error {
		_, err := os.Stat(file)
		return err
	})
	sleepers := processesOf(t, cmd.Process.Pid)
	require.NotEmpty(t, sleepers)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, cmd.Wait(), out)
	assert.Empty(t, processesOf(t, cmd.Process.Pid), "of its session")
	requireNothingLeft(t, temp)
}

// processesOf returns the process ids of a session but for its leader: see proc_pid_stat(5), field 6.
func processesOf(t *testing.T, session int) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, _, _ := strings.Cut(string(stat), " ")
		fields := strings.Fields(string(stat)[strings.LastIndex(string(stat), ")")+1:])
		if zombie := fields[0] == "Z"; !zombie && fields[3] == strconv.Itoa(session) && pid != strconv.Itoa(session) {
			found = append(found, string(stat))
		}
	}
	return found
}

func TestCommandsExitCode(t *testing.T) {
	cmd, out, temp := startUp(t, "--members", "0", "--controllers=false", "--", "sh", "-c", "kubectl get namespaces && exit 7")
	require.Error(t, cmd.Wait())
	assert.Equal(t, 7, cmd.ProcessState.ExitCode(), out)
	assert.Contains(t, out.String(), "kube-system")
	requireNothingLeft(t, temp)
}
