package main

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// clusterOptions are the flags that say which cluster objects and rules are read from. No connection is made before get
// and rules.
type clusterOptions struct {
	kubeconfig   string
	context      string
	namespace    string
	ownRules     bool
	rulesContext string
	askWebhooks  bool
}

func (o *clusterOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the kubeconfig file for KIND/NAME (default $KUBECONFIG or ~/.kube/config)")
	f.StringVar(&o.context, "context", "", "the context of the kubeconfig")
	f.StringVar(&o.context, "karmada-context", "", "the same as --context")
	f.StringVarP(&o.namespace, "namespace", "n", "", "the namespace of KIND/NAME (default that of the context)")
	f.BoolVar(&o.ownRules, "cluster-rules", true, "let the customizations and webhooks of the cluster answer before the shipped rules, if it has any")
	f.StringVar(&o.rulesContext, "rules-context", "", "the context of the cluster with the rules (default --context)")
}

// addAskFlag adds the flag of the commands that ask rules.
func (o *clusterOptions) addAskFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.askWebhooks, "ask-webhooks", false, "send questions to the webhooks that the cluster has configured, where they are theirs")
}

// flags returns the flags as clients are made of them. What Kubernetes' libraries would log is in the clients' errors.
func (o *clusterOptions) flags() *genericclioptions.ConfigFlags {
	klog.SetLogger(logr.Discard())
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig, flags.Context = &o.kubeconfig, &o.context
	return flags
}

// given returns the flags as a command line gives them.
func (o *clusterOptions) given() string {
	var b strings.Builder
	for _, flag := range []struct{ name, value string }{
		{"--kubeconfig", o.kubeconfig}, {"--context", o.context}, {"-n", o.namespace}, {"--rules-context", o.rulesContext},
	} {
		if flag.value != "" {
			b.WriteString(" " + flag.name + " " + quoted(flag.value))
		}
	}
	if !o.ownRules {
		b.WriteString(" --cluster-rules=false")
	}
	if o.askWebhooks {
		b.WriteString(" --ask-webhooks")
	}
	return b.String()
}

// isResourceName tells whether an argument is KIND/NAME rather than a file, or VERSION/KIND as explain has it.
func isResourceName(arg string) bool {
	if _, isKind := kindArgument(arg); isKind {
		return false
	}
	kind, name, ok := strings.Cut(arg, "/")
	if !ok || kind == "" || name == "" || strings.ContainsAny(name, "/*?[") || strings.HasPrefix(kind, ".") {
		return false
	}
	_, err := os.Stat(arg)
	return os.IsNotExist(err) && !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") && !strings.HasSuffix(name, ".json")
}

// configured tells that there is no kubeconfig at all, and this is no Pod either. An argument that was taken for KIND/NAME
// may have been meant to be a file.
func (o *clusterOptions) configured(args ...string) error {
	config, err := o.flags().ToRawKubeConfigLoader().RawConfig()
	if err != nil || len(config.Contexts) > 0 || os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return nil //nolint:nilerr // whoever connects reports it
	}
	const want = "no kubeconfig to find a cluster with: want --kubeconfig, $KUBECONFIG or ~/.kube/config"
	if i := slices.IndexFunc(args, isResourceName); i >= 0 {
		return unusablef("%s: no such file, and %s", args[i], want)
	}
	return unusablef(want)
}

// get reads the object called KIND/NAME, where KIND is any name that kubectl takes.
func (o *clusterOptions) get(ctx context.Context, name string) ([]*unstructured.Unstructured, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := o.configured(name); err != nil {
		return nil, err
	}
	flags := o.flags()
	flags.WrapConfigFn = interruptible(ctx)
	namespace := o.namespace
	if namespace == "" {
		var err error
		if namespace, _, err = flags.ToRawKubeConfigLoader().Namespace(); err != nil {
			return nil, unusablef("%s: %w", name, err)
		}
	}
	infos, err := resource.NewBuilder(flags).
		Unstructured().
		NamespaceParam(namespace).DefaultNamespace().
		ResourceTypeOrNameArgs(true, name).
		SingleResourceType().
		Flatten().
		Do().
		Infos()
	if err != nil {
		return nil, unusablef("%s: %w", name, err)
	}
	found := make([]*unstructured.Unstructured, 0, len(infos))
	for _, info := range infos {
		if object, ok := info.Object.(*unstructured.Unstructured); ok {
			found = append(found, object)
		}
	}
	return found, nil
}

// interruptible has every request of clients end with ctx: discovery, for one, knows no context.
func interruptible(ctx context.Context) func(*rest.Config) *rest.Config {
	return func(c *rest.Config) *rest.Config {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper { return endsWith{ctx, next} })
		return c
	}
}

type endsWith struct {
	ctx  context.Context //nolint:containedctx // that of the command, for requests that have none
	next http.RoundTripper
}

func (e endsWith) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(e.ctx, cancel) // the answer is read after this returns
	return e.next.RoundTrip(r.WithContext(ctx))
}
