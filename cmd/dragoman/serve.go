package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
	"github.com/dragoman-io/dragoman/webhook"
)

// selfSignedFor is how long a certificate of our own is valid: it ends with the process, or with the year.
const selfSignedFor = 365 * 24 * time.Hour

// serveOptions are the flags of serve.
type serveOptions struct {
	genericiooptions.IOStreams

	rules     []string
	recursive bool
	kinds     []string
	bind      string
	hosts     []string
	service   string
	certFile  string
	keyFile   string
	caFile    string
	clientCA  string
	name      string
	dryRun    bool
	verbose   bool
}

func newServeCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &serveOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve customizations and the shipped rules as an interpreter webhook",
		Long: `Serves rules as an interpreter webhook over HTTPS until it is told to stop (SIGINT, SIGTERM), and prints the
ResourceInterpreterWebhookConfiguration that makes a control plane ask it. The customizations given with -f answer first,
the shipped rules behind them.

Without --cert it makes a certificate of its own, new each time, which the printed configuration trusts. Certificate files
are read again when they change. Beside the webhook, at every other path, there are /healthz, /readyz and /metrics.

Exit codes: 0 stopped; 1 it could not serve; 2 unusable input.`,
		Example: examples(
			"dragoman serve -f customizations.yaml > configuration.yaml",
			"",
			"# The whole catalogue",
			"dragoman serve",
			"",
			"# The shipped rules for two kinds, for a control plane in the same cluster",
			"dragoman serve --kinds flink.apache.org/v1beta1/FlinkDeployment,ray.io/v1/RayCluster \\",
			"  --service dragoman-system/dragoman --cert tls.crt --key tls.key --ca ca.crt",
		),
		Args: wantFlags,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serve(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.rules, "filename", "f", nil, "customizations in front of the shipped rules: files, folders, URLs or -")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look below folders as well")
	f.StringSliceVar(&o.kinds, "kinds", nil, "kinds to answer, each as GROUP/VERSION/KIND or VERSION/KIND (default those of the customizations, or of the shipped catalogue without any)")
	f.StringVar(&o.bind, "bind", "127.0.0.1:9443", "address and port to serve at")
	f.StringSliceVar(&o.hosts, "host", nil, "names and addresses that clients know the server by, the first one being that of the printed configuration (default that of --bind, or localhost)")
	f.StringVar(&o.service, "service", "", "NAMESPACE/NAME of the Service in front of the server, for the certificate and the printed configuration")
	f.StringVar(&o.certFile, "cert", "", "file with the server's certificate (PEM)")
	f.StringVar(&o.keyFile, "key", "", "file with the key of --cert (PEM)")
	f.StringVar(&o.caFile, "ca", "", "file with the authorities that signed --cert (PEM), for the printed configuration")
	f.StringVar(&o.clientCA, "client-ca", "", "file with the authorities of client certificates (PEM); clients without one are refused")
	f.StringVar(&o.name, "name", "dragoman", "name of the printed configuration")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the configuration, with --ca and without --cert, and do not serve")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every answer, not only those that failed")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	return cmd
}

func (o *serveOptions) serve(ctx context.Context) error {
	if err := o.validate(); err != nil {
		return err
	}
	rules, kinds, err := o.load(ctx)
	if err != nil {
		return err
	}
	registration, err := o.registration(rules, kinds)
	if err != nil {
		return err
	}
	for _, gvk := range kinds {
		if onlyGeneric(rules, gvk) {
			o.log().WarnContext(ctx, "only what holds for every kind is answered: is this one spelt right?", "kind", gvk.GroupVersion().String()+" "+gvk.Kind)
		}
	}
	if o.dryRun {
		return o.printOnly(registration)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.bind)
	if err != nil {
		return exit(exitFailed, fmt.Errorf("--bind: %w", err))
	}
	defer listener.Close() // the server closes it; this is for the errors before that
	server, bundle, err := o.server(rules)
	if err != nil {
		return err
	}
	if err := registration.print(o.Out, o.endpoint(listener.Addr()), bundle); err != nil {
		return err
	}
	o.log().Info("serving", "address", listener.Addr().String(), "kinds", len(kinds))
	if err := server.Serve(ctx, listener); err != nil {
		return exit(exitFailed, err)
	}
	return nil
}

