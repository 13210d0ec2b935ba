package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

// testOptions are the flags of test.
type testOptions struct {
	genericiooptions.IOStreams
	cluster clusterOptions
	webhook webhookOptions
	laws    lawOptions
	gate    gateOptions

	rules    []string
	shipped  bool
	chain    bool
	strict   bool
	update   bool
	verbose  bool
	watch    bool
	run      string
	parallel int
	output   string

	// own are the rules of the cluster that the flags or arguments mean; nil when there are none.
	own *clusterRules
}

func newTest(streams genericiooptions.IOStreams) *cobra.Command {
	o := &testOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "test [FILE | FOLDER | KIND/NAME]...",
		Short: "Run case files",
		Long: `Runs every case in the files and folders (default: this folder), and says which answers are not as expected. An object in a
cluster is a case of each operation that a rule answers, and passes when it does; --laws checks more of it.

The rules given with -f answer; else those in the nearest customizations.yaml at or above the folder of the case; else the
customizations of the cluster that KIND/NAME or --context means; else the shipped ones. Rules of your own answer alone: the
others stand behind them only for what the rules themselves ask of the next link; --chain lets those answer too.

Exit codes: 0 all passed; 1 a case failed; 2 unusable input; 3 a gate failed; 4 no cases; 5 internal.`,
		Example: examples(
			"dragoman test",
			"dragoman test cases/ --run 'two members'",
			"",
			"# Cases of another project against the shipped rules",
			"dragoman test --shipped testdata/",
			"",
			"# Write what the rules answer now as what is expected",
			"dragoman test cases/flink.yaml --update",
			"",
			"# An object in a cluster, with the rules of that cluster",
			"dragoman test deployment/web -n shop --laws",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return o.test(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.rules, "filename", "f", nil, "customizations that answer: files or folders")
	f.BoolVar(&o.shipped, "shipped", false, "let the shipped rules answer, whatever lies beside the cases")
	f.BoolVar(&o.chain, "chain", false, "let the shipped rules answer what the given ones do not")
	f.BoolVar(&o.strict, "strict", false, "compare recorded cases strictly, and fail those that expect nothing")
	f.BoolVar(&o.update, "update", false, "rewrite what cases expect to what is answered, in place")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list the cases that passed as well")
	f.BoolVar(&o.watch, "watch", false, "keep running: test again what a changed file is about")
	f.StringVar(&o.run, "run", "", "run only the cases whose name matches this regular expression")
	f.IntVar(&o.parallel, "parallel", 0, "how many cases run at once (default one for each processor)")
	f.StringVarP(&o.output, "output", "o", "text", "report: text, json, junit, github")
	registerCompletion(cmd, "output", []string{"text", "json", "junit", "github"})
	o.cluster.addFlags(f)
	o.cluster.addAskFlag(f)
	o.webhook.addFlags(f)
	o.laws.addFlags(f)
	o.gate.addFlags(f)
	cmd.MarkFlagsMutuallyExclusive("filename", "shipped", "webhook")
	cmd.MarkFlagsMutuallyExclusive("watch", "update")
	return cmd
}

func (o *testOptions) test(ctx context.Context, paths []string) error {
	report, err := o.report()
	if err != nil {
		return err
	}
	if o.parallel < 0 {
		return unusablef("--parallel: want at least 0, got %d", o.parallel)
	}
	if err := o.laws.prepare(); err != nil {
		return err
	}
	if err := o.gate.prepare(); err != nil {
		return err
	}
	found, err := o.load(ctx, paths)
	if err != nil {
		return err
	}
	if o.webhook.url == "" && !o.shipped {
		if o.own, err = o.cluster.rules(ctx, paths); err != nil {
			return err
		}
	}
	if found, err = o.chosen(found); err != nil {
		return err
	}
	if o.watch {
		return o.keepTesting(ctx, paths, found, report)
	}
	rules, err := o.answering(ctx)
	if err != nil {
		return err
	}
	runner := cases.Runner{Rules: rules, Strict: o.strict, Parallel: o.parallel, Watch: o.gate.watch}
	results := answered(runner.Run(ctx, found))
	if len(results) == 0 {
		return exit(exitNoCases, fmt.Errorf("%s: no rule answers about it", strings.Join(paths, ", ")))
	}
	if o.update {
		return o.rewrite(results)
	}
	if results, err = o.demand(ctx, results, rules); err != nil {
		return err
	}
	if err := report(o.Out, results); err != nil {
		return err
	}
	return o.verdict(results)
}

// chosen returns the cases that --run selects.
func (o *testOptions) chosen(found []*cases.Case) ([]*cases.Case, error) {
	if o.run == "" {
		return found, nil
	}
	pattern, err := regexp.Compile(o.run)
	if err != nil {
		return nil, unusablef("--run: %w", err)
	}
	found = slices.DeleteFunc(found, func(c *cases.Case) bool { return !pattern.MatchString(c.Name) })
	if len(found) == 0 {
		return nil, exit(exitNoCases, fmt.Errorf("--run: no case has a name that matches %q", o.run))
	}
	return found, nil
}

// answering returns which rules answer each case.
func (o *testOptions) answering(ctx context.Context) (cases.Rules, error) {
	rest, err := shipped()
	if err != nil {
		return nil, err
	}
	others, err := o.own.front(rest)
	if err != nil {
		return nil, err
	}
	given := func(files ...string) (interpreter.Interpreter, error) {
		data, err := (&reader{stdin: o.In, recursive: true}).read(ctx, files...)
		if err != nil {
			return nil, err
		}
		found, err := decodeRules(data)
		if err != nil {
			return nil, err
		}
		o.gate.cover(customizationsLink, found...)
		if o.chain {
			return o.own.front(rest, found...)
		}
		return compile(found, false)
	}
	switch {
	case o.webhook.url != "":
		remote, err := o.webhook.interpreter(ctx)
		return cases.Fixed(remote), err
	case o.shipped:
		if err := o.gate.coverShipped(); err != nil {
			return nil, err
		}
		return cases.Fixed(rest), nil
	case len(o.rules) > 0:
		rules, err := given(o.rules...)
		if err != nil {
			return nil, err
		}
		return cases.Fixed(cases.Alone(rules, others)), nil
	default:
		nearest := cases.Nearest(given, others)
		return func(c *cases.Case) (interpreter.Interpreter, error) {
			if isResourceName(c.File) {
				return others, nil
			}
			return nearest(c)
		}, nil
	}
}

// report returns the report that was asked for.
func (o *testOptions) report() (cases.Report, error) {
	switch o.output {
	case "text":
		text := cases.Text{Verbose: o.verbose, Rerun: o.rerun()}
		if printers.AllowsColorOutput(o.Out) {
			text.Mark = colored
		}
		return text.Write, nil
	case "json":
		return cases.JSON, nil
	case "junit":
		return cases.JUnit, nil
	case "github":
		return cases.GitHub, nil
	}
	return nil, unusablef("--output: want one of text, json, junit, github, got %q", o.output)
}

// colored returns an outcome's label in the colour of its meaning.
func colored(outcome cases.Outcome) string {
	switch outcome {
	case cases.Passed:
		return "\x1b[32mPASS\x1b[0m"
	case cases.Failed:
		return "\x1b[31mFAIL\x1b[0m"
	case cases.Broken:
		return "\x1b[31mGATE\x1b[0m"
	default:
		return "\x1b[33mNONE\x1b[0m"
	}
}

// rerun returns the command line that runs one case again.
func (o *testOptions) rerun() func(*cases.Case) string {
	var flags strings.Builder
	for _, file := range o.rules {
		flags.WriteString(" -f " + quoted(file))
	}
	flags.WriteString(o.webhook.given())
	for _, flag := range []struct {
		given bool
		name  string
	}{{o.shipped, "shipped"}, {o.chain, "chain"}, {o.strict, "strict"}} {
		if flag.given {
			flags.WriteString(" --" + flag.name)
		}
	}
	flags.WriteString(o.cluster.given())
	return func(c *cases.Case) string {
		return fmt.Sprintf("dragoman test %s --run %s%s", quoted(filepath.ToSlash(c.File)), quoted("^"+regexp.QuoteMeta(c.Name)+"$"), flags.String())
	}
}

var plainWord = regexp.MustCompile(`^[-\w./:=@%+,]+$`)

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (o *testOptions) verdict(results []cases.Result) error {
	code := exitOK
	for i := range results {
		var crash *cases.PanicError
		var unread *exitError
		switch {
		case errors.As(results[i].Err, &crash):
			fmt.Fprintf(o.ErrOut, "%s: %v\n%s\n", results[i].Case.Name, crash, crash.Stack)
			return exit(exitInternal, nil)
		case errors.As(results[i].Err, &unread): // its rules cannot be read
			code = unread.code
		case results[i].Outcome == cases.Failed && code != exitUnusable:
			code = exitFailed
		case results[i].Outcome == cases.Broken && code == exitOK:
			code = exitGate
		}
	}
	if code == exitOK {
		return nil
	}
	return exit(code, nil)
}

// rewrite writes what is answered as what is expected, and says which files it changed.
func (o *testOptions) rewrite(results []cases.Result) error {
	changed, err := cases.Update(results, cases.UpdateOptions{Strict: o.strict})
	for _, file := range changed {
		if _, writeErr := io.WriteString(o.Out, "updated "+file+"\n"); writeErr != nil {
			return writeErr
		}
	}
	if err != nil {
		return exit(exitFailed, err)
	}
	_, err = fmt.Fprintf(o.Out, "%s updated\n", counted(len(changed), "file"))
	return err
}
