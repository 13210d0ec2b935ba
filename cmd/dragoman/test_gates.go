package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/cost"
	"github.com/dragoman-io/dragoman/cases/coverage"
	"github.com/dragoman-io/dragoman/cases/trace"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

// gateOptions are the flags of test about what a run as a whole must keep, and about what rules do meanwhile.
type gateOptions struct {
	coverage    []string
	minCoverage float64
	baseline    string
	updateCost  bool
	tolerance   float64
	trace       bool

	profile *coverage.Profile
	mu      sync.Mutex
	traces  map[*cases.Case]*trace.Recorder
}

func (o *gateOptions) addFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.coverage, "coverage", nil, "write which lines and branches of the rules ran: FILE.html, FILE.info (lcov), FILE.txt, or - for the terminal")
	f.Float64Var(&o.minCoverage, "min-coverage", 0, "fail when less than this percentage of the lines of Lua and branches of CEL ran")
	f.StringVar(&o.baseline, "cost-baseline", "", "fail when a case costs more than this file says")
	f.BoolVar(&o.updateCost, "update-cost", false, "write what the cases cost into the file of --cost-baseline")
	f.Float64Var(&o.tolerance, "cost-tolerance", 0, "how many percent more than the baseline a case may cost")
	f.BoolVar(&o.trace, "trace", false, "show what the rules do: lines and variables (Lua), the values of all parts (CEL), what is read")
}

// coverageFormats are the reports of coverage by the extension of their file.
var coverageFormats = map[string]func(io.Writer, []coverage.Rule) error{
	".html": coverage.HTML, ".info": coverage.LCOV, ".lcov": coverage.LCOV, ".txt": coverage.Text,
}

// prepare makes ready what watches the cases.
func (o *gateOptions) prepare() error {
	for _, file := range o.coverage {
		if file != "-" && coverageFormats[filepath.Ext(file)] == nil {
			return unusablef("--coverage: want a file that ends in .html, .info, .lcov or .txt, or -, got %q", file)
		}
	}
	if o.minCoverage < 0 || o.minCoverage > 100 {
		return unusablef("--min-coverage: want a percentage, got %v", o.minCoverage)
	}
	if o.updateCost && o.baseline == "" {
		return unusablef("--update-cost: want --cost-baseline as well")
	}
	if o.tolerance != 0 && o.baseline == "" {
		return unusablef("--cost-tolerance: want --cost-baseline as well")
	}
	o.profile, o.traces = nil, map[*cases.Case]*trace.Recorder{}
	if len(o.coverage) == 0 && o.minCoverage == 0 {
		return nil
	}
	byLanguage, err := engines()
	if err != nil {
		return err
	}
	o.profile = coverage.New(byLanguage)
	return nil
}

// cover makes the rules of a set count for coverage.
func (o *gateOptions) cover(link string, found ...customizations.Customization) {
	if o.profile == nil {
		return
	}
	for _, c := range found {
		o.profile.Add(c.Sources(link)...)
	}
}

// coverShipped is cover for the rules that are part of this program.
func (o *gateOptions) coverShipped() error {
	if o.profile == nil {
		return nil
	}
	catalogue, err := thirdparty.New(script.Limits{})
	if err != nil {
		return err
	}
	found, err := catalogue.Customizations()
	o.cover(thirdparty.Link, found...)
	return err
}

// demand appends a result to those of the cases for everything that the run as a whole does not keep.
func (o *testOptions) demand(ctx context.Context, results []cases.Result, rules cases.Rules) ([]cases.Result, error) {
	out := o.Out
	if o.output != "text" {
		out = o.ErrOut // the report is all there is on the standard output
	}
	if err := o.gate.writeTraces(out, results); err != nil {
		return nil, err
	}
	broken, err := o.gate.gates(out, o.ErrOut, results)
	if err != nil {
		return nil, err
	}
	found := make([]*cases.Case, len(results))
	for i := range results {
		found[i] = results[i].Case
	}
	lawless, err := o.checkLaws(ctx, found, rules)
	return slices.Concat(results, broken, lawless), err
}

