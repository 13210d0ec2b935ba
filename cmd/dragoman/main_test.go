package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/tests/transcript"
)

var (
	update = flag.Bool("update", false, "rewrite what the transcripts in testdata print")
	// bin is the folder of the built command. TestMain sets it.
	bin string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := testMain(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func testMain(m *testing.M) (int, error) {
	folder, err := os.MkdirTemp("", "dragoman-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := transcript.Build(".", "dragoman", folder); err != nil {
		return 0, err
	}
	if err := os.Symlink("dragoman", filepath.Join(folder, "kubectl-dragoman")); err != nil {
		return 0, err
	}
	bin = folder
	return m.Run(), nil
}

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			transcript.Run(t, file, transcript.Options{Bin: bin, Update: *update, Links: map[string]string{"examples": examples}})
		})
	}
}
