// Propagation measures what it costs to propagate many Deployments to members that only store them: the time from the
// first create to the last object in a member, and to the last status in the control plane; for both, the CPU time of
// every process but this client, and the writes that the control plane and the members saw for each object.
//
//	go run ./tests/propagation -objects 500 -members 2
//
// With -nodes the members have controllers and simulated nodes, and their statuses come back.
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
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
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
	flag.IntVar(&r.nodes, "nodes", 0, "how many simulated nodes a member has, with the controllers that use them; 0 means that members are API servers only")
	flag.IntVar(&r.workers, "workers", 10, "how many creates are in flight at once")
	flag.StringVar(&r.manager, "manager", "", "a dragoman binary; empty builds one")
	flag.StringVar(&r.logs, "logs", "", "keep the controller manager's log in this file")
	flag.StringVar(&r.profiles, "profiles", "", "keep a CPU profile of the controller manager in this folder")
	flag.Parse()
	if err := r.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

type run struct {
	objects, members, nodes, workers int
	manager, logs, profiles          string
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
	federation, err := clusters.Start(ctx, clusters.Options{Members: r.members, Nodes: r.nodes, APIServersOnly: r.nodes == 0, Out: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, federation.Stop()) }()
	if err := federation.Register(ctx); err != nil {
		return err
	}
	pprof, err := r.startManager(ctx, federation)
	if err != nil {
		return err
	}
	if err := r.ready(ctx, federation); err != nil {
		return err
	}
	err = r.measure(ctx, federation, pprof, out)
	if r.logs != "" {
		err = errors.Join(err, keep(federation.Log(managerName), r.logs))
	}
	return err
}

const managerName = "controller-manager"

// startManager starts the controller manager and returns where it serves profiles.
func (r *run) startManager(ctx context.Context, federation *clusters.Federation) (string, error) {
	port, err := federation.Port(managerName + "-profiles")
	if err != nil {
		return "", err
	}
	pprof := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return "http://" + pprof, federation.Run(ctx, clusters.Program{
		Name: managerName, Path: r.manager,
		Args: []string{"controller-manager", "--context", clusters.ControlPlane, "--pprof-bind-address", pprof},
	})
}

// keep copies a file.
func keep(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
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

func (r *run) measure(ctx context.Context, federation *clusters.Federation, pprof string, out io.Writer) error {
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
	stopProfiles := r.profile(ctx, pprof)
	before, err := account(ctx, federation)
	if err != nil {
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
	after, err := account(ctx, federation)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d Deployments to %d members: %.1f s (created in %.1f s)\n\n", r.objects, r.members, took.Seconds(), created.Seconds())
	r.print(out, before, after)
	settled, last, err := settle(ctx, federation)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nUntil every status is written: %.1f s\n\n", last.Sub(start).Seconds())
	r.print(out, before, settled)
	fmt.Fprintln(out, "\nWrites in the control plane")
	for _, write := range slices.Sorted(maps.Keys(settled.writes[clusters.ControlPlane+"/kube-apiserver"])) {
		n := func(a accounts) float64 {
			return float64(a.writes[clusters.ControlPlane+"/kube-apiserver"][write]) / float64(r.objects)
		}
		if most := n(settled) - n(before); most >= 0.05 {
			fmt.Fprintf(out, "  %-40s %4.1f %4.1f\n", write, n(after)-n(before), most)
		}
	}
	return stopProfiles()
}

// accounts are what every process has used since it started, and the writes that every API server has answered, by what
// was written.
type accounts struct {
	order    []string
	cpu      map[string]time.Duration
	resident map[string]int64
	writes   map[string]map[string]int
}

// total returns the number of writes of a process, events and leases apart, which nobody waits for.
func (a accounts) total(process string) int {
	sum := 0
	for write, n := range a.writes[process] {
		if !strings.HasSuffix(write, " events") && !strings.HasSuffix(write, " leases") {
			sum += n
		}
	}
	return sum
}

func (r *run) print(out io.Writer, before, after accounts) {
	var total time.Duration
	fmt.Fprintf(out, "%-32s %12s %18s %10s\n", "process", "CPU seconds", "writes per object", "MB held")
	for _, name := range after.order {
		spent := after.cpu[name] - before.cpu[name]
		total += spent
		writes := ""
		if _, ok := after.writes[name]; ok {
			writes = fmt.Sprintf("%.1f", float64(after.total(name)-before.total(name))/float64(r.objects))
		}
		fmt.Fprintf(out, "%-32s %12.1f %18s %10d\n", name, spent.Seconds(), writes, after.resident[name]>>20)
	}
	fmt.Fprintf(out, "%-32s %12.1f\n", "total", total.Seconds())
}

func account(ctx context.Context, federation *clusters.Federation) (accounts, error) {
	a := accounts{cpu: map[string]time.Duration{}, resident: map[string]int64{}, writes: map[string]map[string]int{}}
	for _, u := range federation.Usage() {
		a.order = append(a.order, u.Process)
		a.cpu[u.Process], a.resident[u.Process] = u.CPU, u.Resident
	}
	for _, c := range append(federation.Members(), federation.ControlPlane()) {
		writes, err := countWrites(ctx, c.Config())
		if err != nil {
			return a, err
		}
		a.writes[c.Name+"/kube-apiserver"] = writes
	}
	return a, nil
}

// settle returns the accounts when nothing has been written anywhere for a while, and when the last write was seen.
func settle(ctx context.Context, federation *clusters.Federation) (accounts, time.Time, error) {
	last, changed := accounts{}, time.Now()
	for {
		a, err := account(ctx, federation)
		if err != nil {
			return a, changed, err
		}
		now := time.Now()
		if !slices.ContainsFunc(a.order, func(p string) bool { return a.total(p) != last.total(p) }) {
			if now.Sub(changed) > 2*time.Second {
				return last, changed, nil
			}
		} else {
			last, changed = a, now
		}
		select {
		case <-ctx.Done():
			return a, changed, context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// countWrites returns how many writes an API server has answered, by method and resource.
func countWrites(ctx context.Context, config *rest.Config) (map[string]int, error) {
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	response, err := get(ctx, transport, config.Host+"/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	writes := map[string]int{}
	for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
		line := scanner.Text()
		if !strings.HasPrefix(line, "apiserver_request_total{") {
			continue
		}
		what := label(line, "resource")
		if sub := label(line, "subresource"); sub != "" {
			what += "/" + sub
		}
		switch verb := label(line, "verb"); verb {
		case "POST", "PUT", "PATCH", "APPLY", "DELETE":
			n, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			if err != nil {
				return nil, err
			}
			writes[verb+" "+what] += int(n)
		}
	}
	return writes, nil
}

// label returns the value of a label of a metric.
func label(line, name string) string {
	_, rest, _ := strings.Cut(line, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s: %s", url, response.Status), response.Body.Close())
	}
	return response, nil
}

// profile begins to take a CPU profile of the manager's first seconds, if it is wanted; the function returned waits for it.
func (r *run) profile(ctx context.Context, pprof string) func() error {
	if r.profiles == "" {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		response, err := get(ctx, http.DefaultClient, pprof+"/debug/pprof/profile?seconds=12")
		if err != nil {
			done <- err
			return
		}
		defer response.Body.Close()
		file, err := os.Create(filepath.Join(r.profiles, managerName+".pprof"))
		if err != nil {
			done <- err
			return
		}
		_, err = io.Copy(file, response.Body)
		done <- errors.Join(err, file.Close())
	}()
	return func() error { return <-done }
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
