package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dragoman-io/dragoman/admission"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/clusters"
)

// upOptions are the flags of up.
type upOptions struct {
	genericiooptions.IOStreams

	federation  clusters.Options
	apply       []string
	kubeconfig  string
	controllers bool
	buildOnly   bool
	quiet       bool
	command     []string
}

func newUp(streams genericiooptions.IOStreams) *cobra.Command {
	o := &upOptions{IOStreams: streams}
	cmd := &cobra.Command{
		Use:   "up [-- COMMAND [ARGUMENT]...]",
		Short: "Run a whole federation on this machine",
		Long: `Runs real Kubernetes clusters on this machine: a control plane and member clusters with controller manager, scheduler and
simulated nodes. Pods on those nodes run nothing, but get ready, complete or fail like real ones; so do FlinkDeployments,
CloneSets and RayClusters, whose operators are played.

The first start builds the binaries from source, which needs the go command and takes minutes; they are kept in the user's
cache folder. A folder named by KUBEBUILDER_ASSETS is searched first.

Without a command it runs until Ctrl-C and tells what happens in the clusters. With one it runs the command, with KUBECONFIG and
PATH set, and stops when that ends. Nothing stays behind but what --data and --kubeconfig name.

Objects of --apply go to the control plane, definitions of custom resources to every cluster. What lies in a folder that is named
after a cluster, such as member1, goes to that cluster, and what lies in a folder "members" to each member. It counts how the folder
is named that is given, or has the file that is given, and those below it.`,
		Example: examples(
			"# Two members",
			"dragoman up",
			"",
			"# Three members that keep their objects, with objects to begin with",
			"dragoman up --members 3 --data ~/.dragoman --apply examples/flink/crd.yaml,examples/flink/basic.yaml",
			"",
			"# A command that needs clusters",
			"dragoman up -- kubectl --context member1 get nodes",
		),
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); len(args) > 0 && dash != 0 {
				return unusablef("up: want no arguments but a command after --, got %s", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = args
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.federation.Members, "members", 2, "how many member clusters; 0 means none")
	f.IntVar(&o.federation.Nodes, "nodes", 3, "how many simulated nodes in each member")
	f.StringVar(&o.federation.Dir, "data", "", "keep the state in this folder (default a temporary one)")
	f.StringSliceVar(&o.apply, "apply", nil, "objects to apply when all is ready: files, folders or URLs")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "write the kubeconfig to this file as well, in place of an earlier federation's")
	f.BoolVar(&o.federation.APIServersOnly, "api-servers-only", false, "no controllers and no nodes: clusters that only store objects")
	f.BoolVar(&o.controllers, "controllers", true, "run the controllers of the federation, as the command controller-manager does")
	f.BoolVar(&o.buildOnly, "build-only", false, "build the binaries and print where they are")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "do not tell what happens in the clusters")
	return cmd
}

// run builds or runs the federation.
func (o *upOptions) run(ctx context.Context) error {
	if o.buildOnly {
		return o.build(ctx)
	}
	if o.federation.Nodes < 1 || o.federation.Members < 0 || o.federation.Members > 50 {
		return unusablef("up: want 0 to 50 members with at least one node each, got --members %d --nodes %d", o.federation.Members, o.federation.Nodes)
	}
	if o.federation.Members == 0 {
		o.federation.Members = -1 // To the library, zero means its default.
	}
	if err := replaceable(o.kubeconfig); err != nil {
		return unusablef("--kubeconfig: %w", err)
	}
	objects, err := o.readObjects(ctx)
	if err != nil {
		return err
	}
	o.federation.Out = o.ErrOut
	federation, err := clusters.Start(ctx, o.federation)
	if err != nil {
		return exit(exitFailed, interrupted(ctx, err))
	}
	err = o.use(ctx, federation, objects)
	fmt.Fprintln(o.ErrOut, "stopping")
	return errors.Join(interrupted(ctx, err), federation.Stop())
}

// interrupted returns the error of a federation that did not get ready. What was going on when ctx ended is no news.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return exit(exitFailed, errors.New("interrupted before the federation was ready"))
}

// replaceable returns an error unless path is free for the kubeconfig of a federation: there is no such file, or one that a federation has
// written. Users' own kubeconfigs have contexts with other names.
func replaceable(path string) error {
	if path == "" {
		return nil
	}
	config, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path))
		return err
	}
	if err != nil {
		return fmt.Errorf("%s is there, and is no kubeconfig of a federation: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(config.Contexts)) {
		if name != clusters.ControlPlane && !strings.HasPrefix(name, "member") {
			return fmt.Errorf("%s has the context %s, which is no federation's: want a file that may be replaced, or a new one", path, name)
		}
	}
	return nil
}

