package main

import "github.com/spf13/cobra"

// registerCompletion lets the shell complete the values of a flag.
func registerCompletion(cmd *cobra.Command, flag string, values []string) {
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not there: a defect that every test of the command line finds
	}
}
