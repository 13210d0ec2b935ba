package dependencies

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Index is the name of the manager's indexes of bindings by those that require them: see IndexKeys.
const Index = "requiredBy"

// IndexKeys returns the values of Index for a binding.
func IndexKeys(b workv1alpha2.Binding) []string {
	var keys []string
	for _, key := range RequiredBy(b) {
		keys = append(keys, binding.IndexKey(key))
	}
	return keys
}

// RequiredBy returns the keys of the bindings that require b.
func RequiredBy(b workv1alpha2.Binding) []scheduler.Key {
	var keys []scheduler.Key
	for _, by := range b.BindingSpec().RequiredBy {
		keys = append(keys, scheduler.Key{Namespace: by.Namespace, Name: by.Name})
	}
	return keys
}

// Controller keeps the bindings of dependencies.
type Controller struct {
	// Client reads from the manager's cache, which has bindings by Index, and writes bindings.
	Client client.Client
	// Templates are the watched kinds.
	Templates *templates.Templates
	// Interpreter says what objects depend on.
	Interpreter interpreter.Client
	// Event tells the user about the binding's object.
	Event func(regarding client.Object, warning bool, reason, note string)
	// Queue is where bindings are put whose dependencies want to be looked at.
	Queue queue.Queue[scheduler.Key]

	mu sync.Mutex
	// wanted are the references of each binding, so that a dependency that appears finds who waits for it.
	wanted map[scheduler.Key][]configv1alpha1.DependentObjectReference
}

// Dependents returns the bindings whose objects refer to the object with that key and those labels; nil labels are not
// known, and any reference by label may mean the object.
func (c *Controller) Dependents(key templates.Key, set labels.Set) []scheduler.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []scheduler.Key
	for b, refs := range c.wanted {
		if slices.ContainsFunc(refs, func(ref configv1alpha1.DependentObjectReference) bool { return refers(ref, b.Namespace, key, set) }) {
			out = append(out, b)
		}
	}
	return out
}

func refers(ref configv1alpha1.DependentObjectReference, namespace string, key templates.Key, set labels.Set) bool {
	if ref.APIVersion != key.Kind.GroupVersion().String() || ref.Kind != key.Kind.Kind || namespaceOf(ref, namespace) != key.Namespace && key.Namespace != "" {
		return false
	}
	if ref.Name != "" {
		return ref.Name == key.Name
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.LabelSelector)
	return err == nil && (set == nil || selector.Matches(set))
}

// namespaceOf returns the namespace of a reference: its own, or that of the binding.
func namespaceOf(ref configv1alpha1.DependentObjectReference, namespace string) string {
	if ref.Namespace != "" {
		return ref.Namespace
	}
	return namespace
}

func (c *Controller) remember(key scheduler.Key, refs []configv1alpha1.DependentObjectReference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted == nil {
		c.wanted = map[scheduler.Key][]configv1alpha1.DependentObjectReference{}
	}
	if len(refs) == 0 {
		delete(c.wanted, key)
		return
	}
	c.wanted[key] = refs
}

// notServedRetry is how soon a kind that an object refers to is looked for again while the control plane does not serve
// it: its objects are not watched yet.
const notServedRetry = time.Minute

// Reconcile brings the bindings of one object's dependencies up to date.
func (c *Controller) Reconcile(ctx context.Context, key scheduler.Key) (reconcile.Result, error) {
	b, err := scheduler.Get(ctx, c.Client, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	if b == nil || b.GetDeletionTimestamp() != nil || !b.BindingSpec().PropagateDeps || len(b.BindingSpec().Clusters) == 0 {
		c.remember(key, nil)
		return reconcile.Result{}, c.detach(ctx, key, nil)
	}
	template, err := c.Templates.Get(ctx, binding.TemplateKey(b))
	if err != nil || template == nil {
		return reconcile.Result{}, err
	}
	refs, err := c.Interpreter.InterpretDependency(ctx, template)
	if errors.Is(err, interpreter.ErrNotHandled) {
		refs, err = nil, nil
	}
	if err != nil {
		// An error never reads as "no dependencies": what is there stays.
		c.Event(template, true, "GetDependenciesFailed", err.Error())
		return reconcile.Result{}, err
	}
	c.remember(key, refs)
	if err := c.annotate(ctx, b, refs); err != nil {
		return reconcile.Result{}, err
	}
	result := reconcile.Result{}
	attached := map[scheduler.Key]bool{}
	for _, ref := range refs {
		objects, err := c.find(ctx, ref, key.Namespace)
		if meta.IsNoMatchError(err) {
			result.RequeueAfter = notServedRetry
			continue
		}
		if err != nil {
			return reconcile.Result{}, err
		}
		for _, object := range objects {
			to, err := c.attach(ctx, b, object)
			if err != nil {
				if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) { // the cache is behind; what it lacks comes
					c.Event(template, true, "SyncDependenciesFailed", err.Error())
				}
				return reconcile.Result{}, err
			}
			attached[to] = true
		}
	}
	return result, c.detach(ctx, key, attached)
}

