package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	watchedRules = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    replicaResource:
      celExpression: "{'replicas': object.spec.replicas}"
`
	watchedCase = `name: NAME
reason: what the spec says
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {replicas: 3}}
output: {replica: 3}
`
)

// watched runs test --watch with args until the test ends. What it returns reads what is written up to the line that says
// that it waits, and that line without the time it took; names of files are below folder.
func watched(t *testing.T, folder string, args ...string) (next func() []string) {
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := newTest(genericiooptions.IOStreams{In: strings.NewReader(""), Out: writer, ErrOut: writer})
	cmd.SetArgs(append(args, "--watch", "-v"))
	done := make(chan error, 1)
	go func() {
		done <- cmd.ExecuteContext(ctx)
		writer.Close()
	}()
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, reader) //nolint:errcheck // what is still written
		assert.NoError(t, <-done, "the user ends it")
	})

	lines := bufio.NewScanner(reader)
	return func() (said []string) {
		t.Helper()
		for lines.Scan() {
			line := strings.ReplaceAll(lines.Text(), folder+string(filepath.Separator), "")
			if before, after, ok := strings.Cut(line, " in "); ok && strings.HasSuffix(line, "waiting for changes") {
				_, after, _ = strings.Cut(after, ";")
				return append(said, before+";"+after)
			}
			said = append(said, line)
		}
		require.NoError(t, lines.Err())
		t.Fatal("it ended")
		return nil
	}
}

func writer(t *testing.T, folder string) func(name, text string) {
	return func(name, text string) {
		t.Helper()
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// TestWatch changes files while test --watch runs, and reads what it says about each change.
func TestWatch(t *testing.T) {
	folder := t.TempDir()
	write := writer(t, folder)
	write("a/customizations.yaml", watchedRules)
	write("a/cases.yaml", strings.ReplaceAll(watchedCase, "NAME", "a"))
	write("b/customizations.yaml", watchedRules)
	write("b/cases.yaml", strings.ReplaceAll(watchedCase, "NAME", "b"))

	next := watched(t, folder, folder)
	assert.Equal(t, []string{
		"PASS  a  (a/cases.yaml:1)", "PASS  b  (b/cases.yaml:1)", "2 passed, 0 failed", "ran 2 cases; in all 2 passed, 0 failed; waiting for changes",
	}, next())

	write("b/cases.yaml", strings.ReplaceAll(strings.ReplaceAll(watchedCase, "NAME", "b"), "output: {replica: 3}", "output: {replica: 4}"))
	said := next()
	assert.Equal(t, "FAIL  b  (b/cases.yaml:1)", said[0], "only what the file is about runs")
	assert.Equal(t, "ran 1 case; in all 1 passed, 1 failed; waiting for changes", said[len(said)-1])

	write("b/customizations.yaml", strings.ReplaceAll(watchedRules, "object.spec.replicas", "object.spec.replicas + 1"))
	assert.Equal(t, []string{"PASS  b  (b/cases.yaml:1)", "1 passed, 0 failed", "ran 1 case; in all 2 passed, 0 failed; waiting for changes"}, next(),
		"rules run the cases that they answer")

	write("a/customizations.yaml", "spec: [")
	said = next()
	assert.Equal(t, "FAIL  a  (a/cases.yaml:1)", said[0], "rules that are being written are no reason to end")
	write("a/customizations.yaml", watchedRules)
	assert.Equal(t, "PASS  a  (a/cases.yaml:1)", next()[0])
}

// TestWatchNames holds that a file is the same one however it was named, and that those beside it are not about it.
func TestWatchNames(t *testing.T) {
	for _, tc := range []struct {
		reason string
		args   []string
	}{
		{"this folder", nil},
		{"this folder by its name", []string{"./"}},
		{"a file", []string{"cases.yaml"}},
		{"a file with its folder", []string{"./cases.yaml"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			folder := t.TempDir()
			t.Chdir(folder)
			write := writer(t, folder)
			write("customizations.yaml", watchedRules)
			write("cases.yaml", strings.ReplaceAll(watchedCase, "NAME", "a"))
			next := watched(t, folder, tc.args...)
			assert.Equal(t, "ran 1 case; in all 1 passed, 0 failed; waiting for changes", last(next()))

			write(".cases.yaml", strings.ReplaceAll(watchedCase, "NAME", "hidden"))
			if len(tc.args) > 0 && filepath.Ext(tc.args[0]) == ".yaml" {
				write("other.yaml", strings.ReplaceAll(watchedCase, "NAME", "other"))
			}
			write("cases.yaml", strings.ReplaceAll(watchedCase, "output: {replica: 3}", "output: {replica: 4}"))
			assert.Equal(t, "ran 1 case; in all 0 passed, 1 failed; waiting for changes", last(next()))
			write("customizations.yaml", strings.ReplaceAll(watchedRules, "object.spec.replicas", "object.spec.replicas + 1"))
			assert.Equal(t, "ran 1 case; in all 1 passed, 0 failed; waiting for changes", last(next()))
		})
	}
}

func last(lines []string) string { return lines[len(lines)-1] }
