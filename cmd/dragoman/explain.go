package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/interpreter"
)

func newExplain(streams genericiooptions.IOStreams) *cobra.Command {
	o := &interpretOptions{IOStreams: streams, chain: true}
	cmd := &cobra.Command{
		Use:   "explain [FILE | URL | - | KIND/NAME | VERSION/KIND | GROUP/VERSION/KIND]...",
		Short: "Say which rule answers each operation, and what it hides",
		Long: `Says for a kind, or for the kind of an object, which rule answers each operation and which rules stand behind it: hidden,
unless the rule declines or asks the next one. In front of the shipped rules are those of the cluster that KIND/NAME or
--context means: customizations, then webhooks, which are named and not asked. Rules given with -f are customizations, too:
they stand among the cluster's as if they were applied to it, where one of the same name is replaced.`,
		Example: examples(
			"dragoman explain flinkdeployment.yaml",
			"dragoman explain apps/v1/Deployment",
			"dragoman explain v1/Pod -f customizations.yaml",
			"",
			"# What the rules of a control plane mean for a kind, and what applying a file would change",
			"dragoman explain apps/v1/Deployment --context control-plane",
			"dragoman explain apps/v1/Deployment --context control-plane -f customizations.yaml",
		),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.rules, "filename", "f", nil, "customizations in front of the shipped rules: files, folders, URLs or -")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	o.cluster.addFlags(f)
	addOutputFlag(cmd, &o.output)
	return cmd
}

// explanation is which rules there are for the operations of a kind.
type explanation struct {
	kind  schema.GroupVersionKind
	rules map[interpreter.Operation][]interpreter.Source
}

func (o *interpretOptions) explain(ctx context.Context, args []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	files := &reader{stdin: o.In, recursive: o.recursive}
	rules, err := o.interpreter(ctx, files, args)
	if err != nil {
		return err
	}
	kinds, err := o.kinds(ctx, files, args)
	if err != nil {
		return err
	}
	explanations := make([]explanation, len(kinds))
	for i, gvk := range kinds {
		explanations[i] = explanation{kind: gvk, rules: map[interpreter.Operation][]interpreter.Source{}}
		for _, info := range interpreter.Operations() {
			explanations[i].rules[info.Operation] = interpreter.Explain(rules, gvk, info.Operation)
		}
	}
	if o.output != "" {
		return printValue(o.Out, o.output, explanationDocument(explanations))
	}
	return printExplanations(o.Out, explanations)
}

// kinds returns the kinds that arguments name or whose objects they name, each once.
func (o *interpretOptions) kinds(ctx context.Context, files *reader, args []string) ([]schema.GroupVersionKind, error) {
	var kinds []schema.GroupVersionKind
	seen := map[schema.GroupVersionKind]bool{}
	add := func(gvk schema.GroupVersionKind) {
		if !seen[gvk] {
			seen[gvk] = true
			kinds = append(kinds, gvk)
		}
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
			add(object.GroupVersionKind())
		}
	}
	return kinds, nil
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
	for i, e := range explanations {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %s\n", e.kind.GroupVersion(), e.kind.Kind)
		var text strings.Builder
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "OPERATION\tANSWERED BY\tAT")
		for _, info := range interpreter.Operations() {
			sources := e.rules[info.Operation]
			if len(sources) == 0 {
				fmt.Fprintf(table, "%s\tnobody\t\n", info.Operation)
			}
			for i, s := range sources {
				first := string(info.Operation)
				switch {
				case i > 0 && s.Joined && sources[i-1].Joined:
					first = "  joined with"
				case i > 0:
					first = "  behind it"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\n", first, describeSource(s), s.Position)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for line := range strings.Lines(text.String()) {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
		for op, sources := range e.rules {
			rules := make([]any, 0, len(sources))
			for _, s := range sources {
				rules = append(rules, sourceDocument(s))
			}
			operations[string(op)] = rules
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