// annotate records the references on the binding.
func (c *Controller) annotate(ctx context.Context, b workv1alpha2.Binding, refs []configv1alpha1.DependentObjectReference) error {
	encoded, err := json.Marshal(refs)
	if err != nil {
		return err
	}
	if len(refs) == 0 || b.GetAnnotations()[workv1alpha2.DependenciesAnnotation] == string(encoded) {
		return nil
	}
	next := b.DeepCopyBinding()
	annotations := next.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[workv1alpha2.DependenciesAnnotation] = string(encoded)
	next.SetAnnotations(annotations)
	if err := c.Client.Update(ctx, next); err != nil {
		return fmt.Errorf("record the dependencies of binding %s: %w", client.ObjectKeyFromObject(b), err)
	}
	return nil
}

// find returns the objects that a reference means and that exist.
func (c *Controller) find(ctx context.Context, ref configv1alpha1.DependentObjectReference, namespace string) ([]client.Object, error) {
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	namespace = namespaceOf(ref, namespace)
	if ref.Name != "" {
		object, err := c.Templates.Metadata(ctx, templates.Key{Kind: gvk, Namespace: namespace, Name: ref.Name})
		if err != nil || object == nil {
			return nil, err
		}
		return []client.Object{object}, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.LabelSelector)
	if err != nil {
		return nil, err
	}
	all, err := c.Templates.ListMetadata(ctx, gvk, namespace)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(o client.Object) bool { return !selector.Matches(labels.Set(o.GetLabels())) }), nil
}

// dependedBy returns the label of dependencies' bindings that ties them to the binding with that key.
func dependedBy(key scheduler.Key) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(key.Namespace + "/" + key.Name)) // a hash never fails
	return workv1alpha2.DependedByLabelPrefix + rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
}

// attach has the dependency's binding go where b goes, and returns its key.
func (c *Controller) attach(ctx context.Context, b workv1alpha2.Binding, object client.Object) (scheduler.Key, error) {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	key := scheduler.Key{Namespace: object.GetNamespace(), Name: workv1alpha2.BindingName(kind, object.GetName())}
	current, err := scheduler.Get(ctx, c.Client, key)
	if err != nil {
		return key, err
	}
	made := newAttached(object)
	next := made
	if current != nil {
		next = current.DeepCopyBinding()
	}
	from := scheduler.Key{Namespace: b.GetNamespace(), Name: b.GetName()}
	spec := next.BindingSpec()
	snapshot := workv1alpha2.BindingSnapshot{Namespace: from.Namespace, Name: from.Name, Clusters: b.BindingSpec().Clusters}
	spec.RequiredBy = withSnapshot(spec.RequiredBy, snapshot)
	if spec.Placement == nil && spec.Resource.UID != object.GetUID() { // the object was made again
		spec.Resource = made.BindingSpec().Resource
		next.SetOwnerReferences(made.GetOwnerReferences())
	}
	if spec.Placement == nil { // otherwise it has a policy of its own, which decides
		if current == nil || b.BindingSpec().ConflictResolution == policyv1alpha1.ConflictOverwrite {
			spec.ConflictResolution = b.BindingSpec().ConflictResolution
		}
		if keep := b.BindingSpec().PreserveResourcesOnDeletion; keep != nil && *keep {
			spec.PreserveResourcesOnDeletion = keep
		}
	}
	set := next.GetLabels()
	if set == nil {
		set = map[string]string{}
	}
	set[dependedBy(from)] = b.GetLabels()[workv1alpha2.ResourceBindingPermanentIDLabel]
	next.SetLabels(set)
	switch {
	case current == nil:
		err = c.Client.Create(ctx, next)
	case current.GetDeletionTimestamp() != nil:
		return key, fmt.Errorf("binding %s of the dependency is being deleted: wait until it is gone", key)
	case !equality.Semantic.DeepEqual(current.BindingSpec(), spec) || !equality.Semantic.DeepEqual(current.GetLabels(), set):
		err = c.Client.Update(ctx, next)
	}
	if err != nil {
		return key, fmt.Errorf("write binding %s of the dependency: %w", key, err)
	}
	return key, nil
}

