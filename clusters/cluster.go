package clusters

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ControlPlane is the name of the cluster that users talk to. Members are named member1, member2 and so on.
const ControlPlane = "control-plane"

// A Cluster is one API server of a federation. It is safe for concurrent use.
type Cluster struct {
	// Name is ControlPlane or the name of a member.
	Name string
	// Server is the URL of the API server. It stays the same when the API server restarts.
	Server string
	// Kubeconfig is the path of a kubeconfig with cluster-admin rights for this cluster alone.
	Kubeconfig string

	number    int // 0 is the control plane
	config    *rest.Config
	discovery discovery.CachedDiscoveryInterface
	mapper    meta.ResettableRESTMapper
	dynamic   dynamic.Interface
}

// Config returns the configuration of a client with cluster-admin rights that does not throttle itself. It is the caller's own.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Dynamic returns a client for objects of any kind.
func (c *Cluster) Dynamic() dynamic.Interface { return c.dynamic }

// newCluster prepares the clients and the kubeconfig of a cluster whose API server need not run yet.
func newCluster(name string, number, port int, a *authority, dir string) (*Cluster, error) {
	c := &Cluster{Name: name, Server: "https://127.0.0.1:" + strconv.Itoa(port), number: number}
	admin, err := a.client(c.Name+"-admin", "admin", "system:masters")
	if err != nil {
		return nil, err
	}
	c.config = restConfig(c.Server, a.pem, admin)
	c.Kubeconfig = filepath.Join(dir, c.Name+".kubeconfig")
	kubeconfig := clientcmdapi.NewConfig()
	addContext(kubeconfig, c.Name, c.Server, a.pem, admin)
	if err := writeKubeconfig(kubeconfig, c.Kubeconfig); err != nil {
		return nil, err
	}
	plain, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	c.discovery = memory.NewMemCacheClient(plain)
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(c.discovery)
	c.dynamic, err = dynamic.NewForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return c, nil
}

// ready asks the API server whether it is ready to serve.
func (c *Cluster) ready(ctx context.Context) error {
	return c.get(ctx, "/readyz")
}

// get asks the API server for a path, which may have a query, and drops the answer.
func (c *Cluster) get(ctx context.Context, path string) error {
	_, err := c.discovery.RESTClient().Get().RequestURI(path).DoRaw(ctx)
	return err
}
