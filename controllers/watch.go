package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/detector"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/controllers/work"
	"github.com/dragoman-io/dragoman/interpreter"
)

// notLoadedRetry is how soon a controller looks again whether the rules are loaded.
const notLoadedRetry = 100 * time.Millisecond

// conflictRetry is how soon a write is tried again that was based on a state which the cache no longer should have.
const conflictRetry = 20 * time.Millisecond

// loaded returns r for when the rules are loaded: until then every request waits.
func loaded[K comparable](f *federation, r reconcile.TypedReconciler[K]) reconcile.TypedReconciler[K] {
	return patient(reconcile.TypedFunc[K](func(ctx context.Context, key K) (reconcile.Result, error) {
		if !f.options.Rules.Loaded() {
			return reconcile.Result{RequeueAfter: notLoadedRetry}, nil
		}
		return r.Reconcile(ctx, key)
	}))
}

// longestRetry is the longest that anything which fails waits to be tried again, however often it has failed: what it
// failed for may be mended where nobody sees it.
const longestRetry = 2 * time.Minute

// retries returns how long what fails waits.
func retries[K comparable]() workqueue.TypedRateLimiter[K] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[K](5*time.Millisecond, longestRetry)
}

// patient returns r, but that a conflict is no failure: the cache was behind, and the request comes again.
func patient[K comparable](r reconcile.TypedReconciler[K]) reconcile.TypedReconciler[K] {
	return reconcile.TypedFunc[K](func(ctx context.Context, key K) (reconcile.Result, error) {
		result, err := r.Reconcile(ctx, key)
		if apierrors.IsConflict(err) || errors.Is(err, interpreter.ErrNotReady) {
			log.FromContext(ctx).V(1).Info("trying again", "why", err.Error())
			return reconcile.Result{RequeueAfter: conflictRetry}, nil
		}
		return result, err
	})
}

// add adds a controller that reconciles with r what its sources bring.
func add[K comparable](f *federation, name string, workers int, r reconcile.TypedReconciler[K], sources ...source.TypedSource[K]) error {
	logger := f.mgr.GetLogger().WithValues("controller", name)
	c, err := controller.NewTyped(name, f.mgr, controller.TypedOptions[K]{
		Reconciler: loaded(f, r), MaxConcurrentReconciles: workers, RateLimiter: retries[K](),
		LogConstructor: func(key *K) logr.Logger {
			if key == nil {
				return logger
			}
			return logger.WithValues(about(*key)...)
		},
	})
	if err != nil {
		return err
	}
	for _, s := range sources {
		if err := c.Watch(s); err != nil {
			return err
		}
	}
	return nil
}

// about returns the keys and values that a log line has about what a controller looks at: a Work's are its cluster's.
func about(key any) []any {
	switch k := key.(type) {
	case client.ObjectKey:
		if cluster, ok := workv1alpha1.ClusterOf(k.Namespace); ok {
			return []any{"cluster", cluster, "work", k.Name}
		}
		return []any{"namespace", k.Namespace, "name", k.Name}
	case policyKey:
		return []any{"namespace", k.Namespace, "name", k.Name}
	default:
		return []any{"object", fmt.Sprint(key)}
	}
}

// watched returns the source of what keys makes of the objects of a kind.
func watched[K comparable, T client.Object](f *federation, object T, keys func(T) []K, predicates ...predicate.TypedPredicate[T]) source.TypedSource[K] {
	return source.TypedKind(f.mgr.GetCache(), object, handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, o T) []K { return keys(o) }), predicates...)
}

// ownKey returns the key of a binding or Work itself.
func ownKey[T client.Object](o T) []client.ObjectKey {
	return []client.ObjectKey{client.ObjectKeyFromObject(o)}
}

