package clusters

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
)

// process returns a process for one of the federation's own programs, in a cluster or, if that is "", for all of them.
func (f *Federation) process(cluster, program string, ready func(context.Context) error, args []string) *process {
	return f.newProcess(path.Join(cluster, program), f.binaries[program], ready, args)
}

// etcd prepares the one etcd that all API servers share; each has a key prefix of its own.
func (f *Federation) etcd() (*process, error) {
	port, err := f.ports.take(Etcd)
	if err != nil {
		return nil, err
	}
	peerPort, err := f.ports.take(Etcd + "-peer")
	if err != nil {
		return nil, err
	}
	server, err := f.authority.server(Etcd)
	if err != nil {
		return nil, err
	}
	client, err := f.authority.client("etcd-client", "kube-apiserver")
	if err != nil {
		return nil, err
	}
	f.etcdURL = "https://127.0.0.1:" + strconv.Itoa(port)
	peer := "https://127.0.0.1:" + strconv.Itoa(peerPort)
	args := []string{
		"--name=etcd",
		"--data-dir=" + filepath.Join(f.dir, "etcd"),
		"--listen-client-urls=" + f.etcdURL,
		"--advertise-client-urls=" + f.etcdURL,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=etcd=" + peer,
		"--client-cert-auth", "--trusted-ca-file=" + f.authority.certFile(),
		"--cert-file=" + server.certFile, "--key-file=" + server.keyFile,
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + f.authority.certFile(),
		"--peer-cert-file=" + server.certFile, "--peer-key-file=" + server.keyFile,
		"--log-level=warn",
		"--quota-backend-bytes=" + strconv.Itoa(4<<30),
	}
	if f.temporary {
		args = append(args, "--unsafe-no-fsync") // Survives a crash of etcd, though not of the machine.
	}
	httpClient, err := rest.HTTPClientFor(restConfig(f.etcdURL, f.authority.pem, client))
	if err != nil {
		return nil, fmt.Errorf("etcd client: %w", err)
	}
	return f.process("", Etcd, func(ctx context.Context) error { return healthy(ctx, httpClient, f.etcdURL+"/health") }, args), nil
}

// healthy asks a health endpoint.
func healthy(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: want status 200, got %s", url, response.Status)
	}
	return nil
}

// apiServer prepares the API server of a cluster.
func (f *Federation) apiServer(c *Cluster, port int) (*process, error) {
	server, err := f.authority.server(c.Name+"-apiserver", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
	if err != nil {
		return nil, err
	}
	args := []string{
		"--etcd-servers=" + f.etcdURL,
		"--etcd-prefix=/clusters/" + c.Name,
		"--etcd-cafile=" + f.authority.certFile(),
		"--etcd-certfile=" + filepath.Join(f.authority.dir, "etcd-client.crt"),
		"--etcd-keyfile=" + filepath.Join(f.authority.dir, "etcd-client.key"),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--endpoint-reconciler-type=none", // Endpoints may not be loopback addresses.
		"--tls-cert-file=" + server.certFile,
		"--tls-private-key-file=" + server.keyFile,
		"--client-ca-file=" + f.authority.certFile(),
		"--requestheader-client-ca-file=" + f.authority.certFile(),
		"--requestheader-allowed-names=front-proxy", // Nobody has this certificate: no proxy stands before the API server.
		"--requestheader-username-headers=X-Remote-User",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + f.serviceAccountKey,
		"--service-account-signing-key-file=" + f.serviceAccountKey,
		"--service-cluster-ip-range=10." + strconv.Itoa(96+c.number%100) + ".0.0/16",
		"--authorization-mode=Node,RBAC",
		"--allow-privileged",
		"--profiling=false",
	}
	if !f.simulated(c) {
		// Nobody makes service accounts without a controller manager, and Pods without one would be refused.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	return f.process(c.Name, APIServer, c.ready, args), nil
}

// simulated tells whether Pods run in the cluster.
func (f *Federation) simulated(c *Cluster) bool { return c.number > 0 && !f.options.APIServersOnly }

// controlPlaneControllers are the controllers of the control plane: what keeps an API server's own objects in order. Workloads rest
// there as templates, so nothing may act on them.
var controlPlaneControllers = []string{
	"clusterrole-aggregation-controller",
	"garbage-collector-controller",
	"namespace-controller",
	"root-ca-certificate-publisher-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"ttl-after-finished-controller",
}

// controllerManager prepares the controller manager of a cluster.
func (f *Federation) controllerManager(c *Cluster) (*process, error) {
	kubeconfig, err := f.componentKubeconfig(c, ControllerManager, "system:kube-controller-manager")
	if err != nil {
		return nil, err
	}
	port, err := f.ports.take(c.Name + "/" + ControllerManager)
	if err != nil {
		return nil, err
	}
	server, err := f.authority.server(c.Name + "-controller-manager")
	if err != nil {
		return nil, err
	}
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + server.certFile,
		"--tls-private-key-file=" + server.keyFile,
		"--leader-elect=false",
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + f.serviceAccountKey,
		"--root-ca-file=" + f.authority.certFile(),
		"--kube-api-qps=300",
		"--kube-api-burst=600",
	}
	if f.simulated(c) {
		args = append(args, "--node-monitor-grace-period=8760h") // Simulated nodes send no heartbeats: idle clusters are idle.
	} else {
		args = append(args, "--controllers="+strings.Join(controlPlaneControllers, ","))
	}
	return f.process(c.Name, ControllerManager, f.healthz(port), args), nil
}

// scheduler prepares the scheduler of a member.
func (f *Federation) scheduler(c *Cluster) (*process, error) {
	kubeconfig, err := f.componentKubeconfig(c, Scheduler, "system:kube-scheduler")
	if err != nil {
		return nil, err
	}
	port, err := f.ports.take(c.Name + "/" + Scheduler)
	if err != nil {
		return nil, err
	}
	server, err := f.authority.server(c.Name + "-scheduler")
	if err != nil {
		return nil, err
	}
	return f.process(c.Name, Scheduler, f.healthz(port), []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + server.certFile,
		"--tls-private-key-file=" + server.keyFile,
		"--leader-elect=false",
		"--kube-api-qps=300",
		"--kube-api-burst=600",
	}), nil
}

// kwok prepares the player of nodes, Pods and operators of a member.
func (f *Federation) kwok(c *Cluster) (*process, error) {
	kubeconfig, err := f.componentKubeconfig(c, KWOK, "kwok", "system:masters")
	if err != nil {
		return nil, err
	}
	port, err := f.ports.take(c.Name + "/" + KWOK)
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	ready := func(ctx context.Context) error { return healthy(ctx, http.DefaultClient, "http://"+address+"/healthz") }
	return f.process(c.Name, KWOK, ready, []string{
		"--kubeconfig=" + kubeconfig,
		"--enable-crds=Stage",
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=0", // A lease would keep a restarted KWOK from its nodes until it runs out.
		fmt.Sprintf("--cidr=10.%d.0.0/16", 196+c.number%50),
		"--server-address=" + address,
	}), nil
}

// healthz returns a check of a component's health endpoint.
func (f *Federation) healthz(port int) func(context.Context) error {
	url := "https://127.0.0.1:" + strconv.Itoa(port)
	return func(ctx context.Context) error {
		client, err := rest.HTTPClientFor(restConfig(url, f.authority.pem, pair{}))
		if err != nil {
			return err
		}
		defer client.CloseIdleConnections()
		return healthy(ctx, client, url+"/healthz")
	}
}
