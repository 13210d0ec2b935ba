package clusters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options say what federation to start. The zero value is a control plane with two members of three nodes, gone without a trace on Stop.
type Options struct {
	// Members is how many member clusters there are; 0 means 2, and a negative number none.
	Members int
	// Nodes is how many simulated nodes each member has; 0 means 3.
	Nodes int
	// APIServersOnly leaves out controller managers, schedulers and nodes: clusters that store and serve objects only.
	APIServersOnly bool
	// Dir keeps the state: a federation started again with the same Dir has its objects and, where the ports are free, its
	// addresses. Empty means a temporary folder that Stop deletes.
	Dir string
	// Out gets a line for every step; nil means none. It is written to by several goroutines, one at a time.
	Out io.Writer
}

// startTimeout is how long everything may take to get ready, once built. It is many times what is expected even of a busy machine.
const startTimeout = 5 * time.Minute

// A Federation is a set of running clusters. It is safe for concurrent use.
type Federation struct {
	// Kubeconfig is the path of a kubeconfig with a context for each cluster; the control plane's is the current one.
	Kubeconfig string

	options   Options
	out       io.Writer
	dir       string
	temporary bool
	unlock    func()
	binaries  Binaries
	authority *authority
	ports     *ports
	spawner   *spawner
	stages    *stages

	etcdURL           string
	serviceAccountKey string
	clusters          []*Cluster

	mu        sync.Mutex
	processes []*process

	background sync.WaitGroup
	cancel     context.CancelFunc
	stopOnce   sync.Once
	stopErr    error
}

// Start starts a federation and returns when all of it is ready: API servers serve, controllers run, nodes are ready. It builds
// the binaries first where they are missing (see Build), which takes minutes once. When Start fails or ctx ends while it runs, nothing
// stays behind. The federation itself lives until Stop, whatever becomes of ctx.
func Start(ctx context.Context, options Options) (*Federation, error) {
	switch {
	case options.Members == 0:
		options.Members = 2
	case options.Members < 0:
		options.Members = 0
	case options.Members > 50:
		return nil, fmt.Errorf("start a federation: want at most 50 members, got %d", options.Members)
	}
	if options.Nodes == 0 {
		options.Nodes = 3
	}
	f := &Federation{options: options, out: &lineWriter{out: lines(options.Out)}, spawner: newSpawner()}
	if err := f.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a federation: %w", err), f.Stop())
	}
	return f, nil
}

// start does the work of Start.
func (f *Federation) start(ctx context.Context) (err error) {
	// A folder that cannot be used is told before minutes are spent on building.
	if err := f.openDir(ctx); err != nil {
		return err
	}
	if f.binaries, err = Build(ctx, f.out); err != nil {
		return err
	}
	if f.stages, err = loadStages(); err != nil {
		return err
	}
	began := time.Now()
	ctx, cancelStart := context.WithTimeout(ctx, startTimeout)
	defer cancelStart()
	if f.authority, err = openAuthority(filepath.Join(f.dir, "pki")); err != nil {
		return err
	}
	if f.serviceAccountKey, err = f.authority.keepKey("service-account"); err != nil {
		return err
	}
	if f.ports, err = openPorts(f.dir); err != nil {
		return err
	}
	etcd, err := f.etcd()
	if err != nil {
		return err
	}
	starts, err := f.plan()
	if err != nil {
		return err
	}
	if err := f.ports.save(); err != nil {
		return err
	}
	lifetime, cancel := context.WithCancel(context.Background())
	f.cancel = cancel

	if err := f.launch(ctx, etcd); err != nil {
		return err
	}
	fmt.Fprintf(f.out, "etcd: ready after %s\n", since(began))
	var group sync.WaitGroup
	errs := make([]error, len(starts))
	startCtx, abort := context.WithCancel(ctx)
	defer abort()
	for i, start := range starts {
		group.Go(func() {
			if errs[i] = start(startCtx, lifetime); errs[i] != nil {
				abort()
				return
			}
			fmt.Fprintf(f.out, "%s: ready after %s\n", f.clusters[i].Name, since(began))
		})
	}
	group.Wait()
	return firstCause(errs)
}

// firstCause returns the errors that are not merely the consequence of another one.
func firstCause(errs []error) error {
	causes := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil || errors.Is(err, context.Canceled) })
	if len(causes) > 0 {
		return errors.Join(causes...)
	}
	return errors.Join(errs...)
}