func (f *federation) watch() error {
	templateOf := func(b workv1alpha2.Binding) []templates.Key { return []templates.Key{binding.TemplateKey(b)} }
	bindingOfWork := func(w *workv1alpha1.Work) []scheduler.Key {
		if key, ok := binding.KeyOf(w.Annotations); ok {
			return []scheduler.Key{key}
		}
		return nil
	}
	rb, crb := &workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}
	rbChanged, crbChanged := specChanged[*workv1alpha2.ResourceBinding](), specChanged[*workv1alpha2.ClusterResourceBinding]()

	// The detector looks at the templates of bindings too: one that went while nobody watched is found so.
	if err := add(f, "detector", 8, f.detector, f.detector.Queue.Source(),
		watched(f, rb, func(b *workv1alpha2.ResourceBinding) []templates.Key { return templateOf(b) }, rbChanged),
		watched(f, crb, func(b *workv1alpha2.ClusterResourceBinding) []templates.Key { return templateOf(b) }, crbChanged),
	); err != nil {
		return err
	}
	if err := add(f, "scheduler", 2, f.scheduler, f.scheduler.Queue.Source(),
		watched(f, rb, ownKey[*workv1alpha2.ResourceBinding], rbChanged),
		watched(f, crb, ownKey[*workv1alpha2.ClusterResourceBinding], crbChanged),
		f.clustersForScheduler(),
	); err != nil {
		return err
	}
	if err := add(f, "binding", 8, f.binding, f.binding.Queue.Source(),
		watched(f, rb, ownKey[*workv1alpha2.ResourceBinding], rbChanged),
		watched(f, crb, ownKey[*workv1alpha2.ClusterResourceBinding], crbChanged),
		watched(f, &workv1alpha1.Work{}, bindingOfWork, goneOrTouched()),
		f.clustersForBinding(),
		watched(f, &policyv1alpha1.OverridePolicy{}, func(p *policyv1alpha1.OverridePolicy) []scheduler.Key {
			return f.bindingsWhere(func(b workv1alpha2.Binding) bool { return b.GetNamespace() == p.Namespace })
		}),
		watched(f, &policyv1alpha1.ClusterOverridePolicy{}, func(*policyv1alpha1.ClusterOverridePolicy) []scheduler.Key {
			return f.bindingsWhere(func(workv1alpha2.Binding) bool { return true })
		}),
	); err != nil {
		return err
	}
	if err := add(f, "work", work.Workers, f.work, f.work.Queue.Source(),
		watched(f, &workv1alpha1.Work{}, ownKey[*workv1alpha1.Work], specChanged[*workv1alpha1.Work]()),
		f.clustersForWork(),
	); err != nil {
		return err
	}
	// Statuses have few workers: what goes out to the clusters comes before what they report.
	if err := add(f, "report", 2, reconcile.TypedFunc[work.Key](f.work.Report), f.work.Reports.Source()); err != nil {
		return err
	}
	if err := add(f, "aggregation", 2, f.aggregation, f.aggregation.Queue.Source(),
		watched(f, &workv1alpha1.Work{}, bindingOfWork),
		watched(f, rb, ownKey[*workv1alpha2.ResourceBinding], rbChanged),
		watched(f, crb, ownKey[*workv1alpha2.ClusterResourceBinding], crbChanged),
	); err != nil {
		return err
	}
	// The binding of a dependency that goes while it is required is made again.
	if err := add(f, "dependencies", 4, f.dependencies, f.dependencies.Queue.Source(),
		watched(f, rb, ownKey[*workv1alpha2.ResourceBinding], rbChanged),
		watched(f, crb, ownKey[*workv1alpha2.ClusterResourceBinding], crbChanged),
		watched(f, rb, func(b *workv1alpha2.ResourceBinding) []scheduler.Key { return dependencies.RequiredBy(b) }, gone[*workv1alpha2.ResourceBinding]()),
		watched(f, crb, func(b *workv1alpha2.ClusterResourceBinding) []scheduler.Key { return dependencies.RequiredBy(b) }, gone[*workv1alpha2.ClusterResourceBinding]()),
	); err != nil {
		return err
	}
	if err := f.watchPolicies(); err != nil {
		return err
	}
	if err := f.watchRules(); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(f.mgr).Named("namespace").For(namespace.Kind()).
		Watches(&clusterv1alpha1.Cluster{}, handler.EnqueueRequestsFromMapFunc(f.allNamespaces), builder.WithPredicates(connectedChanged)).
		Watches(&policyv1alpha1.ClusterOverridePolicy{}, handler.EnqueueRequestsFromMapFunc(f.allNamespaces)).
		WithOptions(controller.Options{RateLimiter: retries[reconcile.Request]()}).
		Complete(patient(f.namespace)); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(f.mgr).Named("cluster").
		For(&clusterv1alpha1.Cluster{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8, RateLimiter: retries[reconcile.Request]()}).
		Complete(patient(f.cluster))
}

