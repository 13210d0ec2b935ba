package templates

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key identifies an object of any kind.
type Key struct {
	// Kind is the object's kind.
	Kind schema.GroupVersionKind
	// Namespace is empty for a cluster-scoped object.
	Namespace, Name string
}

// KeyOf returns the key of object.
func KeyOf(object *unstructured.Unstructured) Key {
	return Key{Kind: object.GroupVersionKind(), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// ObjectKey returns the key without the kind.
func (k Key) ObjectKey() client.ObjectKey {
	return client.ObjectKey{Namespace: k.Namespace, Name: k.Name}
}

// String returns, for example, "apps/v1 Deployment default/web".
func (k Key) String() string {
	name := k.Name
	if k.Namespace != "" {
		name = k.Namespace + "/" + name
	}
	return k.Kind.GroupVersion().String() + " " + k.Kind.Kind + " " + name
}

// depth is how much of the objects of a kind the cache has.
type depth int

const (
	nothing depth = iota
	metadata
	whole
)

// kind is what is known about a watched kind.
type kind struct {
	depth     depth
	hasStatus bool
}

// Templates are the watched kinds of the control plane. Of those that policies select, the cache has whole objects; of
// those that only accompany others, such as Secrets, their metadata. Make one with New; it is safe for concurrent use.
type Templates struct {
	cache     cache.Cache
	live      client.Reader
	mapper    meta.RESTMapper
	discovery discovery.DiscoveryInterface

	mu        sync.Mutex
	kinds     map[schema.GroupVersionKind]kind
	observers []func(Key)
}

// New returns Templates that watch through the cache of the control plane, and read from the control plane itself what
// the cache does not have.
func New(c cache.Cache, live client.Reader, mapper meta.RESTMapper, d discovery.DiscoveryInterface) *Templates {
	return &Templates{cache: c, live: live, mapper: mapper, discovery: d, kinds: map[schema.GroupVersionKind]kind{}}
}

// OnChange has f called for every watched object when it appears, changes or goes. Changes of its status and of what
// the API server writes into every object do not count, as far as the cache can tell. f must not block. Register before
// anything is watched.
func (t *Templates) OnChange(f func(Key)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observers = append(t.observers, f)
}

// syncTimeout is how long the control plane may take to list the objects of a kind. One that it cannot list must not keep
// those waiting who have to do with others; the cache goes on trying.
const syncTimeout = 10 * time.Second

// watch sees to it that objects of the kind are watched; it waits until the cache has them. A kind that the control
// plane does not serve is an error for which meta.IsNoMatchError holds.
func (t *Templates) watch(ctx context.Context, gvk schema.GroupVersionKind, want depth) error {
	t.mu.Lock()
	known := t.kinds[gvk]
	t.mu.Unlock()
	if known.depth >= want {
		return nil
	}
	mapping, err := t.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	known.hasStatus, err = t.servesStatus(mapping)
	if err != nil {
		return err
	}
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(gvk)
	var object client.Object = partial
	if want == whole {
		object = &unstructured.Unstructured{}
		object.GetObjectKind().SetGroupVersionKind(gvk)
	}
	waiting, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	informer, err := t.cache.GetInformer(waiting, object)
	if err != nil {
		return fmt.Errorf("watch %s: %w", gvk, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.kinds[gvk].depth
	if before >= want {
		return nil
	}
	if _, err := informer.AddEventHandler(t.handler(gvk)); err != nil {
		return fmt.Errorf("watch %s: %w", gvk, err)
	}
	known.depth = want
	t.kinds[gvk] = known
	if before == metadata {
		if err := t.cache.RemoveInformer(ctx, partial); err != nil {
			return fmt.Errorf("stop to watch the metadata of %s: %w", gvk, err)
		}
	}
	return nil
}

// handler returns what tells the observers about objects of the kind.
func (t *Templates) handler(gvk schema.GroupVersionKind) toolscache.ResourceEventHandler {
	observers := slices.Clone(t.observers)
	tell := func(o any) {
		if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if object, ok := o.(client.Object); ok {
			for _, f := range observers {
				f(Key{Kind: gvk, Namespace: object.GetNamespace(), Name: object.GetName()})
			}
		}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc: tell,
		UpdateFunc: func(old, current any) {
			before, ok := old.(*unstructured.Unstructured)
			after, ok2 := current.(*unstructured.Unstructured)
			if !ok || !ok2 || !Same(before, after) {
				tell(current)
			}
		},
		DeleteFunc: tell,
	}
}

// Whole tells whether the cache has whole objects of the kind: a policy selects some, or did.
func (t *Templates) Whole(gvk schema.GroupVersionKind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kinds[gvk].depth == whole
}

// Kinds returns the kinds of which the cache has whole objects.
func (t *Templates) Kinds() []schema.GroupVersionKind {
	t.mu.Lock()
	defer t.mu.Unlock()
	kinds := make([]schema.GroupVersionKind, 0, len(t.kinds))
	for gvk, k := range t.kinds {
		if k.depth == whole {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}

// HasStatus tells whether the control plane serves the status of the kind as a subresource; it is known of watched
// kinds.
func (t *Templates) HasStatus(gvk schema.GroupVersionKind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kinds[gvk].hasStatus
}

func (t *Templates) servesStatus(mapping *meta.RESTMapping) (bool, error) {
	list, err := t.discovery.ServerResourcesForGroupVersion(mapping.GroupVersionKind.GroupVersion().String())
	if err != nil {
		return false, fmt.Errorf("discover %s: %w", mapping.GroupVersionKind.GroupVersion(), err)
	}
	for i := range list.APIResources {
		if list.APIResources[i].Name == mapping.Resource.Resource+"/status" {
			return true, nil
		}
	}
	return false, nil
}

// Get returns the object as the cache has it, or nil when there is none. It must not be modified. Whole objects of the
// kind are watched from then on.
func (t *Templates) Get(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if err := t.watch(ctx, key.Kind, whole); err != nil {
		return nil, err
	}
	return read(ctx, t.cache, key)
}

// Read is Get for what only accompanies other objects: where the cache has no whole objects of the kind, the control
// plane itself is asked, and only metadata is watched from then on.
func (t *Templates) Read(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if t.Whole(key.Kind) {
		return t.Get(ctx, key)
	}
	if err := t.watch(ctx, key.Kind, metadata); err != nil {
		return nil, err
	}
	return read(ctx, t.live, key)
}

func read(ctx context.Context, reader client.Reader, key Key) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(key.Kind)
	err := reader.Get(ctx, key.ObjectKey(), object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return object, nil
}

// List returns the objects of a kind in a namespace, or in all of them when it is empty, as the cache has them. They
// must not be modified. Whole objects of the kind are watched from then on.
func (t *Templates) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	if err := t.watch(ctx, gvk, whole); err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := t.cache.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list %s: %w", gvk, err)
	}
	return list.Items, nil
}

// Metadata returns the metadata of an object as the cache has it, or nil when there is none. It must not be modified.
// At least the metadata of the kind's objects is watched from then on.
func (t *Templates) Metadata(ctx context.Context, key Key) (client.Object, error) {
	if t.Whole(key.Kind) {
		object, err := t.Get(ctx, key)
		if object == nil {
			return nil, err // and not a nil in an interface
		}
		return object, err
	}
	if err := t.watch(ctx, key.Kind, metadata); err != nil {
		return nil, err
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(key.Kind)
	err := t.cache.Get(ctx, key.ObjectKey(), object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return object, nil
}

// ListMetadata returns the metadata of the objects of a kind in a namespace, as Metadata does of one.
func (t *Templates) ListMetadata(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]client.Object, error) {
	var out []client.Object
	if t.Whole(gvk) {
		objects, err := t.List(ctx, gvk, namespace)
		for i := range objects {
			out = append(out, &objects[i])
		}
		return out, err
	}
	if err := t.watch(ctx, gvk, metadata); err != nil {
		return nil, err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := t.cache.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list %s: %w", gvk, err)
	}
	for i := range list.Items {
		out = append(out, &list.Items[i])
	}
	return out, nil
}

// Same tells whether two states of an object differ in nothing but status and what the API server writes into every
// object: resourceVersion, generation, managedFields.
func Same(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(essence(a), essence(b))
}

// essence returns the object's fields without those that Same passes over. It shares memory with the object.
func essence(o *unstructured.Unstructured) map[string]any {
	out := make(map[string]any, len(o.Object))
	for k, v := range o.Object {
		if k != "status" {
			out[k] = v
		}
	}
	if metadata, ok := o.Object["metadata"].(map[string]any); ok {
		kept := make(map[string]any, len(metadata))
		for k, v := range metadata {
			switch k {
			case "resourceVersion", "generation", "managedFields":
			default:
				kept[k] = v
			}
		}
		out["metadata"] = kept
	}
	return out
}
