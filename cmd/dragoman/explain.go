package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/interpreter"
)

func newExplain(streams genericiooptions.IOStreams) *cobra.Command {
	o := &interpretOptions{IOStreams: streams, chain: true}
	cmd := &cobra.Command{
		Use:   "explain {FILE | FOLDER | URL | - | KIND/NAME | VERSION/KIND | GROUP/VERSION/KIND}...",
		Short: "Say which rule answers each operation, and what it hides",
		Long: `Says for a kind, or for the kind of an object, which rule answers each operation and which rules stand behind it: hidden,
unless the rule declines or asks the next one. In front of the shipped rules are those of the cluster that KIND/NAME or
--context means: customizations, then webhooks, which are named and not asked. Rules given with -f are customizations, too:
they stand among the cluster's as if they were applied to it, where one of the same name is replaced.

Of objects it says as well what the answers cost, for each rule the most that any of the objects costs, of what a rule may
spend: members report the object's own status, and it is revised to 2 replicas. The estimate of a rule in CEL is what its
expression costs at most when no list, map or text has more than 1024 parts; what becomes of its value costs a little more.
There is no estimate for Lua.`,
		Example: examples(
			"dragoman explain flinkdeployment.yaml",
			"dragoman explain apps/v1/Deployment",
			"dragoman explain v1/Pod -f customizations.yaml",
			"",
			"# What the rules of a control plane mean for a kind, and what applying a file would change",
			"dragoman explain apps/v1/Deployment --context control-plane",
			"dragoman explain apps/v1/Deployment --context control-plane -f customizations.yaml",
		),
		Args: wantArgs(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.rules, "filename", "f", nil, "customizations in front of the shipped rules: files, folders, URLs or -")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	o.cluster.addFlags(f)
	addOutputFlag(cmd, &o.output)
	return cmd
}

// explanation is which rules there are for the operations of a kind, and what they cost.
type explanation struct {
	subject

	rules map[interpreter.Operation][]ruleInfo
}

// ruleInfo is a rule and what it costs.
type ruleInfo struct {
	interpreter.Source

	ruleCost
}

// subject is a kind, and the objects of it that were given.
type subject struct {
	kind    schema.GroupVersionKind
	objects []*unstructured.Unstructured
}

func (o *interpretOptions) explain(ctx context.Context, args []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	files := &reader{stdin: o.In, recursive: o.recursive}
	rules, err := o.interpreter(ctx, files, slices.DeleteFunc(slices.Clone(args), isKind))
	if err != nil {
		return err
	}
	kinds, err := o.kinds(ctx, files, args)
	if err != nil {
		return err
	}
	estimates, err := o.estimates()
	if err != nil {
		return err
	}
	explanations := make([]explanation, len(kinds))
	for i, k := range kinds {
		explanations[i] = explanation{subject: k, rules: map[interpreter.Operation][]ruleInfo{}}
		spent := k.costs(ctx, rules)
		for _, info := range interpreter.Operations() {
			for _, source := range interpreter.Explain(rules, k.kind, info.Operation) {
				rule := ruleInfo{Source: source, ruleCost: spent[costKey(info.Operation, source)]}
				if rule.estimate, err = estimates.of(source); err != nil {
					return err
				}
				explanations[i].rules[info.Operation] = append(explanations[i].rules[info.Operation], rule)
			}
		}
	}
	if o.output != "" {
		return printValue(o.Out, o.output, explanationDocument(explanations))
	}
	return printExplanations(o.Out, explanations)
}

// kinds returns the kinds that arguments name or whose objects they name, each once.
func (o *interpretOptions) kinds(ctx context.Context, files *reader, args []string) ([]subject, error) {
	var kinds []subject
	add := func(gvk schema.GroupVersionKind, objects ...*unstructured.Unstructured) {
		i := slices.IndexFunc(kinds, func(k subject) bool { return k.kind == gvk })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, subject{kind: gvk})
		}
		kinds[i].objects = append(kinds[i].objects, objects...)
	}
	for _, arg := range args {
		if gvk, ok := kindArgument(arg); ok {
			add(gvk)
			continue
		}
		objects, err := o.subjects(ctx, files, []string{arg})
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			add(object.GroupVersionKind(), object)
		}
	}
	return kinds, nil
}