// bindingsWhere returns the keys of the bindings that want says yes to; none when they cannot be listed, which the
// manager's cache always can.
func (f *federation) bindingsWhere(want func(workv1alpha2.Binding) bool) []scheduler.Key {
	keys, err := scheduler.All(context.Background(), f.mgr.GetClient(), want)
	if err != nil {
		f.mgr.GetLogger().Error(err, "bindings are not looked at")
	}
	return keys
}

// clustersForScheduler has bindings scheduled again when clusters change.
func (f *federation) clustersForScheduler() source.TypedSource[scheduler.Key] {
	everything := func() {
		f.scheduler.Queue.AddLow(f.bindingsWhere(func(workv1alpha2.Binding) bool { return true })...)
	}
	return source.TypedKind(f.mgr.GetCache(), &clusterv1alpha1.Cluster{}, handler.TypedFuncs[*clusterv1alpha1.Cluster, scheduler.Key]{
		CreateFunc: func(context.Context, event.TypedCreateEvent[*clusterv1alpha1.Cluster], queueOf) { everything() },
		DeleteFunc: func(context.Context, event.TypedDeleteEvent[*clusterv1alpha1.Cluster], queueOf) { everything() },
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*clusterv1alpha1.Cluster], _ queueOf) {
			all, unscheduled := scheduler.MattersTo(e.ObjectOld, e.ObjectNew)
			switch {
			case all:
				everything()
			case unscheduled:
				f.scheduler.Queue.AddLow(f.bindingsWhere(func(b workv1alpha2.Binding) bool {
					o, ok := f.scheduler.Outcome(b.GetUID())
					return ok && o.Err != nil
				})...)
			}
		},
	})
}

// clustersForWork has the Works of a cluster looked at that is ready again, or serves other kinds, or leaves, or stops to
// answer while it leaves: those that wait for it to come back, so as to be taken out of it, wait in vain then.
func (f *federation) clustersForWork() source.TypedSource[work.Key] {
	return source.TypedKind(f.mgr.GetCache(), &clusterv1alpha1.Cluster{}, handler.TypedFuncs[*clusterv1alpha1.Cluster, work.Key]{
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*clusterv1alpha1.Cluster], _ queueOf) {
			back := isReady(e.ObjectNew) && !isReady(e.ObjectOld)
			leaves := e.ObjectNew.DeletionTimestamp != nil && (e.ObjectOld.DeletionTimestamp == nil || isReady(e.ObjectOld) && !isReady(e.ObjectNew))
			serves := !equality.Semantic.DeepEqual(e.ObjectOld.Status.APIEnablements, e.ObjectNew.Status.APIEnablements)
			if back || leaves || serves {
				f.worksOf(e.ObjectNew.Name)
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*clusterv1alpha1.Cluster], _ queueOf) {
			f.worksOf(e.Object.Name)
		},
	})
}

// clustersForBinding has the Works of bindings looked at that name a cluster which joins, maybe not for the first time, or
// changes in what overrides may ask about.
func (f *federation) clustersForBinding() source.TypedSource[scheduler.Key] {
	naming := func(c *clusterv1alpha1.Cluster) {
		f.binding.Queue.AddLow(f.bindingsWhere(func(b workv1alpha2.Binding) bool {
			return slices.ContainsFunc(binding.Targets(b.BindingSpec()), func(t workv1alpha2.TargetCluster) bool { return t.Name == c.Name })
		})...)
	}
	return source.TypedKind(f.mgr.GetCache(), &clusterv1alpha1.Cluster{}, handler.TypedFuncs[*clusterv1alpha1.Cluster, scheduler.Key]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*clusterv1alpha1.Cluster], _ queueOf) {
			naming(e.Object)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*clusterv1alpha1.Cluster], _ queueOf) {
			if !describedAlike(e.ObjectOld, e.ObjectNew) {
				naming(e.ObjectNew)
			}
		},
	})
}