// validate tells which flag cannot be used.
func (o *serveOptions) validate() error {
	if wrong := validation.IsDNS1123Subdomain(o.name); len(wrong) > 0 {
		return unusablef("--name: %q: %s", o.name, wrong[0])
	}
	if _, _, err := net.SplitHostPort(o.bind); err != nil {
		return unusablef("--bind: want HOST:PORT or :PORT, got %q", o.bind)
	}
	for _, host := range o.hosts {
		if net.ParseIP(host) == nil && len(validation.IsDNS1123Subdomain(host)) > 0 {
			return unusablef("--host: want a name or an address, without scheme and port, got %q", host)
		}
	}
	if o.service == "" {
		return nil
	}
	namespace, name, ok := strings.Cut(o.service, "/")
	if !ok || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1035Label(name)) > 0 {
		return unusablef("--service: want NAMESPACE/NAME, got %q", o.service)
	}
	return nil
}

// printOnly prints the configuration of a server that runs elsewhere.
func (o *serveOptions) printOnly(r *registration) error {
	bundle, err := o.authorities()
	if err != nil {
		return err
	}
	address, err := net.ResolveTCPAddr("tcp", o.bind)
	if err != nil {
		return unusablef("--bind: %w", err)
	}
	if address.Port == 0 && o.service == "" {
		return unusablef("--bind: want the port of the server, got 0")
	}
	return r.print(o.Out, o.endpoint(address), bundle)
}

// authorities returns those that signed --cert; nil when nobody said.
func (o *serveOptions) authorities() ([]byte, error) {
	if o.caFile == "" {
		return nil, nil
	}
	_, bundle, err := readAuthorities("--ca", o.caFile)
	return bundle, err
}

// load returns the rules to serve, and the kinds that they are to answer.
func (o *serveOptions) load(ctx context.Context) (interpreter.Interpreter, []schema.GroupVersionKind, error) {
	rules, err := shipped()
	if err != nil {
		return nil, nil, err
	}
	var served []customizations.Customization
	if len(o.rules) > 0 {
		set, err := o.given(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range set.Names() {
			c, _ := set.Get(name)
			served = append(served, c)
		}
		rules = interpreter.Chain{set, rules}
	} else if served, err = catalogue(); err != nil {
		return nil, nil, err
	}
	kinds, err := o.chosen(served)
	if err != nil {
		return nil, nil, unusable(err)
	}
	return selection{rules: rules, kinds: kinds}, kinds, nil
}

// given returns the customizations of --filename. A rule that does not compile is an error: nobody would see it later.
func (o *serveOptions) given(ctx context.Context) (*customizations.Set, error) {
	files, err := (&reader{stdin: o.In, recursive: o.recursive}).read(ctx, o.rules...)
	if err != nil {
		return nil, err
	}
	set, err := newSet(files)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range set.Names() {
		for _, problem := range set.Problems(name) {
			if problem.Severity == script.Error {
				errs = append(errs, problem)
			}
		}
	}
	return set, unusable(errors.Join(errs...))
}

// catalogue returns the customizations that are part of this program.
func catalogue() ([]customizations.Customization, error) {
	c, err := thirdparty.New(script.Limits{})
	if err != nil {
		return nil, err
	}
	return c.Customizations()
}

// chosen returns the kinds of --kinds, else those that the customizations are about.
func (o *serveOptions) chosen(served []customizations.Customization) ([]schema.GroupVersionKind, error) {
	var kinds []schema.GroupVersionKind
	var errs []error
	for _, name := range o.kinds {
		gvk, ok := kindArgument(name)
		if !ok {
			errs = append(errs, fmt.Errorf("--kinds: want GROUP/VERSION/KIND or VERSION/KIND, got %q", name))
		}
		if !slices.Contains(kinds, gvk) {
			kinds = append(kinds, gvk)
		}
	}
	if len(kinds) > 0 {
		return kinds, errors.Join(errs...)
	}
	for _, c := range served {
		target, err := customizations.ParseTarget(c.Object.Spec.Target)
		switch gvk := target.Kind; {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", c.Object.Name, err))
		case strings.HasPrefix(gvk.Group, "."):
			errs = append(errs, fmt.Errorf("%s: spec.target.apiVersion: %s is nothing that a webhook configuration can select: name the kinds with --kinds",
				c.Object.Name, c.Object.Spec.Target.APIVersion))
		case !slices.Contains(kinds, gvk):
			kinds = append(kinds, gvk)
		}
	}
	return kinds, errors.Join(errs...)
}

// selection answers for some kinds and no others. A version or kind may be "*".
type selection struct {
	rules interpreter.Interpreter
	kinds []schema.GroupVersionKind
}

func (s selection) has(gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(s.kinds, func(k schema.GroupVersionKind) bool {
		return k.Group == gvk.Group && (k.Version == gvk.Version || k.Version == "*") && (k.Kind == gvk.Kind || k.Kind == "*")
	})
}

func (s selection) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	if !s.has(gvk) {
		return nil
	}
	return s.rules.Lookup(gvk, op)
}

