package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func newVersion(streams genericiooptions.IOStreams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: examples("dragoman version", "dragoman version -o json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionInfo()
			if output == "" {
				_, err := fmt.Fprintf(streams.Out, "dragoman %s (%s, %s)\n", v["version"], v["goVersion"], v["platform"])
				return err
			}
			return printValue(streams.Out, output, v)
		},
	}
	addOutputFlag(cmd, &output)
	return cmd
}

// versionInfo returns what the build knows about itself.
func versionInfo() map[string]any {
	version, revision := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return map[string]any{
		"version":   version,
		"revision":  revision,
		"goVersion": runtime.Version(),
		"platform":  runtime.GOOS + "/" + runtime.GOARCH,
	}
}
