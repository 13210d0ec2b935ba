package federation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dragoman-io/dragoman/clusters"
)

// shared is what all tests run on, set by TestMain.
var shared struct {
	*clusters.Federation

	binary  string
	log     string
	manager *exec.Cmd
}

// failureThreshold is for how long a member has to be away before it is not ready.
const failureThreshold = 3 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "dragoman-federation-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the controller manager's log is kept in", shared.log)
			return
		}
		_ = os.RemoveAll(dir)
	}()
	if err := start(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		stopManager()
		if err := shared.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	return m.Run()
}

func start(ctx context.Context, dir string) error {
	shared.binary, shared.log = filepath.Join(dir, "dragoman"), filepath.Join(dir, "controller-manager.log")
	build := exec.CommandContext(ctx, "go", "build", "-o", shared.binary, "../../cmd/dragoman")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build dragoman: %w\n%s", err, out)
	}
	federation, err := clusters.Start(ctx, clusters.Options{Members: 3, Nodes: 1, Out: os.Stderr})
	if err != nil {
		return err
	}
	shared.Federation = federation
	if err := errors.Join(federation.Register(ctx), startManager()); err != nil {
		return errors.Join(err, federation.Stop())
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		list, err := federation.ControlPlane().Dynamic().Resource(clusterResource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		ready := 0
		for i := range list.Items {
			if conditionOf(&list.Items[i], "Ready") == "True" {
				ready++
			}
		}
		return ready == len(federation.Members()), nil
	})
}

// startManager starts the controller manager that tests share.
func startManager() error {
	cmd, err := launch(shared.Kubeconfig, shared.log)
	shared.manager = cmd
	return err
}

// launch starts a controller manager. It dies with the test.
func launch(kubeconfig, log string, args ...string) (*exec.Cmd, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(shared.binary, append([]string{
		"controller-manager", "--context", clusters.ControlPlane, "--logging-format", "json",
		"--cluster-status-update-frequency", "1s", "--cluster-failure-threshold", failureThreshold.String(), "--cluster-success-threshold", "1s",
	}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Stderr = file
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd, nil
}

// stopManager stops the shared controller manager and waits until it is gone.
func stopManager() { endManager(os.Interrupt) }

// endManager has the shared controller manager end by a signal, and waits until it is gone.
func endManager(how os.Signal) {
	if shared.manager == nil {
		return
	}
	_ = shared.manager.Process.Signal(how) // it may have ended
	_ = shared.manager.Wait()              // it says with its exit code how it ended
	shared.manager = nil
}

func conditionOf(object *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			status, _ := m["status"].(string)
			return status
		}
	}
	return ""
}