func (s selection) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	if !s.has(gvk) {
		return nil
	}
	return interpreter.Explain(s.rules, gvk, op)
}

// server returns the server, and the authorities that the printed configuration is to trust; nil when nobody said.
func (o *serveOptions) server(rules interpreter.Interpreter) (*webhook.Server, []byte, error) {
	metrics := newServeMetrics()
	server := &webhook.Server{
		Interpreter: rules,
		HandlerOptions: webhook.HandlerOptions{
			Answered: func(ctx context.Context, a webhook.Answer) {
				metrics.observe(a)
				o.logAnswer(ctx, a)
			},
			Panicked: func(ctx context.Context, value any, stack []byte) {
				o.log().ErrorContext(ctx, "a rule panicked", "value", value, "stack", string(stack))
			},
		},
		Metrics: metrics.handler(),
		Configure: func(s *http.Server) {
			s.ErrorLog = slog.NewLogLogger(o.log().Handler(), slog.LevelDebug)
		},
	}
	if o.clientCA != "" {
		pool, _, err := readAuthorities("--client-ca", o.clientCA)
		if err != nil {
			return nil, nil, err
		}
		server.ClientCAs = pool
	}
	if o.certFile == "" {
		own, bundle, err := webhook.SelfSigned(o.names(), selfSignedFor)
		if err != nil {
			return nil, nil, exit(exitInternal, err)
		}
		server.Certificate = webhook.StaticCertificate(own)
		return server, bundle, nil
	}
	files, err := webhook.NewFileCertificate(o.certFile, o.keyFile)
	if err != nil {
		return nil, nil, unusable(err)
	}
	server.Certificate = files.Certificate
	bundle, err := o.authorities()
	return server, bundle, err
}

// wantFlags refuses arguments: files are given with a flag here.
func wantFlags(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unusablef("want no arguments, got %q: customizations are given with -f (see %s --help)", args[0], cmd.CommandPath())
}

func readAuthorities(flag, name string) (*x509.CertPool, []byte, error) {
	bundle, err := readFile(name)
	if err != nil {
		return nil, nil, unusablef("%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(bundle.data) {
		return nil, nil, unusablef("%s: %s: want PEM certificates, got none", flag, name)
	}
	return pool, bundle.data, nil
}

// names returns the names and addresses that a certificate of our own is for.
func (o *serveOptions) names() []string {
	names := slices.Clone(o.hosts)
	if namespace, name, ok := strings.Cut(o.service, "/"); ok {
		names = append(names, name+"."+namespace+".svc", name+"."+namespace+".svc.cluster.local")
	}
	if host, _, err := net.SplitHostPort(o.bind); err == nil && host != "" && !net.ParseIP(host).IsUnspecified() {
		names = append(names, host)
	}
	names = append(names, "localhost", "127.0.0.1")
	slices.Sort(names)
	return slices.Compact(names)
}

// endpoint returns where clients find the server that listens at address.
func (o *serveOptions) endpoint(address net.Addr) endpoint {
	port := 0
	if tcp, ok := address.(*net.TCPAddr); ok {
		port = tcp.Port
	}
	if namespace, name, ok := strings.Cut(o.service, "/"); ok {
		return endpoint{namespace: namespace, service: name}
	}
	host, _, err := net.SplitHostPort(o.bind)
	switch {
	case len(o.hosts) > 0:
		host = o.hosts[0]
	case err != nil || host == "" || net.ParseIP(host).IsUnspecified():
		host = "localhost"
	}
	return endpoint{url: "https://" + net.JoinHostPort(host, strconv.Itoa(port)) + "/interpret"}
}

func (o *serveOptions) log() *slog.Logger {
	level := slog.LevelInfo
	if o.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(o.ErrOut, &slog.HandlerOptions{Level: level}))
}

func (o *serveOptions) logAnswer(ctx context.Context, a webhook.Answer) {
	kind := ""
	if !a.Request.Kind.Empty() {
		kind = a.Request.Kind.GroupVersion().String() + " " + a.Request.Kind.Kind
	}
	level, args := slog.LevelDebug, []any{
		"operation", a.Request.Operation, "kind", kind, "namespace", a.Request.Namespace, "name", a.Request.Name,
		"duration", a.Duration,
	}
	if s := a.Status; s != nil {
		level, args = slog.LevelWarn, append(args, "code", s.Code, "error", s.Message)
	}
	o.log().Log(ctx, level, "answered", args...)
}
