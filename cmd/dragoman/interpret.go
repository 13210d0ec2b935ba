package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/trace"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
)

// interpretOptions are the flags of interpret.
type interpretOptions struct {
	genericiooptions.IOStreams
	cluster clusterOptions
	webhook webhookOptions

	rules         []string
	recursive     bool
	chain         bool
	operation     string
	desired       string
	observed      string
	status        []string
	replicas      int32
	member        string
	targets       []string
	output        string
	managedFields bool
	check         bool
	sums          bool
	clusters      int
	trace         bool
	// known are the customizations that interpreter read, those given with -f last.
	known []customizations.Customization
	// flags tells which flags were given.
	flags *pflag.FlagSet
}

func newInterpret(streams genericiooptions.IOStreams) *cobra.Command {
	o := &interpretOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "interpret [FILE | FOLDER | URL | - | KIND/NAME]...",
		Short: "Ask what an object means",
		Long: `Asks one operation of an object, or all of them, and prints the answers.

Without -f the shipped rules answer, and about KIND/NAME the customizations of its cluster before them, as they do for the
controllers. Objects of a member are asked about with the rules of the control plane by --rules-context. What a webhook of
the cluster would answer is an error unless --ask-webhooks is given.

Rules given with -f answer alone: the others stand behind them only for what the rules themselves ask of the next link.
--chain lets those answer too, as if the given rules were applied to the cluster: one of the same name is replaced.

Exit codes: 0 answered; 1 a rule failed, or none answers the one operation that was asked; 2 unusable input.`,
		Example: examples(
			"# Everything there is to know about an object",
			"dragoman interpret flinkdeployment.yaml",
			"",
			"# One operation, by rules of your own",
			"dragoman interpret -f customizations.yaml --operation InterpretHealth --observed-file observed.yaml",
			"",
			"# The template with its members' statuses merged in",
			"dragoman interpret --operation AggregateStatus --desired-file template.yaml --status-file items.yaml",
			"",
			"# What the objects in a folder ask for in all, in three clusters",
			"dragoman interpret --totals --clusters 3 manifests/",
			"",
			"# An object in a cluster",
			"dragoman interpret deployment/web -n shop --operation InterpretHealth",
			"",
			"# An object in a member, by the rules of the control plane",
			"dragoman interpret deployment/web --context member1 --rules-context control-plane",
		),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	o.flags = f
	f.StringSliceVarP(&o.rules, "filename", "f", nil, "customizations that answer: files, folders, URLs or -")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	f.BoolVar(&o.chain, "chain", false, "let the shipped rules answer what the given ones do not")
	f.StringVar(&o.operation, "operation", "all", "what to ask: all, or one of "+strings.Join(operationNames(), ", "))
	f.StringVar(&o.desired, "desired-file", "", "the object as it is desired: file, URL or -")
	f.StringVar(&o.observed, "observed-file", "", "the object as it is in a member cluster: file, URL or -")
	f.StringSliceVar(&o.status, "status-file", nil, "what the members report, for AggregateStatus: files, folders, patterns, URLs or -")
	f.Int32Var(&o.replicas, "desired-replica", 0, "the number of replicas, for ReviseReplica")
	f.StringVar(&o.member, "cluster", "", "the member cluster that ReviseReplica and Retain are about")
	f.StringSliceVar(&o.targets, "target", nil, "a cluster that the object is placed on, as name=replicas; may be repeated")
	f.BoolVar(&o.sums, "totals", false, "print what the objects ask for in all, and what a quota charges for --clusters or --target")
	f.IntVar(&o.clusters, "clusters", 1, "how many clusters get the objects, for --totals")
	f.BoolVar(&o.managedFields, "show-managed-fields", false, "keep metadata.managedFields in printed objects")
	f.BoolVar(&o.check, "check", false, "check the customizations instead, as the command check does")
	f.BoolVar(&o.trace, "trace", false, "show what the rules do, on the error stream: lines and variables, values of all parts, what is read")
	o.cluster.addFlags(f)
	o.cluster.addAskFlag(f)
	o.webhook.addFlags(f)
	addOutputFlag(cmd, &o.output)
	cmd.MarkFlagsMutuallyExclusive("filename", "webhook")
	registerCompletion(cmd, "operation", append([]string{"all"}, operationNames()...))
	return cmd
}

func (o *interpretOptions) replicasGiven() bool { return o.flags.Changed("desired-replica") }

func operationNames() []string {
	var names []string
	for _, info := range interpreter.Operations() {
		names = append(names, string(info.Operation))
	}
	return names
}

// answer is what became of one question.
type answer struct {
	request *interpreter.Request
	source  interpreter.Source
	outputs []cases.Output
	printed []string
	// err is why there is no answer; ErrNotHandled when nobody answers.
	err error
	// missing is the input that the question lacks; it was not asked then.
	missing string
}

func (o *interpretOptions) run(ctx context.Context, args []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	files := &reader{stdin: o.In, recursive: o.recursive}
	if o.check {
		return checkFiles(ctx, o.IOStreams, files, append(o.rules, args...), checkOptions{output: o.output})
	}
	infos, err := operations(o.operation)
	if err != nil {
		return err
	}
	rules, err := o.interpreter(ctx, files, args)
	if err != nil {
		return err
	}
	if o.sums {
		return o.totals(ctx, files, rules, args)
	}
	in, err := o.inputs(ctx, files, args)
	if err != nil {
		return err
	}
	questions, err := in.questions(infos)
	if err != nil {
		return err
	}
	answers := make([]answer, len(questions))
	for i, q := range questions {
		if answers[i], err = o.ask(ctx, rules, q); err != nil {
			return err
		}
		for _, text := range answers[i].printed {
			fmt.Fprintf(o.ErrOut, "print: %s\n", text)
		}
	}
	if err := o.print(answers, len(infos) == 1); err != nil {
		return err
	}
	return o.verdict(answers, len(infos) == 1)
}

