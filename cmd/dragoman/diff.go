package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	genericiooptions.IOStreams

	recursive bool
	output    string
}

func newDiff(streams genericiooptions.IOStreams) *cobra.Command {
	o := &diffOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW [FILE | FOLDER | URL | -]...",
		Short: "Say which answers another set of rules changes",
		Long: `Asks two sets of rules the same questions, and says which answers differ and how. OLD and NEW are customizations
(files, folders or URLs), in front of the shipped rules; the word shipped stands for the shipped rules alone.

The questions are the cases in the files, and for every other object each operation: kept as it observes itself, revised to
two replicas, and with its own status as that of one member.

Exit codes: 0 nothing differs; 1 something does; 2 unusable input.`,
		Example: examples(
			"dragoman diff old.yaml new.yaml cases/",
			"",
			"# What your rules change of the shipped ones",
			"dragoman diff shipped customizations.yaml manifests/",
			"",
			"# For all objects of a cluster",
			"kubectl get deployments -A -o yaml | dragoman diff old.yaml new.yaml -",
		),
		Args: wantArgs(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.diff(cmd.Context(), args[0], args[1], args[2:])
		},
	}
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	addOutputFlag(cmd, &o.output)
	return cmd
}

// asked is one question that both sets of rules are asked.
type asked struct {
	question question
	// at is where the question comes from.
	at string
	// from is the case that asks it; nil when it is made of an object.
	from *cases.Case
}

// difference is a question that is answered otherwise.
type difference struct {
	asked
	before, after answer
	diffs         []cases.Diff
}

func (o *diffOptions) diff(ctx context.Context, before, after string, names []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	files := &reader{stdin: o.In, recursive: true}
	var sets [2]interpreter.Interpreter
	for i, name := range []string{before, after} {
		var err error
		if sets[i], err = o.rules(ctx, files, name); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return unusablef("want cases or objects to ask about: files, folders, URLs or -")
	}
	files.recursive = o.recursive
	questions, err := o.questions(ctx, files, names)
	if err != nil {
		return err
	}
	var found []difference
	for _, q := range questions {
		asking := ctx
		if q.from != nil {
			asking = q.from.Context(ctx)
		}
		d := difference{asked: q, before: ask(asking, sets[0], q.question), after: ask(asking, sets[1], q.question)}
		if d.before.err == nil && d.after.err == nil {
			d.diffs = cases.Differences(q.question.request.Operation, d.before.outputs, d.after.outputs)
		}
		if len(d.diffs) > 0 || d.before.verdict() != d.after.verdict() {
			found = append(found, d)
		}
	}
	if o.output != "" {
		err = printValue(o.Out, o.output, diffDocument(found, len(questions)))
	} else {
		err = printDifferences(o.Out, found, len(questions))
	}
	if err != nil || len(found) == 0 {
		return err
	}
	return exit(exitFailed, nil)
}

// rules returns the chain with the customizations that a name stands for.
func (o *diffOptions) rules(ctx context.Context, files *reader, name string) (interpreter.Interpreter, error) {
	rest, err := shipped()
	if err != nil || name == "shipped" {
		return rest, err
	}
	data, err := files.read(ctx, name)
	if err != nil {
		return nil, err
	}
	set, err := newSet(data)
	if err != nil {
		return nil, err
	}
	return interpreter.Chain{set, rest}, nil
}

// questions returns those of the cases in the files, and those that can be made of the other objects.
func (o *diffOptions) questions(ctx context.Context, files *reader, names []string) ([]asked, error) {
	data, err := files.read(ctx, names...)
	if err != nil {
		return nil, err
	}
	var questions []asked
	var errs []error
	for _, f := range data {
		found, err := cases.Decode(f.name, f.data)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, c := range found {
			req := c.Request()
			if err := req.Complete(); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %w", c.File, c.Line, err))
				continue
			}
			questions = append(questions, asked{question: question{request: req}, at: fmt.Sprintf("%s:%d", c.File, c.Line), from: c})
		}
		if len(found) > 0 {
			continue
		}
		objects, err := manifest.Objects(f.name, f.data)
		if err != nil {
			errs = append(errs, err)
		}
		for i := range objects {
			questions = append(questions, questionsAbout(&objects[i])...)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, unusable(err)
	}
	if len(questions) == 0 {
		return nil, unusablef("%s: want cases or objects, got none", strings.Join(names, ", "))
	}
	return questions, nil
}