func isKind(arg string) bool {
	_, ok := kindArgument(arg)
	return ok
}

// kindArgument reads VERSION/KIND and GROUP/VERSION/KIND. A kind begins with a capital letter.
func kindArgument(arg string) (schema.GroupVersionKind, bool) {
	i := strings.LastIndex(arg, "/")
	if i < 1 || i+1 == len(arg) || arg[i+1] < 'A' || arg[i+1] > 'Z' || strings.Contains(arg[i+1:], ".") {
		return schema.GroupVersionKind{}, false
	}
	gv, err := schema.ParseGroupVersion(arg[:i])
	return gv.WithKind(arg[i+1:]), err == nil
}

// printExplanations writes a table for each kind: the rule that answers, and below it those behind it.
func printExplanations(w io.Writer, explanations []explanation) error {
	var b strings.Builder
	for i := range explanations {
		e := &explanations[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %s\n", e.kind.GroupVersion(), e.kind.Kind)
		if err := e.print(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// print writes the table. It has no column for what nothing is known of.
func (e *explanation) print(w io.Writer) error {
	columns := e.columns()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(first string, cell func(column) string) {
		fmt.Fprint(table, first)
		for _, c := range columns {
			fmt.Fprint(table, "\t"+cell(c))
		}
		fmt.Fprintln(table)
	}
	row("OPERATION", func(c column) string { return c.heading })
	for _, info := range interpreter.Operations() {
		rules := e.rules[info.Operation]
		if len(rules) == 0 {
			row(string(info.Operation), func(c column) string { return c.nobody })
		}
		for i := range rules {
			first := string(info.Operation)
			switch {
			case i > 0 && rules[i].Joined && rules[i-1].Joined:
				first = "  joined with"
			case i > 0:
				first = "  behind it"
			}
			row(first, func(c column) string { return c.of(&rules[i]) })
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// column is a column of the table behind that of the operations.
type column struct {
	heading, nobody string
	of              func(*ruleInfo) string
}

func (e *explanation) columns() []column {
	columns := []column{{"ANSWERED BY", "nobody", func(r *ruleInfo) string { return describeSource(r.Source) }}}
	for _, optional := range []column{
		{"COST", "", func(r *ruleInfo) string { return r.spentText() }},
		{"ESTIMATE", "", func(r *ruleInfo) string { return r.estimateText() }},
	} {
		for _, rules := range e.rules {
			if slices.ContainsFunc(rules, func(r ruleInfo) bool { return optional.of(&r) != "" }) {
				columns = append(columns, optional)
				break
			}
		}
	}
	return append(columns, column{"AT", "", func(r *ruleInfo) string { return r.Position }})
}

// describeSource returns a source with when it declines and why it does not load.
func describeSource(s interpreter.Source) string {
	text := s.String()
	if s.Condition != "" {
		text += ", declines " + s.Condition
	}
	if s.Err != nil {
		first, _, _ := strings.Cut(s.Err.Error(), "\n")
		text += ", does not load: " + first
	}
	return text
}

func explanationDocument(explanations []explanation) map[string]any {
	items := make([]any, 0, len(explanations))
	for _, e := range explanations {
		operations := map[string]any{}
		for _, info := range interpreter.Operations() {
			rules := make([]any, 0, len(e.rules[info.Operation]))
			for _, rule := range e.rules[info.Operation] {
				rules = append(rules, rule.document(sourceDocument(rule.Source)))
			}
			operations[string(info.Operation)] = rules
		}
		items = append(items, map[string]any{
			"apiVersion": e.kind.GroupVersion().String(), "kind": e.kind.Kind, "operations": operations,
		})
	}
	return map[string]any{"apiVersion": outputVersion, "kind": "ExplainResultList", "items": items}
}

func sourceDocument(s interpreter.Source) map[string]any {
	out := map[string]any{"link": s.Link}
	for key, text := range map[string]string{
		"name": s.Name, "field": s.Field, "language": s.Language, "position": s.Position, "condition": s.Condition,
	} {
		if text != "" {
			out[key] = text
		}
	}
	if s.Joined {
		out["joined"] = true
	}
	if s.Err != nil {
		out["error"] = s.Err.Error()
	}
	return out
}
