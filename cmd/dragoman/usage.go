package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagWants says in words what the values of flags look like, by the name that pflag has for their type.
var flagWants = map[string]string{
	"bool":     "true or false",
	"duration": "a duration such as 30s",
	"float64":  "a number",
	"int":      "a whole number",
	"int32":    "a whole number of at most 32 bits",
	"uint64":   "a whole number of at least 0",
}

// flagError returns the error of a command line whose flags cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		if want, ok := flagWants[flag.Value.Type()]; ok {
			err = fmt.Errorf("--%s: want %s, got %q", flag.Name, want, invalid.GetValue())
		}
	}
	return unusablef("%w (see %s --help)", err, cmd.CommandPath())
}

// wantArgs returns the check that a command gets as many arguments as its usage line says: from least to most, or any
// number from least when most is 0.
func wantArgs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most == 0 || len(args) <= most) {
			return nil
		}
		_, want, _ := strings.Cut(cmd.Use, " ")
		return unusablef("want %s, got %s (see %s --help)", want, counted(len(args), "argument"), cmd.CommandPath())
	}
}
