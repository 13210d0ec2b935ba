package members

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/informers"
)

// ErrNotConnected is the error for a cluster that there is no connection to: it is unknown, or was never reached.
var ErrNotConnected = errors.New("not connected to the cluster")

// ErrNotSynced is the error for objects of a kind that the cluster has not listed yet.
var ErrNotSynced = errors.New("the cluster has not listed its objects yet")

// requestTimeout is how long a cluster may take to answer a request. One that does not answer must not keep those waiting
// who have to do with others.
const requestTimeout = 15 * time.Second

// Members are the connected clusters. Make one with New; it is safe for concurrent use.
type Members struct {
	observe func(cluster string, object *unstructured.Unstructured)
	synced  func(cluster string)

	mu      sync.RWMutex
	members map[string]*Member
}

// New returns no members yet. observe is called for every change of an object that the controllers put into a member,
// its deletion included; it must not block, and must not modify the object. synced is called when a cluster has listed
// the objects of another kind, after ErrNotSynced.
func New(observe func(cluster string, object *unstructured.Unstructured), synced func(cluster string)) *Members {
	return &Members{observe: observe, synced: synced, members: map[string]*Member{}}
}

// Get returns the member called name, or ErrNotConnected.
func (m *Members) Get(name string) (*Member, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if member, ok := m.members[name]; ok {
		return member, nil
	}
	return nil, fmt.Errorf("%s: %w", name, ErrNotConnected)
}

// Connect makes the member called name reachable by config, in place of an earlier connection. It does not wait for
// the cluster. The connection is closed when ctx ends, or by Disconnect.
func (m *Members) Connect(ctx context.Context, name string, config *rest.Config) (*Member, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = -1, -1 // the cluster's own priority and fairness decides
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", name, err)
	}
	impatient := *http
	impatient.Timeout = requestTimeout
	mapper, err := apiutil.NewDynamicRESTMapper(config, &impatient)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", name, err)
	}
	scheme := runtime.NewScheme()
	held := informers.For(scheme)
	direct, err := client.New(config, client.Options{HTTPClient: &impatient, Mapper: mapper, Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", name, err)
	}
	managed := labels.SelectorFromSet(labels.Set{workv1alpha2.ManagedByKarmadaLabel: workv1alpha2.ManagedByKarmadaLabelValue})
	logger := log.Log.WithName("members").WithValues("cluster", name)
	store, err := cache.New(config, cache.Options{
		HTTPClient: http, Mapper: mapper, Scheme: scheme, DefaultLabelSelector: managed,
		DefaultUnsafeDisableDeepCopy: new(true),
		DefaultTransform:             cache.TransformStripManagedFields(),
		DefaultWatchErrorHandler: func(ctx context.Context, r *toolscache.Reflector, err error) {
			toolscache.DefaultWatchErrorHandler(klog.NewContext(ctx, logger), r, err)
		},
		NewInformer: held.New,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to cluster %s: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	member := &Member{
		Name: name, Client: direct, mapper: mapper, cache: store, informers: held, cancel: cancel, done: ctx.Done(),
		watched: map[schema.GroupVersionKind]cache.Informer{}, observe: m.observe, synced: m.synced,
	}
	go func() { _ = store.Start(ctx) }() // it returns when ctx ends, and only then
	m.mu.Lock()
	old := m.members[name]
	m.members[name] = member
	m.mu.Unlock()
	if old != nil {
		old.cancel()
	}
	return member, nil
}

// Disconnect closes the connection to the cluster called name, if there is one.
func (m *Members) Disconnect(name string) {
	m.mu.Lock()
	member := m.members[name]
	delete(m.members, name)
	m.mu.Unlock()
	if member != nil {
		member.cancel()
	}
}

// Names returns the names of the connected clusters, sorted.
func (m *Members) Names() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	names := make([]string, 0, len(m.members))
	for name := range m.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Objects returns how many objects the caches of the connected clusters hold, by cluster and kind.
func (m *Members) Objects() map[string]map[schema.GroupVersionKind]int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	objects := make(map[string]map[schema.GroupVersionKind]int, len(m.members))
	for name, member := range m.members {
		objects[name] = member.informers.Objects()
	}
	return objects
}

// Member is a connected cluster. It is safe for concurrent use.
type Member struct {
	// Name is the cluster's name.
	Name string
	// Client reads from and writes to the cluster itself, not to a cache.
	Client client.Client

	mapper    meta.RESTMapper
	cache     cache.Cache
	informers *informers.Informers
	cancel    context.CancelFunc
	done      <-chan struct{}
	observe   func(string, *unstructured.Unstructured)
	synced    func(string)

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]cache.Informer
}

// Mapping returns what the cluster calls the resource of a kind.
func (m *Member) Mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	return m.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
}

// Get returns the object as the cache has it, or nil when it has none: the cache has only what the controllers put
// into the cluster. The object must not be modified. The first question about a kind has the cache begin to watch it;
// until the cluster has listed its objects the error is ErrNotSynced.
func (m *Member) Get(ctx context.Context, gvk schema.GroupVersionKind, key client.ObjectKey) (*unstructured.Unstructured, error) {
	if err := m.watch(ctx, gvk); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	err := m.cache.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: get %s %s: %w", m.Name, gvk.Kind, key, err)
	}
	return object, nil
}

// watch sees to it that the cache has the kind, and that its changes are observed. It does not wait for the cluster
// longer than for one answer.
func (m *Member) watch(ctx context.Context, gvk schema.GroupVersionKind) error {
	m.mu.Lock()
	informer := m.watched[gvk]
	m.mu.Unlock()
	if informer == nil {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(gvk)
		started, err := m.cache.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("%s: watch %s: %w", m.Name, gvk, err)
		}
		if err := m.listen(gvk, started); err != nil {
			return fmt.Errorf("%s: watch %s: %w", m.Name, gvk, err)
		}
		informer = started
	}
	if !informer.HasSynced() {
		return fmt.Errorf("%s: %s: %w", m.Name, gvk, ErrNotSynced)
	}
	return nil
}

// listen has what the informer sees observed, once.
func (m *Member) listen(gvk schema.GroupVersionKind, informer cache.Informer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[gvk] != nil {
		return nil
	}
	tell := func(o any) {
		if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if u, ok := o.(*unstructured.Unstructured); ok {
			m.observe(m.Name, u)
		}
	}
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: tell,
		UpdateFunc: func(old, current any) {
			if before, ok := old.(metav1.Object); ok {
				if after, ok := current.(metav1.Object); ok && before.GetResourceVersion() == after.GetResourceVersion() {
					return
				}
			}
			tell(current)
		},
		DeleteFunc: tell,
	}); err != nil {
		return err
	}
	m.watched[gvk] = informer
	go func() {
		if toolscache.WaitForCacheSync(m.done, informer.HasSynced) {
			m.synced(m.Name)
		}
	}()
	return nil
}
