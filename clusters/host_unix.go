//go:build unix

package clusters

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// errLocked is returned by tryLock when another process has the lock.
var errLocked = errors.New("locked by another process")

// tryLock locks the file for this process until the file is closed or the process ends.
func tryLock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// isolate puts the command in a process group of its own, so that Ctrl-C on the terminal reaches only its parent, and makes it die with
// the parent where the system can do that.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// interrupt asks an isolated command and all that it has started to end: the go command and its compilers, for instance.
func interrupt(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
