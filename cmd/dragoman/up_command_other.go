//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// grouped does nothing more than to interrupt the command: federations run on Unix systems only.
func grouped(cmd *exec.Cmd) (kill func()) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return func() {}
}