// openDir makes or opens the folder of the federation and takes its lock.
func (f *Federation) openDir(ctx context.Context) (err error) {
	if f.dir = f.options.Dir; f.dir == "" {
		sweep(os.TempDir())
		if f.dir, err = os.MkdirTemp("", tempPrefix); err != nil {
			return fmt.Errorf("create a folder for the federation: %w", err)
		}
		f.temporary = true
	}
	if f.dir, err = filepath.Abs(f.dir); err != nil {
		return fmt.Errorf("create a folder for the federation: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(f.dir, "logs"), 0o755); err != nil {
		return fmt.Errorf("create a folder for the federation: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if f.unlock, err = lock(ctx, filepath.Join(f.dir, "lock"), func() { cancel(errInUse) }); err != nil {
		return fmt.Errorf("lock folder %s: %w", f.dir, err)
	}
	return nil
}

// errInUse is why a folder cannot be locked whose federation runs.
var errInUse = errors.New("it is in use by another federation: stop that one, or choose another folder")

// tempPrefix starts the names of temporary folders.
const tempPrefix = "dragoman-clusters-"

// sweep deletes temporary folders whose owner was killed. The lock tells: it is free, and the owner took it long ago.
func sweep(dir string) {
	old, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*", "lock"))
	if err != nil {
		return
	}
	for _, path := range old {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if tryLock(file) == nil {
			os.RemoveAll(filepath.Dir(path)) // What cannot be deleted now is found again by the next federation.
		}
		file.Close()
	}
}

// plan prepares all clusters and returns a function for each that starts it.
func (f *Federation) plan() ([]func(ctx, lifetime context.Context) error, error) {
	merged := clientcmdapi.NewConfig()
	var starts []func(ctx, lifetime context.Context) error
	for number := range f.options.Members + 1 {
		name := ControlPlane
		if number > 0 {
			name = "member" + strconv.Itoa(number)
		}
		port, err := f.ports.take(name + "/" + APIServer)
		if err != nil {
			return nil, err
		}
		c, err := newCluster(name, number, port, f.authority, f.dir)
		if err != nil {
			return nil, err
		}
		f.clusters = append(f.clusters, c)
		addContext(merged, c.Name, c.Server, f.authority.pem, pair{cert: c.config.CertData, key: c.config.KeyData})

		prepare := []func(*Cluster) (*process, error){}
		if !f.options.APIServersOnly {
			prepare = append(prepare, f.controllerManager)
		}
		if f.simulated(c) {
			prepare = append(prepare, f.scheduler, f.kwok)
		}
		server, err := f.apiServer(c, port)
		if err != nil {
			return nil, err
		}
		var components []*process
		for _, component := range prepare {
			p, err := component(c)
			if err != nil {
				return nil, err
			}
			components = append(components, p)
		}
		starts = append(starts, func(ctx, lifetime context.Context) error {
			return f.startCluster(ctx, lifetime, c, server, components)
		})
	}
	f.Kubeconfig = filepath.Join(f.dir, "kubeconfig")
	return starts, writeKubeconfig(merged, f.Kubeconfig)
}

// startCluster starts the API server, then what needs it, and waits for the nodes.
func (f *Federation) startCluster(ctx, lifetime context.Context, c *Cluster, server *process, components []*process) error {
	if err := f.launch(ctx, server); err != nil {
		return err
	}
	if f.simulated(c) {
		if err := f.stages.install(ctx, c); err != nil {
			return err
		}
	}
	if err := f.launch(ctx, components...); err != nil {
		return err
	}
	if !f.simulated(c) {
		return nil
	}
	f.background.Go(func() { f.stages.follow(lifetime, c, func(err error) { fmt.Fprintln(f.out, err) }) })
	return c.createNodes(ctx, f.options.Nodes)
}

// launch starts processes and waits until all answer.
func (f *Federation) launch(ctx context.Context, processes ...*process) error {
	for _, p := range processes {
		if err := f.ports.release(p.name); err != nil {
			return err
		}
		p.start()
	}
	for _, p := range processes {
		if err := p.waitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// componentKubeconfig writes a kubeconfig for a component of a cluster, with a certificate of its own.
func (f *Federation) componentKubeconfig(c *Cluster, program, user string, groups ...string) (string, error) {
	certificate, err := f.authority.client(c.Name+"-"+program, user, groups...)
	if err != nil {
		return "", err
	}
	config := clientcmdapi.NewConfig()
	addContext(config, c.Name, c.Server, f.authority.pem, certificate)
	path := filepath.Join(f.authority.dir, c.Name+"-"+program+".kubeconfig")
	return path, writeKubeconfig(config, path)
}

// Stop ends all processes and deletes what was temporary. It may be called more than once; the first call does the work and all return
// its error.
func (f *Federation) Stop() error {
	f.stopOnce.Do(func() { f.stopErr = f.stop() })
	return f.stopErr
}

func (f *Federation) stop() error {
	if f.cancel != nil {
		f.cancel()
	}
	f.background.Wait()
	// All but etcd keep no state, so they need no time to put it in order.
	var group sync.WaitGroup
	for _, p := range f.all() {
		group.Go(func() { p.stop(p.name == Etcd) })
	}
	group.Wait()
	f.spawner.close()
	var errs []error
	if f.ports != nil {
		errs = append(errs, f.ports.close())
	}
	if f.temporary {
		errs = append(errs, os.RemoveAll(f.dir))
	}
	if f.unlock != nil {
		f.unlock()
	}
	return errors.Join(errs...)
}

// ControlPlane returns the cluster that users talk to.
func (f *Federation) ControlPlane() *Cluster { return f.clusters[0] }

// Members returns the member clusters.
func (f *Federation) Members() []*Cluster { return slices.Clone(f.clusters[1:]) }

// Cluster returns the cluster of that name, or nil if there is none.
func (f *Federation) Cluster(name string) *Cluster {
	i := slices.IndexFunc(f.clusters, func(c *Cluster) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return f.clusters[i]
}

// Dir returns the folder with the federation's state, certificates and logs.
func (f *Federation) Dir() string { return f.dir }

// Binary returns the path of a program's binary, for instance Kubectl.
func (f *Federation) Binary(program string) string { return f.binaries[program] }

// A Program is something that runs beside the clusters for as long as they do, such as controllers of the control plane.
type Program struct {
	// Name is what Restart and Usage call it. It must be unique.
	Name string
	// Path is its binary, Args what it is called with.
	Path string
	Args []string
	// Ready tells whether it does its work; nil means as soon as it runs.
	Ready func(context.Context) error
}

// Run starts a program and returns when it is ready. It gets KUBECONFIG in its environment, logs into the folder of the federation, is started
// again when it ends, and is stopped with the federation.
func (f *Federation) Run(ctx context.Context, p Program) error {
	if f.find(p.Name) != nil {
		return fmt.Errorf("run %s: there is a process of that name", p.Name)
	}
	started := f.newProcess(p.Name, p.Path, p.Ready, p.Args)
	started.env = append(os.Environ(), "KUBECONFIG="+f.Kubeconfig)
	began := time.Now()
	if err := f.launch(ctx, started); err != nil {
		return err
	}
	fmt.Fprintf(f.out, "%s: ready after %s\n", p.Name, since(began))
	return nil
}

// Port returns a port on 127.0.0.1 for the program of that name to listen on; one that needs several appends a dash and a word to its
// name. They are held until Run starts the program.
func (f *Federation) Port(name string) (int, error) { return f.ports.take(name) }

// newProcess returns a process that is not started yet. Its name is its log file's name, too.
func (f *Federation) newProcess(name, path string, ready func(context.Context) error, args []string) *process {
	p := &process{
		name:    name,
		path:    path,
		args:    args,
		log:     filepath.Join(f.dir, "logs", strings.ReplaceAll(name, "/", "-")+".log"),
		spawner: f.spawner,
		ready:   ready,
		out:     f.out,
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes = append(f.processes, p)
	return p
}

// all returns the processes that there are.
func (f *Federation) all() []*process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.processes)
}

// find returns the process of that name, or nil.
func (f *Federation) find(name string) *process {
	all := f.all()
	i := slices.IndexFunc(all, func(p *process) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Restart kills a process, as a crash would, and returns when it is started again and answers. The name is "etcd", cluster and program
// as in "member1/kube-apiserver", or the name of a Program. Data and addresses stay.
func (f *Federation) Restart(ctx context.Context, name string) error {
	p := f.find(name)
	if p == nil {
		return fmt.Errorf("restart %s: no such process, want one of %s", name, strings.Join(f.Processes(), ", "))
	}
	return p.restart(ctx)
}

// Processes returns the names of all processes.
func (f *Federation) Processes() []string {
	var names []string
	for _, p := range f.all() {
		names = append(names, p.name)
	}
	return names
}

// Log returns the file that a process logs to, or "" if there is no process of that name.
func (f *Federation) Log(name string) string {
	if p := f.find(name); p != nil {
		return p.log
	}
	return ""
}

// Usage returns what each process has used so far.
func (f *Federation) Usage() []Usage {
	var used []Usage
	for _, p := range f.all() {
		used = append(used, p.usage())
	}
	return used
}

// since returns the time since t for a message.
func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

// lineWriter lets one goroutine write at a time.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(data)
}