// watch returns the trace of a case; nil when nobody wants to know.
func (o *gateOptions) watch(c *cases.Case) *interpreter.Trace {
	var traces []*interpreter.Trace
	if o.profile != nil {
		traces = append(traces, o.profile.Trace())
	}
	if o.trace {
		recorder := trace.New()
		o.mu.Lock()
		o.traces[c] = recorder
		o.mu.Unlock()
		traces = append(traces, recorder.Trace())
	}
	if traces == nil {
		return nil
	}
	return interpreter.JoinTraces(traces...)
}

// writeTraces writes what the rules did for each case.
func (o *gateOptions) writeTraces(w io.Writer, results []cases.Result) error {
	for i := range results {
		recorder := o.traces[results[i].Case]
		if recorder == nil || results[i].Gate != "" {
			continue
		}
		c := results[i].Case
		if _, err := fmt.Fprintf(w, "TRACE  %s  (%s:%d)\n", c.Name, filepath.ToSlash(c.File), c.Line); err != nil {
			return err
		}
		if err := recorder.Write(indented{w, "  "}); err != nil {
			return err
		}
	}
	return nil
}

// gates returns a result for everything that the run as a whole does not keep. Reports for the terminal go to out.
func (o *gateOptions) gates(out, errOut io.Writer, results []cases.Result) ([]cases.Result, error) {
	broken, err := o.checkCost(errOut, results)
	if err != nil || o.profile == nil {
		return broken, err
	}
	rules := o.profile.Rules()
	for _, file := range o.coverage {
		if file == "-" {
			err = coverage.Text(out, rules)
		} else {
			err = writeCoverage(file, rules)
		}
		if err != nil {
			return nil, fmt.Errorf("--coverage: %w", err)
		}
	}
	share := coverage.TotalOf(rules).Share
	if share.Percent() >= o.minCoverage {
		return broken, nil
	}
	return append(broken, belowCoverage(rules, share, o.minCoverage)), nil
}

func writeCoverage(file string, rules []coverage.Rule) error {
	var data bytes.Buffer
	if err := coverageFormats[filepath.Ext(file)](&data, rules); err != nil {
		return err
	}
	return os.WriteFile(file, data.Bytes(), 0o600)
}

// shown is how many places that were missed a message names.
const shown = 10

func belowCoverage(rules []coverage.Rule, share coverage.Share, want float64) cases.Result {
	result := cases.Result{
		Case: &cases.Case{}, Gate: "coverage", Outcome: cases.Broken,
		Problems: []string{fmt.Sprintf("want at least %g%% of the lines of Lua and branches of CEL, got %s", want, share)},
	}
	var missed []string
	for i := range rules {
		found := rules[i].Missed()
		if len(found) > 0 && len(missed) == 0 {
			result.Case.File, result.Case.Line = rules[i].Source.File, max(rules[i].Source.Line, 1)
		}
		missed = append(missed, found...)
	}
	if len(missed) > shown {
		missed = append(missed[:shown:shown], fmt.Sprintf("and %d more", len(missed)-shown))
	}
	result.Problems = append(result.Problems, missed...)
	return result
}

func (o *gateOptions) checkCost(errOut io.Writer, results []cases.Result) ([]cases.Result, error) {
	if o.baseline == "" {
		return nil, nil
	}
	baseline, err := cost.Read(o.baseline)
	if o.updateCost {
		if errors.Is(err, fs.ErrNotExist) {
			baseline, err = cost.New(o.baseline), nil
		}
		if err != nil {
			return nil, unusable(err)
		}
		baseline.Put(results)
		return nil, baseline.Write()
	}
	if err != nil {
		return nil, unusable(err)
	}
	broken, unknown := baseline.Compare(results, o.tolerance)
	if unknown > 0 {
		fmt.Fprintf(errOut, "cost: %s not in %s: add what they cost with --update-cost\n", counted(unknown, "case"), o.baseline)
	}
	return broken, nil
}

// indented writes each line with something before it.
type indented struct {
	w      io.Writer
	before string
}

func (i indented) Write(data []byte) (int, error) {
	lines := slices.Collect(strings.Lines(string(data)))
	for n, line := range lines {
		lines[n] = i.before + line
	}
	_, err := io.WriteString(i.w, strings.Join(lines, ""))
	return len(data), err
}