// newAttached returns the binding of an object that no policy propagates.
func newAttached(object client.Object) workv1alpha2.Binding {
	gvk := object.GetObjectKind().GroupVersionKind()
	m := metav1.ObjectMeta{
		Namespace:       object.GetNamespace(),
		Name:            workv1alpha2.BindingName(gvk.Kind, object.GetName()),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(object, gvk)},
	}
	spec := workv1alpha2.ResourceBindingSpec{Resource: workv1alpha2.ObjectReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}}
	id := string(uuid.NewUUID())
	if object.GetNamespace() == "" {
		m.Labels = map[string]string{workv1alpha2.ClusterResourceBindingPermanentIDLabel: id}
		m.Finalizers = []string{workv1alpha2.ClusterResourceBindingControllerFinalizer}
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: m, Spec: spec}
	}
	m.Labels = map[string]string{workv1alpha2.ResourceBindingPermanentIDLabel: id}
	m.Finalizers = []string{workv1alpha2.BindingControllerFinalizer}
	return &workv1alpha2.ResourceBinding{ObjectMeta: m, Spec: spec}
}

// withSnapshot returns list with s in place of the snapshot of the same binding, sorted.
func withSnapshot(list []workv1alpha2.BindingSnapshot, s workv1alpha2.BindingSnapshot) []workv1alpha2.BindingSnapshot {
	out := without(list, scheduler.Key{Namespace: s.Namespace, Name: s.Name})
	out = append(out, s)
	slices.SortFunc(out, func(a, b workv1alpha2.BindingSnapshot) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func without(list []workv1alpha2.BindingSnapshot, key scheduler.Key) []workv1alpha2.BindingSnapshot {
	return slices.DeleteFunc(slices.Clone(list), func(s workv1alpha2.BindingSnapshot) bool {
		return s.Namespace == key.Namespace && s.Name == key.Name
	})
}

// detach lets go of the bindings of what the binding with that key required once and does not any more. One that
// nobody requires, and no policy propagates, is deleted.
func (c *Controller) detach(ctx context.Context, key scheduler.Key, attached map[scheduler.Key]bool) error {
	label, required := dependedBy(key), client.MatchingFields{Index: binding.IndexKey(key)}
	var namespaced workv1alpha2.ResourceBindingList
	if err := c.Client.List(ctx, &namespaced, required); err != nil {
		return fmt.Errorf("list the bindings of dependencies: %w", err)
	}
	var cluster workv1alpha2.ClusterResourceBindingList
	if err := c.Client.List(ctx, &cluster, required); err != nil {
		return fmt.Errorf("list the bindings of dependencies: %w", err)
	}
	var all []workv1alpha2.Binding
	for i := range namespaced.Items {
		all = append(all, &namespaced.Items[i])
	}
	for i := range cluster.Items {
		all = append(all, &cluster.Items[i])
	}
	for _, b := range all {
		if attached[client.ObjectKeyFromObject(b)] || b.GetDeletionTimestamp() != nil {
			continue
		}
		next := b.DeepCopyBinding()
		spec := next.BindingSpec()
		spec.RequiredBy = without(spec.RequiredBy, key)
		if len(spec.RequiredBy) == 0 && spec.Placement == nil {
			if err := c.Client.Delete(ctx, next); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("delete binding %s of a dependency: %w", client.ObjectKeyFromObject(b), err)
			}
			continue
		}
		set := next.GetLabels()
		delete(set, label)
		next.SetLabels(set)
		if err := c.Client.Update(ctx, next); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("release binding %s of a dependency: %w", client.ObjectKeyFromObject(b), err)
		}
	}
	return nil
}