// operations returns the operations that a name means: one, or all.
func operations(name string) ([]interpreter.OperationInfo, error) {
	if strings.EqualFold(name, "all") {
		return interpreter.Operations(), nil
	}
	op, err := interpreter.ParseOperation(name)
	if err != nil {
		return nil, unusablef("--operation: %w, or all", err)
	}
	return []interpreter.OperationInfo{*op.Info()}, nil
}

// interpreter returns the rules that answer: for arguments that are in a cluster, with those that the cluster has.
func (o *interpretOptions) interpreter(ctx context.Context, files *reader, args []string) (interpreter.Interpreter, error) {
	if o.webhook.url != "" {
		return o.webhook.interpreter(ctx)
	}
	rest, err := shipped()
	if err != nil {
		return nil, err
	}
	own, err := o.cluster.rules(ctx, args)
	if err != nil {
		return nil, err
	}
	if own != nil {
		o.known = own.customizations
	}
	if len(o.rules) == 0 {
		return own.front(rest)
	}
	data, err := files.read(ctx, o.rules...)
	if err != nil {
		return nil, err
	}
	given, err := decodeRules(data)
	o.known = slices.Concat(o.known, given)
	switch {
	case err != nil:
		return nil, err
	case o.chain:
		return own.front(rest, given...)
	default:
		return own.behind(rest, given)
	}
}

// placement reads --target.
func (o *interpretOptions) placement() ([]workv1alpha2.TargetCluster, error) {
	var targets []workv1alpha2.TargetCluster
	for _, text := range o.targets {
		name, number, ok := strings.Cut(text, "=")
		replicas, err := strconv.ParseInt(number, 10, 32)
		if !ok || name == "" || err != nil || replicas < 0 {
			return nil, unusablef("--target: want name=replicas such as member1=3, got %q", text)
		}
		if slices.ContainsFunc(targets, func(t workv1alpha2.TargetCluster) bool { return t.Name == name }) {
			return nil, unusablef("--target: cluster %q appears twice: want each once", name)
		}
		targets = append(targets, workv1alpha2.TargetCluster{Name: name, Replicas: int32(replicas)})
	}
	return targets, nil
}

// ask asks one question, and shows what the rules did if that is wanted.
func (o *interpretOptions) ask(ctx context.Context, rules interpreter.Interpreter, q question) (answer, error) {
	if !o.trace || q.missing != "" {
		return ask(ctx, rules, q), nil
	}
	recorder := trace.New()
	a := ask(interpreter.WithTrace(ctx, recorder.Trace()), rules, q)
	if errors.Is(a.err, interpreter.ErrNotHandled) {
		return a, nil
	}
	if _, err := fmt.Fprintf(o.ErrOut, "TRACE  %s\n", q.request.Operation); err != nil {
		return a, err
	}
	return a, recorder.Write(indented{o.ErrOut, "  "})
}

// ask asks one question.
func ask(ctx context.Context, rules interpreter.Interpreter, q question) answer {
	a := answer{request: q.request, missing: q.missing}
	if q.missing != "" {
		return a
	}
	ctx = interpreter.WithTrace(ctx, interpreter.JoinTraces(interpreter.TraceOf(ctx), &interpreter.Trace{
		Answered: func(source interpreter.Source, _ error) { a.source = source },
		Printed:  func(_ interpreter.Source, text string) { a.printed = append(a.printed, text) },
	}))
	resp, err := interpreter.Client{Interpreter: rules}.Do(ctx, q.request)
	if err != nil {
		a.err = err
		return a
	}
	a.outputs, a.err = cases.Outputs(q.request.Operation, resp)
	return a
}

// verdict writes the errors and returns the one that ends the process, nil when every question was answered. That nobody
// answers is an error only when one operation was asked.
func (o *interpretOptions) verdict(answers []answer, single bool) error {
	failed := false
	for i := range answers {
		a := &answers[i]
		if a.err == nil || errors.Is(a.err, interpreter.ErrNotHandled) && !single {
			continue
		}
		failed = true
		fmt.Fprintf(o.ErrOut, "error: %v%s\n", a.err, o.otherTargets(a))
	}
	if failed {
		return exit(exitFailed, nil)
	}
	return nil
}

// otherTargets says what the given rules are for when nobody answers and they are for other kinds.
func (o *interpretOptions) otherTargets(a *answer) string {
	if len(o.rules) == 0 || !errors.Is(a.err, interpreter.ErrNotHandled) {
		return ""
	}
	var targets []string
	for _, c := range o.known {
		t := c.Object.Spec.Target
		targets = append(targets, t.APIVersion+" "+t.Kind)
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	kind := a.request.Kind.GroupVersion().String() + " " + a.request.Kind.Kind
	if len(targets) != 1 || targets[0] == kind || strings.Contains(targets[0], "*") {
		return ""
	}
	return ": those given are for " + targets[0]
}
