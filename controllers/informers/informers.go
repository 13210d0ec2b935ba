package informers

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Informers are those of one cache. Make them with For; they are safe for concurrent use.
type Informers struct {
	scheme *runtime.Scheme

	mu  sync.Mutex
	all []informer
}

type informer struct {
	toolscache.SharedIndexInformer
	kind schema.GroupVersionKind
}

// For returns the Informers, none yet, of a cache whose typed objects scheme knows.
func For(scheme *runtime.Scheme) *Informers { return &Informers{scheme: scheme} }

// New makes an informer; it is for cache.Options.NewInformer.
func (i *Informers) New(source toolscache.ListerWatcher, object runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	made := toolscache.NewSharedIndexInformer(source, object, resync, indexers)
	kind, err := apiutil.GVKForObject(object, i.scheme)
	if err != nil {
		return made // the cache refuses such an object by itself
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(i.all, informer{made, kind})
	return made
}

// Objects returns how many objects there are of each kind that is watched. Informers that ended are forgotten. It takes
// time in proportion to the objects, of which only the names are looked at.
func (i *Informers) Objects() map[schema.GroupVersionKind]int {
	i.mu.Lock()
	all := i.all[:0]
	for _, one := range i.all {
		if !one.IsStopped() {
			all = append(all, one)
		}
	}
	clear(i.all[len(all):])
	i.all = all
	watched := make([]informer, len(all))
	copy(watched, all)
	i.mu.Unlock()
	counts := make(map[schema.GroupVersionKind]int, len(watched))
	for _, one := range watched {
		counts[one.kind] += len(one.GetStore().ListKeys())
	}
	return counts
}
