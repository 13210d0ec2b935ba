package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/informers"
	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/controllers/rules"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/thirdparty"
	"github.com/dragoman-io/dragoman/webhook"
)

// managerOptions are the flags of controller-manager.
type managerOptions struct {
	genericiooptions.IOStreams

	kubeconfig, context string
	leaderElect         bool
	leaderElectionSpace string
	metricsAddress      string
	healthAddress       string
	pprofAddress        string
	tracingEndpoint     string
	tracingInsecure     bool
	logging             logging
	admission           admissionOptions
	skippedNamespaces   []string
	clusterPeriod       time.Duration
	failureThreshold    time.Duration
	successThreshold    time.Duration
}

func newControllerManager(streams genericiooptions.IOStreams) *cobra.Command {
	o := &managerOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "controller-manager",
		Short: "Run the federation's controllers",
		Long: `Runs the controllers of a federation against its control plane: templates and policies become objects in the member
clusters, and their statuses come back. Customizations and webhooks of the control plane take effect at once.

The control plane must serve the definitions in api/crds.`,
		Example: examples(
			"# Against the control plane of a kubeconfig's context",
			"dragoman controller-manager --kubeconfig federation.kubeconfig --context control-plane",
			"",
			"# In a cluster, with logs for machines",
			"dragoman controller-manager --leader-elect --logging-format json",
		),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the kubeconfig of the control plane (default: the environment's, or that of the Pod)")
	f.StringVar(&o.context, "context", "", "the context of the kubeconfig (default: its current one)")
	f.BoolVar(&o.leaderElect, "leader-elect", false, "act only as the elected one of several replicas")
	f.StringVar(&o.leaderElectionSpace, "leader-election-namespace", "karmada-system", "the namespace of the lease")
	f.StringVar(&o.metricsAddress, "metrics-bind-address", "0", "where to serve /metrics, such as :8080; 0 means nowhere")
	f.StringVar(&o.healthAddress, "health-probe-bind-address", "0", "where to serve /healthz and /readyz, such as :8081; 0 means nowhere")
	f.StringVar(&o.pprofAddress, "pprof-bind-address", "", "where to serve profiles, such as 127.0.0.1:8082; empty means nowhere")
	f.StringVar(&o.tracingEndpoint, "tracing-endpoint", "", "the host and port of an OpenTelemetry collector (gRPC) that gets traces; empty means none")
	f.BoolVar(&o.tracingInsecure, "tracing-insecure", false, "send traces without TLS, to a collector on the same machine")
	f.StringSliceVar(&o.skippedNamespaces, "skipped-propagating-namespaces", []string{"kube-.*"}, "regular expressions of namespaces whose objects are never propagated")
	f.DurationVar(&o.clusterPeriod, "cluster-status-update-frequency", 10*time.Second, "how often clusters are looked at")
	f.DurationVar(&o.failureThreshold, "cluster-failure-threshold", 30*time.Second, "for how long a ready cluster has to fail before it is not ready")
	f.DurationVar(&o.successThreshold, "cluster-success-threshold", 30*time.Second, "for how long a cluster has to answer before it is ready again")
	o.admission.addFlags(f)
	o.logging.addFlags(cmd)
	return cmd
}

// restConfig returns how the control plane is reached.
func (o *managerOptions) restConfig() (*rest.Config, error) {
	loading := clientcmd.NewDefaultClientConfigLoadingRules()
	loading.ExplicitPath = o.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(loading, &clientcmd.ConfigOverrides{CurrentContext: o.context}).ClientConfig()
	if err != nil {
		return nil, unusablef("control plane: %w (see --kubeconfig)", err)
	}
	config.UserAgent = "dragoman-controller-manager"
	return config, nil
}

func (o *managerOptions) run(ctx context.Context) error {
	logger, err := o.logging.logger(o.ErrOut)
	if err != nil {
		return unusable(err)
	}
	ctrl.SetLogger(logger)
	ctx = log.IntoContext(ctx, logger)
	var skipped []*regexp.Regexp
	for _, expression := range o.skippedNamespaces {
		r, err := regexp.Compile("^(?:" + expression + ")$")
		if err != nil {
			return unusablef("--skipped-propagating-namespaces: %w", err)
		}
		skipped = append(skipped, r)
	}
	if _, _, err := o.admission.bind(); err != nil {
		return unusable(err)
	}
	config, err := o.restConfig()
	if err != nil {
		return err
	}
	if err := o.start(ctx, config, skipped); err != nil && !errors.Is(err, context.Canceled) {
		return exit(exitFailed, err)
	}
	return nil
}

// start runs the controllers until ctx ends.
func (o *managerOptions) start(ctx context.Context, config *rest.Config, skipped []*regexp.Regexp) error {
	scheme, err := controllers.Scheme()
	if err != nil {
		return err
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	server, keeper, err := o.admission.server(ctx, direct)
	if err != nil {
		return err
	}
	held := informers.For(scheme)
	tuned, options := controllers.Tune(config, ctrl.Options{
		Scheme: scheme, LeaderElection: o.leaderElect, LeaderElectionID: "dragoman-controller-manager",
		LeaderElectionNamespace: o.leaderElectionSpace, LeaderElectionReleaseOnCancel: true,
		Metrics:                metricsserver.Options{BindAddress: o.metricsAddress},
		HealthProbeBindAddress: o.healthAddress,
		PprofBindAddress:       o.pprofAddress,
		WebhookServer:          server,
		Cache:                  cache.Options{NewInformer: held.New},
	})
	mgr, err := ctrl.NewManager(tuned, options)
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	byLanguage, err := engines()
	if err != nil {
		return err
	}
	if server != nil {
		if err := addAdmission(mgr, keeper, byLanguage); err != nil {
			return err
		}
	}
	live := rules.New(customizations.Options{Link: "customizations", Engines: byLanguage}, webhook.Options{
		Services: services{mgr.GetClient()}, Certificates: certificates{mgr.GetAPIReader()},
	})
	if err := live.SetupWithManager(mgr); err != nil {
		return err
	}
	catalogue, err := thirdparty.New(script.Limits{})
	if err != nil {
		return err
	}
	chain, stop, err := o.observed(ctx, live, catalogue)
	if err != nil {
		return err
	}
	defer stop()
	connected, err := controllers.Setup(ctx, mgr, controllers.Options{
		Rules: live, Interpreter: chain, SkippedNamespaces: skipped,
		ClusterPeriod: o.clusterPeriod, ClusterFailureThreshold: o.failureThreshold, ClusterSuccessThreshold: o.successThreshold,
	})
	if err != nil {
		return err
	}
	if err := metrics.Registry.Register(observability.NewSizes(sizesOf(live, catalogue, held, connected))); err != nil {
		return err
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("rules", live.Ready)); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// services finds the Services of webhooks in the control plane.
type services struct{ client.Reader }

func (s services) Service(ctx context.Context, namespace, name string) (*corev1.Service, error) {
	service := &corev1.Service{}
	return service, s.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, service)
}

// certificates finds the client certificates of webhooks in the control plane.
type certificates struct{ client.Reader }

func (c certificates) Certificate(ctx context.Context, ref configv1alpha1.SecretReference) (*tls.Certificate, error) {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, fmt.Errorf("want a certificate and its key under %s: %w", strings.Join([]string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey}, " and "), err)
	}
	return &pair, nil
}
