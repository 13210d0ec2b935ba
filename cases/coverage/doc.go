// Package coverage tells which lines and branches of customizations cases have run: lines of Lua, and for both languages
// each condition that came out true and false and each part of an expression that may be left out. Everything is mapped to
// the file that holds the script.
//
//	profile, err := coverage.New(engines, set.Sources())
//	runner := cases.Runner{Rules: rules, Watch: func(*cases.Case) *interpreter.Trace { return profile.Trace() }}
//	runner.Run(ctx, found)
//	err = coverage.Text(os.Stdout, profile.Rules())
//
// A rule that no case asked counts as not covered at all.
package coverage
