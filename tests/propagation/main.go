// Propagation measures what it costs to propagate many Deployments to members that only store them: the time from the
// first create to the last object in a member, the CPU time of every process but this client, and the writes that the
// control plane and the members saw for each object.
//
//	go run ./tests/propagation -objects 500 -members 2
//
// The clusters are real API servers on one etcd that does not sync, as in "dragoman up --api-servers-only".
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/dragoman-io/dragoman/clusters"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var r run
	flag.IntVar(&r.objects, "objects", 500, "how many Deployments")
	flag.IntVar(&r.members, "members", 2, "how many member clusters")
	flag.IntVar(&r.workers, "workers", 10, "how many creates are in flight at once")
	flag.StringVar(&r.manager, "manager", "", "a dragoman binary; empty builds one")
	flag.StringVar(&r.profile, "logs", "", "keep the controller manager's log in this file")
	flag.Parse()
	if err := r.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

type run struct {
	objects, members, workers int
	manager, profile          string
}

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

const namespace = "default"

func (r *run) run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "dragoman-propagation-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if r.manager == "" {
		r.manager = filepath.Join(dir, "dragoman")
		build := exec.CommandContext(ctx, "go", "build", "-o", r.manager, "./cmd/dragoman")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build dragoman: %w", err)
		}
	}
	federation, err := clusters.Start(ctx, clusters.Options{Members: r.members, APIServersOnly: true, Out: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, federation.Stop()) }()
	if err := federation.Register(ctx); err != nil {
		return err
	}
	manager, err := r.startManager(ctx, federation)
	if err != nil {
		return err
	}
	defer manager.stop()
	if err := r.ready(ctx, federation); err != nil {
		return err
	}
	return r.measure(ctx, federation, manager, out)
}

// process is the controller manager.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func (r *run) startManager(ctx context.Context, federation *clusters.Federation) (*process, error) {
	cmd := exec.CommandContext(ctx, r.manager, "controller-manager", "--context", clusters.ControlPlane) //nolint:gosec // our own binary
	cmd.Env = append(os.Environ(), "KUBECONFIG="+federation.Kubeconfig)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if r.profile != "" {
		file, err := os.Create(r.profile)
		if err != nil {
			return nil, err
		}
		cmd.Stderr = file
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // it says that it was interrupted
	}()
	return p, nil
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
	<-p.done
}

// cpu returns the time that the process has used.
func (p *process) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// ready waits until every member is.
func (r *run) ready(ctx context.Context, federation *clusters.Federation) error {
	resource := federation.ControlPlane().Dynamic().Resource(schema.GroupVersionResource{Group: "cluster.karmada.io", Version: "v1alpha1", Resource: "clusters"})
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		ready := 0
		for i := range list.Items {
			conditions, _, _ := unstructured.NestedSlice(list.Items[i].Object, "status", "conditions")
			for _, c := range conditions {
				if m, ok := c.(map[string]any); ok && m["type"] == "Ready" && m["status"] == "True" {
					ready++
				}
			}
		}
		return ready == r.members, nil
	})
}

