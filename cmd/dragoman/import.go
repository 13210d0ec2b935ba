package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/imports/argocd"
)

func newImport(streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import",
		Short:   "Make customizations and cases of another project's rules",
		Long:    "Makes customizations and cases of rules that were written for another project.",
		Example: examples("dragoman import argocd resource_customizations -o customizations"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:    cobra.NoArgs,
	}
	cmd.AddCommand(newImportArgoCD(streams))
	return cmd
}

// importOptions are the flags of import argocd.
type importOptions struct {
	genericiooptions.IOStreams

	out   string
	force bool
	clock string
}

func newImportArgoCD(streams genericiooptions.IOStreams) *cobra.Command {
	o := &importOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "argocd DIR",
		Short: "Make customizations and cases of Argo CD health checks",
		Long: `Makes a customization of each <group>/<Kind>/health.lua below the folder, and a suite of the cases in the health_test.yaml
beside it. Scripts stay as they are, inside a function. Checks are for every version of a group; _ for a kind is every
kind, and _.example.com every group with that ending. Exact checks are asked before these.

A script that asks for the time is tested at the time of the import; --clock names another.

Exit codes: 0 all is imported; 1 something was skipped, and the rest is imported; 2 unusable input.`,
		Example: examples(
			"dragoman import argocd resource_customizations -o customizations",
			"dragoman test customizations",
		),
		Args: wantArgs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return o.importArgoCD(args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output-dir", "o", "customizations", "the folder to write into")
	f.BoolVar(&o.force, "force", false, "replace files that are there")
	f.StringVar(&o.clock, "clock", "now", "the time in the cases of scripts that ask for it: now, or 2026-01-31T12:00:00Z")
	return cmd
}

func (o *importOptions) importArgoCD(dir string) error {
	clock := time.Now()
	if o.clock != "now" {
		var err error
		if clock, err = time.Parse(time.RFC3339, o.clock); err != nil {
			return unusablef("--clock: want now or a time such as 2026-01-31T12:00:00Z, got %q", o.clock)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return unusablef("%s: %w", dir, cause(err))
	}
	defer root.Close()
	checks, err := argocd.Read(root.FS(), argocd.Options{Clock: clock})
	if err != nil {
		return unusablef("%s: %w", dir, err)
	}
	if err := checks.Write(o.out, o.force); errors.Is(err, os.ErrExist) {
		return unusablef("%w: --force replaces it", err)
	} else if err != nil {
		return unusable(err)
	}
	return o.report(dir, checks)
}

// report says what was imported and what was not.
func (o *importOptions) report(dir string, checks *argocd.Checks) error {
	for _, skip := range checks.Skipped {
		fmt.Fprintf(o.ErrOut, "skipped %s: %v\n", filepath.ToSlash(filepath.Join(dir, skip.Path)), skip.Err)
	}
	for _, folder := range checks.Untested {
		fmt.Fprintf(o.ErrOut, "note: %s has no cases\n", folder)
	}
	if n := len(checks.Actions); n > 0 {
		fmt.Fprintf(o.ErrOut, "note: %s of actions passed over: no operation is like them\n", counted(n, "folder"))
	}
	if _, err := fmt.Fprintf(o.Out, "%s and %s imported into %s, %d skipped\n",
		counted(len(checks.Checks), "health check"), counted(checks.Cases(), "case"), filepath.ToSlash(o.out), len(checks.Skipped)); err != nil {
		return err
	}
	if len(checks.Skipped) > 0 {
		return exit(exitFailed, nil)
	}
	return nil
}
