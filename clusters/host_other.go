//go:build !unix

package clusters

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// errLocked is returned by tryLock when another process has the lock.
var errLocked = errors.New("locked by another process")

// tryLock fails: federations run on Unix systems only, since etcd and kube-apiserver are supported there only.
func tryLock(*os.File) error { return errors.ErrUnsupported }

func isolate(*exec.Cmd) {}

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }

func processUsage(int) (cpu time.Duration, resident int64, err error) {
	return 0, 0, errors.ErrUnsupported
}
