package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/scaffold"
)

// initOptions are the flags of init.
type initOptions struct {
	genericiooptions.IOStreams

	out     string
	version string
	force   bool
}

func newInit(streams genericiooptions.IOStreams) *cobra.Command {
	o := &initOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "init FILE | URL | -",
		Short: "Begin a customization from a CustomResourceDefinition",
		Long: `Writes a customization, cases and a Makefile for the kind that a CustomResourceDefinition defines: replicas from its scale
subresource, requirements and dependencies from the pod templates in its schema, and rules for its status. Comments say
what was guessed and how to change it. The result passes check and test as it is.`,
		Example: examples(
			"dragoman init crd.yaml -o widgets",
			"make -C widgets",
		),
		Args: wantArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.init(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output-dir", "o", "", "the folder to write into (default the kind's plural name)")
	f.StringVar(&o.version, "version", "", "the version that the rules are for (default the one that is stored)")
	f.BoolVar(&o.force, "force", false, "replace files that are there")
	return cmd
}

func (o *initOptions) init(ctx context.Context, name string) error {
	definition, err := (&reader{stdin: o.In}).read(ctx, name)
	if err != nil {
		return err
	}
	if len(definition) != 1 {
		return unusablef("%s: want one file, got %d", name, len(definition))
	}
	kind, err := scaffold.Read(definition[0].name, definition[0].data, o.version)
	if err != nil {
		return unusable(err)
	}
	if o.out == "" {
		o.out = kind.Plural
	}
	files, err := kind.Files(seenFrom(o.out, definition[0].name))
	if err != nil {
		return unusablef("%s: %w", name, err)
	}
	return o.write(files)
}

// seenFrom returns the path to a file as seen from a folder; empty when there is no such file.
func seenFrom(folder, file string) string {
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(relative)
}

// write writes all files, or none when one is there already.
func (o *initOptions) write(files []scaffold.File) error {
	for _, f := range files {
		path := filepath.Join(o.out, f.Name)
		if _, err := os.Lstat(path); err == nil && !o.force {
			return unusablef("%s: %w: --force replaces it", path, fs.ErrExist)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unusablef("%s: %w", path, cause(err))
		}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // for everyone to read, as sources are
		return unusable(err)
	}
	for _, f := range files {
		path := filepath.Join(o.out, f.Name)
		if err := os.WriteFile(path, f.Data, 0o644); err != nil { //nolint:gosec // likewise
			return unusable(err)
		}
		if _, err := fmt.Fprintf(o.Out, "wrote %s\n", filepath.ToSlash(path)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(o.Out, "next: make -C %s\n", quoted(filepath.ToSlash(o.out)))
	return err
}
