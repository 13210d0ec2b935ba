package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// checkOptions are the flags of check.
type checkOptions struct {
	portable bool
	crds     []string
	output   string
}

func newCheck(streams genericiooptions.IOStreams) *cobra.Command {
	var o checkOptions
	files := &reader{stdin: streams.In}
	var named []string
	cmd := &cobra.Command{
		Use:   "check [FILE | FOLDER | URL | -]...",
		Short: "Find what is wrong with customizations and webhook configurations",
		Long: `Checks ResourceInterpreterCustomizations: fields, targets, syntax, the functions that must be there, what the sandbox
does not have, conflicts between them; fields that Kubernetes' own kinds and those of --crd do not have, uses of optional
ones in Lua that are errors when they are absent, assignments to what an operation may not change. Checks
ResourceInterpreterWebhookConfigurations. Warns of FlinkDeployments whose amounts of memory mean one thing to Flink and
another to Kubernetes. In folders, files without any of these are passed over.

Exit codes: 0 no errors (there may be warnings); 1 errors; 2 a file that cannot be read as such an object.`,
		Example: examples(
			"dragoman check customizations.yaml",
			"dragoman check -R rules/ webhooks.yaml",
			"",
			"# Fields that the kind does not have",
			"dragoman check --crd crds/ customizations.yaml",
			"",
			"# Nothing that Karmada would not understand",
			"dragoman check --portable customizations.yaml",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkFiles(cmd.Context(), streams, files, append(named, args...), o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&named, "filename", "f", nil, "the same as arguments")
	f.BoolVarP(&files.recursive, "recursive", "R", false, "look below folders as well")
	f.StringSliceVar(&o.crds, "crd", nil, "CustomResourceDefinitions to check rules against: files, folders or URLs")
	f.BoolVar(&o.portable, "portable", false, "make everything an error that Karmada does not have")
	f.StringVarP(&o.output, "output", "o", "", "output format: "+outputGitHub+", "+outputFormats+" (default text)")
	registerCompletion(cmd, "output", []string{outputGitHub, "yaml", "json", "jsonpath=", "go-template="})
	return cmd
}

// checkFiles checks what names stand for and writes the report.
func checkFiles(ctx context.Context, streams genericiooptions.IOStreams, files *reader, names []string, o checkOptions) error {
	if o.output != outputGitHub && checkOutput(o.output) != nil {
		return unusablef("--output: want one of %s, %s, got %q", outputGitHub, outputFormats, o.output)
	}
	if len(names) == 0 {
		return unusablef("want a file, a folder, a URL or -")
	}
	data, err := files.read(ctx, names...)
	if err != nil {
		return err
	}
	byLanguage, err := engines()
	if err != nil {
		return err
	}
	schemas, err := readSchemas(ctx, files, o.crds)
	if err != nil {
		return err
	}
	checker := admission.Checker{Engines: byLanguage, Portable: o.portable, Schemas: schemas}
	report := checker.Files(ctx, admissionFiles(data)...)
	if len(o.crds) == 0 {
		report.Unchecked = nil // whoever gives no definitions knows
	}
	switch o.output {
	case "":
		err = printReport(streams, report)
	case outputGitHub:
		err = printAnnotations(streams, report)
	default:
		err = printValue(streams.Out, o.output, reportDocument(report))
	}
	if err != nil {
		return err
	}
	return reportVerdict(report)
}

// outputGitHub makes annotations of a GitHub workflow of the problems.
const outputGitHub = "github"

func printAnnotations(streams genericiooptions.IOStreams, report admission.Report) error {
	var b strings.Builder
	for _, p := range report.Problems {
		title := cmp.Or(strings.TrimSpace(p.Object+" "+p.Field), "dragoman check")
		message := p.Message
		if p.Snippet != "" {
			message += "\n" + p.Snippet
		}
		b.WriteString(cases.Annotation(string(p.Severity), p.File, p.Line, p.Column, title, message))
	}
	_, err := io.WriteString(streams.Out, b.String())
	return err
}

func admissionFiles(files []file) []admission.File {
	out := make([]admission.File, len(files))
	for i, f := range files {
		out[i] = admission.File{Name: f.name, Data: f.data, Found: f.found}
	}
	return out
}

func printReport(streams genericiooptions.IOStreams, report admission.Report) error {
	errorCount := 0
	for _, p := range report.Problems {
		if p.Severity == script.Error {
			errorCount++
		}
		if _, err := fmt.Fprintln(streams.Out, p.Error()); err != nil {
			return err
		}
	}
	for _, target := range report.Unchecked {
		if _, err := fmt.Fprintf(streams.Out, "%s: no CustomResourceDefinition given, so its fields are not checked\n", target); err != nil {
			return err
		}
	}
	if err := printSkipped(streams, report.Skipped); err != nil {
		return err
	}
	objects := counted(report.Customizations, "customization")
	if report.Webhooks > 0 {
		objects += ", " + counted(report.Webhooks, "webhook configuration")
	}
	if report.Objects > 0 {
		objects += ", " + counted(report.Objects, "other object")
	}
	_, err := fmt.Fprintf(streams.Out, "%s: %s, %s\n", objects, counted(errorCount, "error"), counted(len(report.Problems)-errorCount, "warning"))
	return err
}

// printSkipped names some files that were passed over.
func printSkipped(streams genericiooptions.IOStreams, names []string) error {
	if len(names) == 0 {
		return nil
	}
	const shown = 2
	text := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		text += " and " + counted(more, "other file")
	}
	_, err := fmt.Fprintf(streams.Out, "passed over, since there are no rules in it: %s\n", text)
	return err
}

// counted returns "1 error" or "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func reportDocument(report admission.Report) map[string]any {
	problems := make([]any, len(report.Problems))
	for i, p := range report.Problems {
		item := map[string]any{"severity": string(p.Severity), "message": p.Message}
		for key, text := range map[string]string{"file": p.File, "object": p.Object, "field": p.Field, "snippet": p.Snippet} {
			if text != "" {
				item[key] = text
			}
		}
		for key, n := range map[string]int{"line": p.Line, "column": p.Column} {
			if n > 0 {
				item[key] = int64(n)
			}
		}
		problems[i] = item
	}
	unchecked := make([]any, len(report.Unchecked))
	for i, target := range report.Unchecked {
		unchecked[i] = target
	}
	skipped := make([]any, len(report.Skipped))
	for i, name := range report.Skipped {
		skipped[i] = name
	}
	return map[string]any{
		"apiVersion": outputVersion, "kind": "CheckReport", "unchecked": unchecked, "skipped": skipped,
		"customizations": int64(report.Customizations), "webhookConfigurations": int64(report.Webhooks),
		"problems": problems,
	}
}

func reportVerdict(report admission.Report) error {
	code := exitOK
	for _, p := range report.Problems {
		switch {
		case p.Severity != script.Error:
		case p.Object == "" && p.Field == "":
			return exit(exitUnusable, nil)
		default:
			code = exitFailed
		}
	}
	if code == exitOK {
		return nil
	}
	return exit(code, nil)
}
