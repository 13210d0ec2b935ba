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
)

// TestWalkthrough runs the commands of docs/webhook.md, in order, as a reader does from the root of the repository.
func TestWalkthrough(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\ndragoman() { '" + build(t, root) + "' \"$@\"; }\n"
	commands := blocks(t, filepath.Join(root, "docs", "webhook.md"), "sh")
	if len(commands) != 5 {
		t.Fatalf("docs/webhook.md has %d blocks of sh, want 5: mend this test when that is right", len(commands))
	}
	// The catalogue answers for the same kind: its cases hold here too.
	commands = append(commands, "dragoman test --webhook https://127.0.0.1:9443/ --webhook-ca tls.crt ../../thirdparty/flink.apache.org\n")
	script += strings.ReplaceAll(strings.Join(commands, ""), ":9443", ":"+freePort(t))

	bash := exec.CommandContext(t.Context(), "bash", "-c", script)
	bash.Dir = root
	bash.WaitDelay = 10 * time.Second // for what it left behind
	out, err := bash.CombinedOutput()
	for _, name := range []string{"tls.crt", "tls.key", "flink-webhook"} {
		_ = os.Remove(name)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"0 failed, 0 warned", "11 passed, 0 failed", "- name: taskmanager", "0 errors, 0 warnings"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("want %q, got\n%s", want, out)
		}
	}
}

// build returns the path of the command line's program.
func build(t *testing.T, root string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "dragoman")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", root, "-o", program, "./cmd/dragoman").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// blocks returns the code of the blocks in a language.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var found []string
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := lines.Text(); {
		case line == "```"+language:
			inside = true
			found = append(found, "")
		case line == "```":
			inside = false
		case inside:
			found[len(found)-1] += line + "\n"
		}
	}
	return found
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestShort keeps the example what it promises to be.
func TestShort(t *testing.T) {
	data, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines >= 120 {
		t.Errorf("main.go has %d lines, want less than 120", lines)
	}
}