// queueOf is the queue that an event handler may add to; ours add to a Queue of their own.
type queueOf = workqueue.TypedRateLimitingInterface[scheduler.Key]

func isReady(c *clusterv1alpha1.Cluster) bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}

func (f *federation) allNamespaces(ctx context.Context, _ client.Object) []reconcile.Request {
	list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
	if err := f.mgr.GetClient().List(ctx, &list); err != nil {
		f.mgr.GetLogger().Error(err, "namespaces are not looked at")
		return nil
	}
	requests := make([]reconcile.Request, len(list.Items))
	for i := range list.Items {
		requests[i].Name = list.Items[i].Name
	}
	return requests
}

// worksOf has the Works of a cluster looked at about which more is known now: it was connected, has listed its objects,
// or leaves.
func (f *federation) worksOf(cluster string) {
	var list workv1alpha1.WorkList
	if err := f.mgr.GetClient().List(context.Background(), &list, client.InNamespace(workv1alpha1.ExecutionNamespace(cluster))); err != nil {
		f.mgr.GetLogger().Error(err, "the Works of a cluster are not looked at", "cluster", cluster)
		return
	}
	for i := range list.Items {
		f.work.Queue.AddLow(client.ObjectKeyFromObject(&list.Items[i]))
	}
}

// policyKey identifies a PropagationPolicy, or a ClusterPropagationPolicy when the namespace is empty.
type policyKey client.ObjectKey

// watchPolicies adds the controller that has the objects looked at that a policy selects or has claimed.
func (f *federation) watchPolicies() error {
	// Of definitions, which are large, only the metadata is kept: whatever changes in one, a kind may be served now.
	definition := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
	all := func(*metav1.PartialObjectMetadata) []policyKey {
		f.definitionsChanged.Store(time.Now().UnixNano())
		return f.allPolicies()
	}
	return add(f, "policy", 4, reconcile.TypedFunc[policyKey](f.policy),
		watched(f, &policyv1alpha1.PropagationPolicy{}, func(p *policyv1alpha1.PropagationPolicy) []policyKey {
			return []policyKey{policyKey(client.ObjectKeyFromObject(p))}
		}, specChanged[*policyv1alpha1.PropagationPolicy]()),
		watched(f, &policyv1alpha1.ClusterPropagationPolicy{}, func(p *policyv1alpha1.ClusterPropagationPolicy) []policyKey {
			return []policyKey{policyKey(client.ObjectKeyFromObject(p))}
		}, specChanged[*policyv1alpha1.ClusterPropagationPolicy]()),
		watched(f, definition, all, predicate.TypedResourceVersionChangedPredicate[*metav1.PartialObjectMetadata]{}),
	)
}

func (f *federation) allPolicies() []policyKey {
	ctx, reader := context.Background(), f.mgr.GetClient()
	var keys []policyKey
	var namespaced policyv1alpha1.PropagationPolicyList
	var cluster policyv1alpha1.ClusterPropagationPolicyList
	if err := reader.List(ctx, &namespaced); err == nil {
		for i := range namespaced.Items {
			keys = append(keys, policyKey(client.ObjectKeyFromObject(&namespaced.Items[i])))
		}
	}
	if err := reader.List(ctx, &cluster); err == nil {
		for i := range cluster.Items {
			keys = append(keys, policyKey(client.ObjectKeyFromObject(&cluster.Items[i])))
		}
	}
	return keys
}

// notServedRetry returns how soon a kind that a policy names is looked for again: a minute, or a second shortly after a
// definition has come or changed, since the API server tells of its kinds a little later.
func (f *federation) notServedRetry() time.Duration {
	if time.Since(time.Unix(0, f.definitionsChanged.Load())) < 30*time.Second {
		return time.Second
	}
	return time.Minute
}

