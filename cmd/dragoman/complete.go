package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// registerCompletion lets the shell complete the values of a flag. Behind a value that ends in = more is to be typed.
func registerCompletion(cmd *cobra.Command, flag string, values []string) {
	complete := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		fitting := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !strings.HasPrefix(v, typed) })
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(fitting) == 1 && strings.HasSuffix(fitting[0], "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return fitting, directive
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not there: a defect that every test of the command line finds
	}
}
