package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/webhook/conform"
)

// conformOptions are the flags of conform.
type conformOptions struct {
	genericiooptions.IOStreams

	objects   []string
	recursive bool
	tls       clientTLS
	insecure  bool
	timeout   time.Duration
	wait      time.Duration
	verbose   bool
	output    string
}

func newConformCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &conformOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "conform URL",
		Short: "Check a running interpreter webhook against the protocol",
		Long: `Puts generated questions to an interpreter webhook, well-formed and not, of every operation, and reports what it gets
wrong. The questions are about the objects given with -f: give some of the kinds that the webhook answers, with a status.
Operations that the webhook declines are skipped. Warnings are about what works and is likely to make trouble.

Exit codes: 0 nothing is wrong; 1 a check failed; 2 unusable input, or nobody answers at the URL.`,
		Example: examples(
			"dragoman conform https://127.0.0.1:9443/interpret --ca ca.crt -f flinkdeployment.yaml",
			"dragoman conform https://127.0.0.1:9443/interpret --ca ca.crt -f objects/ -o junit > conform.xml",
		),
		Args: wantArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.conform(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.objects, "filename", "f", nil, "objects to ask about: files, folders, URLs or - (default a Deployment)")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	f.StringVar(&o.tls.ca, "ca", "", "file with the certificate authorities of the webhook (default those of the system)")
	f.StringVar(&o.tls.cert, "cert", "", "file with the client certificate to show (PEM)")
	f.StringVar(&o.tls.key, "key", "", "file with the key of --cert (PEM)")
	f.BoolVar(&o.insecure, "insecure-skip-tls-verify", false, "do not verify the webhook's certificate")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "how long an answer may take")
	f.DurationVar(&o.wait, "wait", 0, "for how long to try again when nobody answers at first")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list the checks that passed or were skipped as well")
	f.StringVarP(&o.output, "output", "o", "text", "report: text, json, junit")
	registerCompletion(cmd, "output", []string{"text", "json", "junit"})
	cmd.MarkFlagsRequiredTogether("cert", "key")
	cmd.MarkFlagsMutuallyExclusive("ca", "insecure-skip-tls-verify")
	return cmd
}

func (o *conformOptions) conform(ctx context.Context, url string) error {
	write, err := o.report()
	if err != nil {
		return err
	}
	if o.timeout <= 0 {
		return unusablef("--timeout: want more than 0, got %s", o.timeout)
	}
	options := conform.Options{Timeout: o.timeout, Wait: o.wait}
	if options.TLS, err = o.tls.config(""); err != nil {
		return err
	}
	options.TLS.InsecureSkipVerify = o.insecure //nolint:gosec // the user asks for it
	if options.Objects, err = o.subjects(ctx); err != nil {
		return err
	}
	report, err := conform.Run(ctx, url, options)
	if err != nil {
		return unusable(explainUnreachable(err, url, "--ca"))
	}
	if err := write(report); err != nil {
		return err
	}
	if report.Failed() > 0 {
		return exit(exitFailed, nil)
	}
	return nil
}

// report returns what writes the report that was asked for.
func (o *conformOptions) report() (func(*conform.Report) error, error) {
	switch o.output {
	case "text":
		return func(r *conform.Report) error { return r.Text(o.Out, o.verbose) }, nil
	case "json":
		return func(r *conform.Report) error { return r.JSON(o.Out) }, nil
	case "junit":
		return func(r *conform.Report) error { return r.JUnit(o.Out) }, nil
	}
	return nil, unusablef("--output: want one of text, json, junit, got %q", o.output)
}

func (o *conformOptions) subjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	files, err := (&reader{stdin: o.In, recursive: o.recursive}).read(ctx, o.objects...)
	if err != nil {
		return nil, err
	}
	found, err := objects(files)
	if err != nil {
		return nil, err
	}
	subjects := make([]*unstructured.Unstructured, len(found))
	for i := range found {
		subjects[i] = found[i].Unstructured
	}
	return subjects, nil
}