// policy has the objects looked at that one policy selects or has claimed.
func (f *federation) policy(ctx context.Context, key policyKey) (reconcile.Result, error) {
	reader := f.mgr.GetClient()
	var spec *policyv1alpha1.PropagationSpec
	var err error
	if key.Namespace == "" {
		p := &policyv1alpha1.ClusterPropagationPolicy{}
		if err = reader.Get(ctx, client.ObjectKey(key), p); err == nil {
			spec = &p.Spec
		}
	} else {
		p := &policyv1alpha1.PropagationPolicy{}
		if err = reader.Get(ctx, client.ObjectKey(key), p); err == nil {
			spec = &p.Spec
		}
	}
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	lazy := spec != nil && spec.ActivationPreference == policyv1alpha1.LazyActivation
	if !lazy {
		f.claimedBy(key)
	}
	if spec == nil {
		return reconcile.Result{}, nil
	}
	result := reconcile.Result{}
	for i := range spec.ResourceSelectors {
		s := &spec.ResourceSelectors[i]
		if !detector.PropagatesKind(s.APIVersion, s.Kind) {
			continue
		}
		gvk := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		namespace := s.Namespace
		if namespace == "" {
			namespace = key.Namespace
		}
		objects, err := f.templates.List(ctx, gvk, namespace)
		if meta.IsNoMatchError(err) {
			result.RequeueAfter = f.notServedRetry()
			continue
		}
		if err != nil {
			return reconcile.Result{}, err
		}
		if lazy {
			continue
		}
		for j := range objects {
			if s.Name == "" || s.Name == objects[j].GetName() {
				f.detector.Queue.Add(templates.KeyOf(&objects[j]))
			}
		}
	}
	return result, nil
}

// claimedBy has the objects looked at whose bindings a policy has claimed.
func (f *federation) claimedBy(key policyKey) {
	f.bindingsWhere(func(b workv1alpha2.Binding) bool {
		a := b.GetAnnotations()
		if key.Namespace == "" && a[policyv1alpha1.ClusterPropagationPolicyNameAnnotation] == key.Name ||
			key.Namespace != "" && a[policyv1alpha1.PropagationPolicyNameAnnotation] == key.Name && a[policyv1alpha1.PropagationPolicyNamespaceAnnotation] == key.Namespace {
			f.detector.Queue.Add(binding.TemplateKey(b))
		}
		return false
	})
}

// watchRules adds the controller that asks again about objects whose rules have changed.
func (f *federation) watchRules() error {
	f.options.Rules.OnChange(func(gvk schema.GroupVersionKind) { f.changedRules.Add(gvk) })
	return add(f, "reinterpretation", 1, reconcile.TypedFunc[schema.GroupVersionKind](f.reinterpret), f.changedRules.Source())
}

// reinterpret has everything looked at that rules about gvk are asked about: see rules.OnChange.
func (f *federation) reinterpret(ctx context.Context, gvk schema.GroupVersionKind) (reconcile.Result, error) {
	for _, watched := range f.templates.Kinds() {
		if !means(gvk, watched) {
			continue
		}
		objects, err := f.templates.List(ctx, watched, "")
		if err != nil {
			return reconcile.Result{}, err
		}
		for i := range objects {
			f.templateChanged(templates.KeyOf(&objects[i]))
		}
	}
	var works workv1alpha1.WorkList
	if err := f.mgr.GetClient().List(ctx, &works); err != nil {
		return reconcile.Result{}, fmt.Errorf("list Works: %w", err)
	}
	for i := range works.Items {
		w := &works.Items[i]
		if len(w.Status.ManifestStatuses) > 0 {
			id := w.Status.ManifestStatuses[0].Identifier
			if !means(gvk, schema.GroupVersionKind{Group: id.Group, Version: id.Version, Kind: id.Kind}) {
				continue
			}
		}
		f.work.Queue.Add(client.ObjectKeyFromObject(w))
	}
	return reconcile.Result{}, nil
}

// means tells whether what rules are about, as rules.OnChange tells it, means the kind.
func means(target, kind schema.GroupVersionKind) bool {
	if target.Empty() {
		return true
	}
	group := target.Group == kind.Group || strings.HasPrefix(target.Group, ".") && strings.HasSuffix(kind.Group, target.Group)
	return group && (target.Version == "*" || target.Version == kind.Version) && (target.Kind == "*" || target.Kind == kind.Kind)
}
