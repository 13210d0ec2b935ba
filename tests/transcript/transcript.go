package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Options say how transcripts are run.
type Options struct {
	// Bin is the folder of the commands, first in the PATH.
	Bin string
	// Folder is where the commands run; empty for a new folder. Files are written to a new folder only.
	Folder string
	// Links are folders and files that are in a new folder under the given names.
	Links map[string]string
	// Update rewrites what the files say is printed.
	Update bool
}

// grace is how long a command's children may hold its output open after its end.
const grace = 10 * time.Second

// block is a fenced block: its language, and the lines between the fences as places in the file.
type block struct {
	language   string
	first, end int // of the lines, not counting the fences
}

var (
	fence    = regexp.MustCompile("^```([a-z]*)\\s*$")
	fileName = regexp.MustCompile(`^(?:#|//|--)\s+([\w./-]+\.[a-z]+)\s*$`)
)

// Run runs the transcript in file.
func Run(t *testing.T, file string, o Options) {
	t.Helper()
	data, err := os.ReadFile(file) //nolint:gosec // a test names it
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	folder := o.Folder
	if folder == "" {
		folder = t.TempDir()
	}
	for name, target := range o.Links {
		require.NoError(t, os.Symlink(target, filepath.Join(folder, name)))
	}
	blocks, err := parse(lines)
	require.NoError(t, err, file)

	var out []string // the file with what is printed now
	copied := 0
	for i, b := range blocks {
		text := lines[b.first:b.end]
		if b.language != "sh" {
			if o.Folder == "" {
				write(t, folder, text)
			}
			continue
		}
		printed := o.run(t, folder, strings.Join(text, "\n"))
		if i+1 == len(blocks) || blocks[i+1].language != "text" {
			assert.NotContains(t, printed, "(exit status", "%s:%d: a command fails, and no text block says so", file, b.first)
			continue
		}
		shown := blocks[i+1]
		want := strings.Join(lines[shown.first:shown.end], "\n")
		if o.Update {
			out = append(append(out, lines[copied:shown.first]...), strings.Split(printed, "\n")...)
			copied = shown.end
			continue
		}
		assert.Equal(t, want, printed, "%s:%d: what the command prints", file, shown.first)
	}
	if o.Update {
		out = append(out, lines[copied:]...)
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(out, "\n")), 0o644)) //nolint:gosec // a file of the repository
	}
}

// parse finds the fenced blocks.
func parse(lines []string) ([]block, error) {
	var blocks []block
	open := false
	for i, line := range lines {
		found := fence.FindStringSubmatch(line)
		switch {
		case found == nil:
		case open:
			blocks[len(blocks)-1].end = i
			open = false
		default:
			blocks = append(blocks, block{language: found[1], first: i + 1})
			open = true
		}
	}
	if open {
		return nil, fmt.Errorf("line %d: the block is not closed", blocks[len(blocks)-1].first)
	}
	return blocks, nil
}

// write writes a block that names a file.
func write(t *testing.T, folder string, text []string) {
	t.Helper()
	if len(text) == 0 {
		return
	}
	found := fileName.FindStringSubmatch(text[0])
	if found == nil {
		return
	}
	path := filepath.Join(folder, filepath.FromSlash(found[1]))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(text, "\n")+"\n"), 0o600))
}

// run returns what a shell script prints, without the newline at the end.
func (o Options) run(t *testing.T, folder, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script) //nolint:gosec // the file is part of the repository
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+o.Bin+string(os.PathListSeparator)+os.Getenv("PATH"), "KUBECONFIG="+os.DevNull, "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = grace
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if exit != nil {
		if text != "" {
			text += "\n"
		}
		text += fmt.Sprintf("(exit status %d)", exit.ExitCode())
	}
	return text
}

// Build builds the command in the package at path into a folder, and returns the folder.
func Build(path, name, folder string) error {
	out, err := exec.Command("go", "build", "-o", filepath.Join(folder, name), path).CombinedOutput() //nolint:gosec,noctx // a package of this module
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", path, err, out)
	}
	return nil
}
