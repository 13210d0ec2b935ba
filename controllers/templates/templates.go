package templates

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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

// Templates are the watched kinds of the control plane. Make one with New; it is safe for concurrent use.
type Templates struct {
	cache     cache.Cache
	mapper    meta.RESTMapper
	discovery discovery.DiscoveryInterface

	mu        sync.Mutex
	watched   map[schema.GroupVersionKind]bool
	hasStatus map[schema.GroupVersionKind]bool
	observers []func(Key)
}

// New returns Templates that watch through the cache of the control plane.
func New(c cache.Cache, mapper meta.RESTMapper, d discovery.DiscoveryInterface) *Templates {
	return &Templates{
		cache: c, mapper: mapper, discovery: d,
		watched: map[schema.GroupVersionKind]bool{}, hasStatus: map[schema.GroupVersionKind]bool{},
	}
}

// OnChange has f called for every watched object when it appears, changes or goes. Changes of its status and of what
// the API server writes into every object do not count. f must not block. Register before the first Watch.
func (t *Templates) OnChange(f func(Key)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.observers = append(t.observers, f)
}

// Watch sees to it that objects of the kind are watched; it waits until the cache has them. A kind that the control
// plane does not serve is an error for which meta.IsNoMatchError holds.
func (t *Templates) Watch(ctx context.Context, gvk schema.GroupVersionKind) error {
	t.mu.Lock()
	watched := t.watched[gvk]
	t.mu.Unlock()
	if watched {
		return nil
	}
	mapping, err := t.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	hasStatus, err := t.servesStatus(mapping)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	informer, err := t.cache.GetInformer(ctx, object)
	if err != nil {
		return fmt.Errorf("watch %s: %w", gvk, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hasStatus[gvk] = hasStatus
	if t.watched[gvk] {
		return nil
	}
	observers := slices.Clone(t.observers)
	tell := func(o any) {
		if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if u, ok := o.(*unstructured.Unstructured); ok {
			for _, f := range observers {
				f(KeyOf(u))
			}
		}
	}
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: tell,
		UpdateFunc: func(old, current any) {
			before, ok := old.(*unstructured.Unstructured)
			after, ok2 := current.(*unstructured.Unstructured)
			if !ok || !ok2 || !Same(before, after) {
				tell(current)
			}
		},
		DeleteFunc: tell,
	}); err != nil {
		return fmt.Errorf("watch %s: %w", gvk, err)
	}
	t.watched[gvk] = true
	return nil
}

// Watched returns the watched kinds.
func (t *Templates) Watched() []schema.GroupVersionKind {
	t.mu.Lock()
	defer t.mu.Unlock()
	kinds := make([]schema.GroupVersionKind, 0, len(t.watched))
	for gvk := range t.watched {
		kinds = append(kinds, gvk)
	}
	return kinds
}

// HasStatus tells whether the control plane serves the status of the kind as a subresource; it is known of watched
// kinds.
func (t *Templates) HasStatus(gvk schema.GroupVersionKind) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hasStatus[gvk]
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

// Get returns the object as the cache has it, or nil when there is none. It must not be modified. The kind is watched
// from then on.
func (t *Templates) Get(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if err := t.Watch(ctx, key.Kind); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
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

// List returns the objects of a kind in a namespace, or in all of them when it is empty, as the cache has them. They
// must not be modified. The kind is watched from then on.
func (t *Templates) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	if err := t.Watch(ctx, gvk); err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := t.cache.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("list %s: %w", gvk, err)
	}
	return list.Items, nil
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
