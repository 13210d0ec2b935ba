package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/clusters"
)

// runCommand runs the command with the federation's kubeconfig and kubectl.
func (o *upOptions) runCommand(ctx context.Context, federation *clusters.Federation) error {
	environment := []string{
		"KUBECONFIG=" + federation.Kubeconfig,
		"PATH=" + strings.Join(append(programFolders(federation), os.Getenv("PATH")), string(filepath.ListSeparator)),
	}
	// The shell looks the command up in the new PATH, which exec.Command would not.
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", `exec "$@"`, "sh"}, o.command...)...) //nolint:gosec // the user's own command
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.In, o.Out, o.ErrOut
	cmd.WaitDelay = 5 * time.Second
	kill := grouped(cmd)
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		kill()
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.ExitCode() > 0 {
		return exit(exited.ExitCode(), fmt.Errorf("%s: %w", strings.Join(o.command, " "), err))
	}
	if err != nil {
		return exit(exitFailed, fmt.Errorf("%s: %w", strings.Join(o.command, " "), err))
	}
	return nil
}

// programFolders returns the folders of kubectl and of this program.
func programFolders(federation *clusters.Federation) []string {
	folders := []string{filepath.Dir(federation.Binary(clusters.Kubectl))}
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(program))
	}
	return folders
}
