//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// grouped has all that a command starts end with it when its context does. The function kills what still runs then.
//
// A command on a terminal stays in the process group of this program: to that group the terminal sends Ctrl-C, and from it lets
// programs read.
func grouped(cmd *exec.Cmd) (kill func()) {
	if terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		_ = terminal.Close() // nothing was written
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		return func() {}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // an error means that nothing runs
}