// revised is the number of replicas that objects are revised to.
const revised = 2

// questionsAbout returns a question of each operation about an object.
func questionsAbout(o *manifest.Object) []asked {
	in := inputs{replicas: revised, hasReplicas: true, hasItems: true, items: ownItems(o.Unstructured)}
	var questions []asked
	for _, info := range interpreter.Operations() {
		q := in.question(&info, o.Unstructured, o.Unstructured)
		if q.request.Complete() == nil {
			questions = append(questions, asked{question: q, at: fmt.Sprintf("%s:%d", o.Document.File, o.LineOf(nil))})
		}
	}
	return questions
}

// ownItems returns an object's own status as that of one member; none when it has no status.
func ownItems(o *unstructured.Unstructured) []interpreter.StatusItem {
	status, ok := o.Object["status"].(map[string]any)
	if !ok {
		return []interpreter.StatusItem{}
	}
	return []interpreter.StatusItem{{ClusterName: "member1", Applied: true, Status: status}}
}

// verdict is why a is no answer: the error's message, without the place that says which of two files it comes from, or
// that nobody answers. It is "" for an answer.
func (a *answer) verdict() string {
	if a.err == nil {
		return ""
	}
	if errors.Is(a.err, interpreter.ErrNotHandled) {
		return interpreter.ErrNotHandled.Error()
	}
	if problem, ok := errors.AsType[*script.Problem](a.err); ok {
		return problem.Message
	}
	err := a.err
	if at, ok := errors.AsType[*interpreter.Error](err); ok {
		err = at.Err
	}
	return err.Error()
}

// printDifferences writes each question that is answered otherwise, with the fields that differ and the rules that answer.
func printDifferences(w io.Writer, found []difference, questions int) error {
	var b strings.Builder
	for _, d := range found {
		req := d.question.request
		fmt.Fprintf(&b, "%s %s  (%s)\n", req.Operation, subjectOf(req), d.at)
		for _, diff := range d.diffs {
			fmt.Fprintf(&b, "      %s\n", diff.Text("old", "new"))
		}
		fmt.Fprintf(&b, "      old: %s\n      new: %s\n", d.before.told(), d.after.told())
	}
	fmt.Fprintf(&b, "%s, %d answered otherwise\n", counted(questions, "question"), len(found))
	_, err := io.WriteString(w, b.String())
	return err
}

// told says who answered, and the error if that is the answer.
func (a *answer) told() string {
	switch verdict := a.verdict(); {
	case verdict == "":
		return a.source.String()
	case a.source.Link == "":
		return verdict
	default:
		return a.source.String() + ": " + verdict
	}
}

func diffDocument(found []difference, questions int) map[string]any {
	items := make([]any, 0, len(found))
	for _, d := range found {
		req := d.question.request
		fields := make([]any, 0, len(d.diffs))
		for _, diff := range d.diffs {
			field := map[string]any{"field": diff.Field.String()}
			if diff.Want != (cases.Absent{}) {
				field["old"] = diff.Want
			}
			if diff.Got != (cases.Absent{}) {
				field["new"] = diff.Got
			}
			fields = append(fields, field)
		}
		item := map[string]any{
			"operation": string(req.Operation), "apiVersion": req.Kind.GroupVersion().String(), "kind": req.Kind.Kind,
			"name": req.Name, "at": d.at, "old": d.before.told(), "new": d.after.told(), "fields": fields,
		}
		if req.Namespace != "" {
			item["namespace"] = req.Namespace
		}
		items = append(items, item)
	}
	return map[string]any{"apiVersion": outputVersion, "kind": "DiffReport", "questions": int64(questions), "items": items}
}
