package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// lawOptions are the flags of test about laws.
type lawOptions struct {
	laws   bool
	seed   uint64
	inputs int
	save   string
	crds   []string
}

func (o *lawOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.laws, "laws", false, "check what holds for every rule as well, on the inputs of the cases and others made of them")
	f.Uint64Var(&o.seed, "seed", 1, "what the inputs for --laws are made from")
	f.IntVar(&o.inputs, "inputs", 0, "how many inputs --laws makes at random of each case (default 8)")
	f.StringSliceVar(&o.crds, "crd", nil, "CustomResourceDefinitions whose required fields --laws never takes away: files, folders or URLs")
	f.StringVar(&o.save, "save", "", "write the inputs that break a law as cases into this folder")
}

// prepare refuses what is of use with --laws alone.
func (o *lawOptions) prepare() error {
	if o.inputs < 0 {
		return unusablef("--inputs: want at least 0, got %d", o.inputs)
	}
	for _, given := range []struct {
		flag string
		is   bool
	}{{"--save", o.save != ""}, {"--crd", len(o.crds) > 0}, {"--inputs", o.inputs > 0}} {
		if given.is && !o.laws {
			return unusablef("%s: want --laws as well", given.flag)
		}
	}
	return nil
}

// checkLaws returns a result for each law that is broken. fresh returns the rules anew.
func (o *testOptions) checkLaws(ctx context.Context, found []*cases.Case, rules cases.Rules) ([]cases.Result, error) {
	if !o.laws.laws {
		return nil, nil
	}
	schemas, err := readSchemas(ctx, &reader{stdin: o.In, recursive: true}, o.laws.crds)
	if err != nil {
		return nil, err
	}
	checker := laws.Checker{
		Rules: rules, Seed: o.laws.seed, Inputs: o.laws.inputs, Parallel: o.parallel,
		Schema: func(gvk schema.GroupVersionKind) *script.Schema { return schemas[gvk] },
	}
	if o.webhook.url == "" && !slices.Contains(o.rules, "-") { // neither can be had anew
		checker.Fresh = func() (cases.Rules, error) { return o.answering(ctx) }
	}
	report, err := checker.Check(ctx, found)
	if err != nil {
		return nil, unusable(err)
	}
	fmt.Fprintf(o.ErrOut, "laws: %d questions about %s, seed %d\n", report.Questions, counted(report.Cases, "case"), report.Seed)
	results := make([]cases.Result, 0, len(report.Breaches))
	for i := range report.Breaches {
		results = append(results, report.Breaches[i].Result(report.Seed))
	}
	for _, unneeded := range report.Unneeded {
		switch {
		case o.run != "": // the cases that need it may be others
		case o.strict:
			results = append(results, unneeded.Result(report.Seed))
		default:
			fmt.Fprintf(o.ErrOut, "warning: %s\n", unneeded)
		}
	}
	if o.laws.save == "" {
		return results, nil
	}
	files, err := laws.Save(o.laws.save, report)
	for _, file := range files {
		fmt.Fprintf(o.ErrOut, "saved %s\n", file)
	}
	return results, err
}
