package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestReference holds that docs/cli.md says what the commands' help says.
func TestReference(t *testing.T) {
	const file = "../../docs/cli.md"
	root := newRoot("dragoman", genericiooptions.NewTestIOStreamsDiscard())
	var b strings.Builder
	b.WriteString("<!-- Generated: go test ./cmd/dragoman -update -->\n\n# Command line\n\n" + root.Long +
		"\n\nkubectl finds it as a plugin when it is installed as `kubectl-dragoman`. `dragoman completion` writes completions for shells.\n")
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" && cmd.Name() != "completion" {
			describeCommand(&b, cmd)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644)) //nolint:gosec // a file of the repository
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(have), "run with -update")
}

func describeCommand(b *strings.Builder, cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", cmd.CommandPath(), text, cmd.UseLine())
	if cmd.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n\n```\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	var rows strings.Builder
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
			usage += " (default `" + f.DefValue + "`)"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", name, kind, strings.ReplaceAll(usage, "|", `\|`))
	})
	if rows.Len() > 0 {
		b.WriteString("\n| flag | value | |\n|---|---|---|\n" + rows.String())
	}
	for _, sub := range cmd.Commands() {
		describeCommand(b, sub)
	}
}

// TestCommands holds what every command has: examples, and help that works.
func TestCommands(t *testing.T) {
	root := newRoot("dragoman", genericiooptions.NewTestIOStreamsDiscard())
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			assert.True(t, cmd.HasExample(), "a command has examples")
			assert.NotEmpty(t, cmd.Short)
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			assert.Equal(t, exitOK, run(t.Context(), []string{"dragoman", cmd.Name(), "--help"}, streams))
			assert.Contains(t, out.String(), "Examples:")
			assert.Empty(t, errOut.String())
		})
	}
}