// build builds the binaries and prints where they are.
func (o *upOptions) build(ctx context.Context) error {
	binaries, err := clusters.Build(ctx, o.ErrOut)
	if err != nil {
		return exit(exitFailed, err)
	}
	for _, name := range slices.Sorted(maps.Keys(binaries)) {
		fmt.Fprintln(o.Out, binaries[name])
	}
	return nil
}

// use fills the running federation and runs the command in it, or tells what happens until ctx ends.
func (o *upOptions) use(ctx context.Context, federation *clusters.Federation, objects []destined) error {
	if err := federation.Register(ctx); err != nil {
		return exit(exitFailed, err)
	}
	if o.controllers {
		if err := runControllers(ctx, federation); err != nil {
			return exit(exitFailed, err)
		}
	}
	if o.kubeconfig != "" {
		data, err := os.ReadFile(federation.Kubeconfig)
		if err != nil {
			return exit(exitFailed, err)
		}
		if err := os.WriteFile(o.kubeconfig, data, 0o600); err != nil {
			return unusable(err)
		}
	}
	var told sync.WaitGroup
	defer told.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !o.quiet && len(o.command) == 0 {
		out := &lineWriter{out: o.Out}
		for _, c := range append(federation.Members(), federation.ControlPlane()) {
			t := &teller{cluster: c, out: out}
			told.Go(func() { t.run(ctx) })
		}
	}
	if err := applyObjects(ctx, federation, objects); err != nil {
		return err
	}
	if len(o.command) > 0 {
		return o.runCommand(ctx, federation)
	}
	o.greet(federation)
	<-ctx.Done()
	return nil
}

// runControllers runs this program's controller manager beside the federation.
func runControllers(ctx context.Context, federation *clusters.Federation) error {
	const name = "controller-manager"
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	port, err := federation.Port(name)
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	webhookPort, err := federation.Port(name + "-webhooks")
	if err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	webhookAddress := net.JoinHostPort("127.0.0.1", strconv.Itoa(webhookPort))
	if err := federation.ControlPlane().Apply(ctx, "", admissionWebhooks("https://"+webhookAddress)); err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	return federation.Run(ctx, clusters.Program{
		Name: name,
		Path: program,
		Args: []string{
			name, "--context", clusters.ControlPlane, "--health-probe-bind-address", address,
			"--webhook-bind-address", webhookAddress, "--webhook-host", "127.0.0.1",
			// On one machine clusters come and go in seconds.
			"--cluster-status-update-frequency", "2s", "--cluster-failure-threshold", "6s", "--cluster-success-threshold", "2s",
		},
		Ready: func(ctx context.Context) error {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", name, response.Status)
			}
			return nil
		},
	})
}

// admissionWebhooks returns the configuration that has the control plane ask the controller manager about rules that are written.
func admissionWebhooks(url string) *unstructured.Unstructured {
	var webhooks []any
	for _, path := range []string{admission.PathCustomization, admission.PathWebhookConfiguration} {
		kind := strings.TrimPrefix(path, "/validate-")
		webhooks = append(webhooks, map[string]any{
			"name":                    kind + ".config.karmada.io",
			"admissionReviewVersions": []any{"v1"},
			"sideEffects":             "None",
			"failurePolicy":           "Ignore",
			"clientConfig":            map[string]any{"url": url + path},
			"rules": []any{map[string]any{
				"apiGroups":   []any{configv1alpha1.GroupVersion.Group},
				"apiVersions": []any{configv1alpha1.GroupVersion.Version},
				"operations":  []any{"CREATE", "UPDATE"},
				"resources":   []any{kind + "s"},
			}},
		})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "ValidatingWebhookConfiguration",
		"metadata":   map[string]any{"name": "dragoman"},
		"webhooks":   webhooks,
	}}
}

// greet says what there is and what to try.
func (o *upOptions) greet(federation *clusters.Federation) {
	names := []string{clusters.ControlPlane}
	for _, member := range federation.Members() {
		names = append(names, member.Name)
	}
	fmt.Fprintf(o.Out, `
%s are ready. Data and logs are in %s.

In another terminal:

  export KUBECONFIG=%s
  export PATH=%s:$PATH
  kubectl config get-contexts
  kubectl get clusters
`, strings.Join(names, ", "), federation.Dir(), quoted(federation.Kubeconfig),
		quoted(strings.Join(programFolders(federation), string(filepath.ListSeparator))))
	if len(names) > 1 && !o.federation.APIServersOnly {
		fmt.Fprintf(o.Out, `  kubectl --context %[1]s create deployment web --image nginx --replicas 3
  dragoman interpret deployment/web --context %[1]s --operation InterpretHealth
`, names[1])
	}
	if o.quiet {
		fmt.Fprintf(o.Out, "\nCtrl-C stops everything.\n\n")
		return
	}
	fmt.Fprintf(o.Out, "\nCtrl-C stops everything. Until then, this is what happens:\n\n")
}