func (r *run) measure(ctx context.Context, federation *clusters.Federation, manager *process, out io.Writer) error {
	control := federation.ControlPlane()
	policy := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy",
		"metadata": map[string]any{"name": "all", "namespace": namespace},
		"spec": map[string]any{
			"resourceSelectors": []any{map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}},
			"placement":         map[string]any{},
		},
	}}
	if err := control.Apply(ctx, "", policy); err != nil {
		return err
	}
	config := control.Config()
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	// What the members have is watched before the first create.
	arrived := make(chan error, r.members)
	for _, member := range federation.Members() {
		go func() { arrived <- r.arrive(ctx, member) }()
	}
	cpuBefore, writesBefore := map[string]time.Duration{}, map[string]int{}
	if err := r.account(ctx, federation, manager, cpuBefore, writesBefore); err != nil {
		return err
	}
	start := time.Now()
	if err := r.create(ctx, client); err != nil {
		return err
	}
	created := time.Since(start)
	for range r.members {
		if err := <-arrived; err != nil {
			return err
		}
	}
	took := time.Since(start)
	cpuAfter, writesAfter := map[string]time.Duration{}, map[string]int{}
	if err := r.account(ctx, federation, manager, cpuAfter, writesAfter); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d Deployments to %d members: %.1f s (created in %.1f s)\n\n", r.objects, r.members, took.Seconds(), created.Seconds())
	var total time.Duration
	fmt.Fprintf(out, "%-32s %12s %18s\n", "process", "CPU seconds", "writes per object")
	for _, name := range order(federation) {
		spent := cpuAfter[name] - cpuBefore[name]
		total += spent
		writes := ""
		if n, ok := writesAfter[name]; ok {
			writes = fmt.Sprintf("%.1f", float64(n-writesBefore[name])/float64(r.objects))
		}
		fmt.Fprintf(out, "%-32s %12.1f %18s\n", name, spent.Seconds(), writes)
	}
	fmt.Fprintf(out, "%-32s %12.1f\n", "total", total.Seconds())
	return nil
}

const managerName = "controller-manager"

func order(federation *clusters.Federation) []string {
	names := []string{managerName}
	for _, u := range federation.Usage() {
		names = append(names, u.Process)
	}
	return names
}

// account fills in what every process has used, and how many writes every API server has answered.
func (r *run) account(ctx context.Context, federation *clusters.Federation, manager *process, cpu map[string]time.Duration, writes map[string]int) error {
	spent, err := manager.cpu()
	if err != nil {
		return err
	}
	cpu[managerName] = spent
	for _, u := range federation.Usage() {
		cpu[u.Process] = u.CPU
	}
	for _, c := range append(federation.Members(), federation.ControlPlane()) {
		n, err := countWrites(ctx, c.Config())
		if err != nil {
			return err
		}
		writes[c.Name+"/kube-apiserver"] = n
	}
	return nil
}

// countWrites returns how many writes an API server has answered, leases and events apart.
func countWrites(ctx context.Context, config *rest.Config) (int, error) {
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := transport.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s/metrics: %s", config.Host, response.Status)
	}
	total := 0
	for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
		line := scanner.Text()
		if !strings.HasPrefix(line, "apiserver_request_total{") || strings.Contains(line, `resource="leases"`) || strings.Contains(line, `resource="events"`) {
			continue
		}
		for _, verb := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if strings.Contains(line, `verb="`+verb+`"`) {
				n, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
				if err != nil {
					return 0, err
				}
				total += int(n)
			}
		}
	}
	return total, nil
}

func (r *run) create(ctx context.Context, client dynamic.Interface) error {
	var wg sync.WaitGroup
	errs := make([]error, r.workers)
	for w := range r.workers {
		wg.Go(func() {
			for i := w; i < r.objects; i += r.workers {
				if _, err := client.Resource(deployments).Namespace(namespace).Create(ctx, deployment(i), metav1.CreateOptions{}); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func deployment(i int) *unstructured.Unstructured {
	name := fmt.Sprintf("web-%04d", i)
	labels := map[string]any{"app": name}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": name, "labels": labels},
		"spec": map[string]any{
			"replicas": int64(2), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{map[string]any{
					"name": "web", "image": "nginx:1.27", "ports": []any{map[string]any{"containerPort": int64(80)}},
					"resources": map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "128Mi"}},
				}}},
			},
		},
	}}
}

// arrive returns when the member has all Deployments.
func (r *run) arrive(ctx context.Context, member *clusters.Cluster) error {
	resource := member.Dynamic().Resource(deployments).Namespace(namespace)
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher, err := resource.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	seen := map[string]bool{}
	for len(seen) < r.objects {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e, ok := <-watcher.ResultChan():
			if !ok {
				return fmt.Errorf("%s: the watch ended after %d of %d Deployments", member.Name, len(seen), r.objects)
			}
			if object, err := meta.Accessor(e.Object); err == nil {
				seen[object.GetName()] = true
			}
		}
	}
	return nil
}
