package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBesideKarmada runs the commands of docs/beside-karmada.md in an empty folder.
func TestBesideKarmada(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "dragoman"), ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	commands := shellBlocks(t, "../../docs/beside-karmada.md")
	require.Len(t, commands, 3)

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	script := "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n" +
		strings.ReplaceAll(strings.Join(commands, ""), "127.0.0.1:9443", listener.Addr().String())
	bash := exec.CommandContext(t.Context(), "bash", "-c", script)
	bash.Dir = t.TempDir()
	bash.Env = append(bash.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	bash.WaitDelay = 10 * time.Second // for what it left behind
	out, err = bash.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, want := range []string{"0 errors, 0 warnings", "# [1/2] replica:\n3\n", " 0 failed, 0 warned, "} {
		assert.Contains(t, string(out), want)
	}
}

// shellBlocks returns the code of the blocks in sh of a Markdown file.
func shellBlocks(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var blocks []string
	inside := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "```sh":
			inside, blocks = true, append(blocks, "")
		case line == "```":
			inside = false
		case inside:
			blocks[len(blocks)-1] += line + "\n"
		}
	}
	require.NoError(t, lines.Err())
	return blocks
}
