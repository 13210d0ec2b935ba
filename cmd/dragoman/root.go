package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// run runs the command line args, the program's name first, and returns the exit code.
func run(ctx context.Context, args []string, streams genericiooptions.IOStreams) (code int) {
	defer func() {
		if value := recover(); value != nil {
			fmt.Fprintf(streams.ErrOut, "error: internal: %v\n%s", value, debug.Stack())
			code = exitInternal
		}
	}()
	root := newRoot(filepath.Base(args[0]), streams)
	root.SetArgs(args[1:])
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(streams.ErrOut, "error: %s\n", text)
	}
	return exitCode(err)
}

// newRoot returns the whole command line of a program that was started under the given name.
func newRoot(name string, streams genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dragoman",
		Short: "What Kubernetes objects mean to a federation",
		Long: `Dragoman answers eight questions about a Kubernetes object: how many replicas, which components, what to keep,
which status to collect, how to merge statuses, is it healthy, what must travel with it.

Exit codes: 0 success; 1 a rule, a check or a case failed; 2 unusable input; 3 a gate failed; 4 no cases; 5 internal.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newInterpret(streams),
		newCheck(streams),
		newTest(streams),
		newExplain(streams),
		newDiff(streams),
		newServeCommand(streams),
		newConformCommand(streams),
		newImport(streams),
		newInit(streams),
		newUp(streams),
		newControllerManager(streams),
		newVersion(streams),
	)
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		nameAsPlugin(root, "kubectl "+plugin)
	}
	return root
}

// nameAsPlugin lets help and examples call the command by the name that kubectl gives it.
func nameAsPlugin(root *cobra.Command, name string) {
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	for _, cmd := range root.Commands() {
		cmd.Example = strings.ReplaceAll(cmd.Example, "  dragoman ", "  "+name+" ")
	}
}

// examples returns the lines of a command's examples, indented as cobra's help shows them.
func examples(lines ...string) string {
	return strings.ReplaceAll("  "+strings.Join(lines, "\n  "), "  \n", "\n")
}
