package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/members"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Key identifies a Work.
type Key = types.NamespacedName

// Controller carries Works to members, and their statuses back.
type Controller struct {
	// Client reads from the manager's cache, and writes Works.
	Client client.Client
	// Members are the connected clusters.
	Members *members.Members
	// Interpreter says what a member owns, and what its status means.
	Interpreter interpreter.Client
	// Event tells the user about a Work's object, which it names in its note.
	Event func(regarding client.Object, warning bool, reason, note string)
	// StatusInterval is the least time between two writes of a Work's status that nobody waits for. Zero means 500 ms.
	StatusInterval time.Duration
	// Queue is where Works are put that Reconcile is to look at.
	Queue queue.Queue[Key]
	// Reports is where Works are put that Report is to look at.
	Reports queue.Queue[Key]

	lanes lanes

	mu   sync.Mutex
	seen map[types.UID]*record
}

// record is what is remembered about a Work, so that nothing is written that is there.
type record struct {
	// generation is the Work's when the object was last applied, and object what the member had then: for Reconcile alone.
	generation int64
	object     *unstructured.Unstructured
	// latest is the Work as the control plane had it after the last write of its status, at the time written: for Report
	// alone.
	latest  *workv1alpha1.Work
	written time.Time

	mu      sync.Mutex
	outcome *outcome
	// problem is the last failure that was told.
	problem string
}

// outcome is what Reconcile found, for Report to write down.
type outcome struct {
	// generation is the Work's.
	generation int64
	suspended  bool
	// err is why the object is not as it should be.
	err error
	// observed is the object as the member has it; nil when it has none.
	observed *unstructured.Unstructured
	// changed is when the member's object was last written.
	changed time.Time
}

// found remembers o and asks for it to be reported, and for what the member makes of a new object to be waited for.
func (c *Controller) found(key Key, r *record, o outcome) {
	r.mu.Lock()
	if r.outcome != nil && o.changed.IsZero() {
		o.changed = r.outcome.changed
	}
	r.outcome = &o
	r.mu.Unlock()
	c.Reports.Add(key)
}

func (c *Controller) record(uid types.UID) *record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[types.UID]*record{}
	}
	r := c.seen[uid]
	if r == nil {
		r = &record{}
		c.seen[uid] = r
	}
	return r
}

func (c *Controller) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, uid)
}

// KeyOf returns the Work that put an object into a member, and whether any did.
func KeyOf(object client.Object) (Key, bool) {
	annotations := object.GetAnnotations()
	key := Key{Namespace: annotations[workv1alpha2.WorkNamespaceAnnotation], Name: annotations[workv1alpha2.WorkNameAnnotation]}
	return key, key.Namespace != "" && key.Name != ""
}

// Reconcile brings one Work's object in the member up to date, and asks for a report.
func (c *Controller) Reconcile(ctx context.Context, key Key) (reconcile.Result, error) {
	cluster, ok := workv1alpha1.ClusterOf(key.Namespace)
	if !ok || !c.lanes.enter(cluster, key) {
		return reconcile.Result{}, nil
	}
	defer func() {
		if next, waited := c.lanes.leave(cluster); waited {
			c.Queue.Add(next)
		}
	}()
	work := &workv1alpha1.Work{}
	if err := c.Client.Get(ctx, key, work); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	manifest, err := manifestOf(work)
	switch {
	case err != nil && work.DeletionTimestamp != nil:
		return reconcile.Result{}, c.release(ctx, work) // it never put anything into the cluster
	case err != nil:
		c.found(key, c.record(work.UID), outcome{generation: work.Generation, err: err})
		return reconcile.Result{}, nil // it is reported; trying again would not help
	}
	member, err := c.reach(ctx, cluster)
	if work.DeletionTimestamp != nil && (err == nil || errors.Is(err, errAway)) {
		return c.remove(ctx, work, manifest, member)
	}
	if errors.Is(err, errAway) {
		return reconcile.Result{}, nil // its Works are queued when the cluster is connected, or ready again
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return c.sync(ctx, work, manifest, member)
}

// errAway is the error for a cluster that is not connected, or known not to be ready.
var errAway = errors.New("the cluster is away")

// reach returns the cluster to talk to. One that is not ready is not even asked: it would keep those waiting who have to
// do with others.
func (c *Controller) reach(ctx context.Context, name string) (*members.Member, error) {
	cluster := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, client.ObjectKey{Name: name}, cluster)
	if apierrors.IsNotFound(err) || meta.IsStatusConditionFalse(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
		return nil, errAway
	}
	if err != nil {
		return nil, fmt.Errorf("get Cluster %s: %w", name, err)
	}
	member, err := c.Members.Get(name)
	if errors.Is(err, members.ErrNotConnected) {
		return nil, errAway
	}
	return member, err
}

func manifestOf(work *workv1alpha1.Work) (*unstructured.Unstructured, error) {
	if n := len(work.Spec.Workload.Manifests); n != 1 {
		return nil, fmt.Errorf("spec.workload.manifests: want exactly one object, got %d", n)
	}
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(work.Spec.Workload.Manifests[0].Raw, &object.Object); err != nil {
		return nil, fmt.Errorf("spec.workload.manifests[0]: %w", err)
	}
	if object.GetKind() == "" || object.GetAPIVersion() == "" || object.GetName() == "" {
		return nil, errors.New("spec.workload.manifests[0]: want an object with apiVersion, kind and name")
	}
	return object, nil
}

const (
	// namespacePatience is for how long it is no failure that the namespace of a new Work's object does not exist yet.
	namespacePatience = 15 * time.Second
	namespaceRetry    = 200 * time.Millisecond
)

// sync applies the manifest unless dispatching is suspended.
func (c *Controller) sync(ctx context.Context, work *workv1alpha1.Work, manifest *unstructured.Unstructured, member *members.Member) (reconcile.Result, error) {
	r := c.record(work.UID)
	o := outcome{generation: work.Generation, suspended: work.Spec.SuspendDispatching != nil && *work.Spec.SuspendDispatching}
	o.observed, o.err = member.Get(ctx, manifest.GroupVersionKind(), client.ObjectKeyFromObject(manifest))
	if errors.Is(o.err, members.ErrNotSynced) {
		return reconcile.Result{}, nil // the cluster's Works are queued when it has
	}
	if o.err == nil && !o.suspended {
		before := o.observed
		o.observed, o.err = c.apply(ctx, work, manifest, before, member, r)
		if apierrors.IsConflict(o.err) {
			return reconcile.Result{}, o.err // the cache is behind; what it lacks comes
		}
		if o.observed != before {
			o.changed = time.Now()
		}
	}
	if apierrors.IsNotFound(o.err) && time.Since(work.CreationTimestamp.Time) < namespacePatience {
		// The namespace of a new object may arrive a moment after it.
		return reconcile.Result{RequeueAfter: namespaceRetry}, nil
	}
	if o.err != nil {
		c.tell(work, manifest, r, "SyncFailed", o.err)
	}
	c.found(client.ObjectKeyFromObject(work), r, o)
	return reconcile.Result{}, o.err
}

// tell sends an event about a problem with object, as the manifest or the member has it, once until it changes.
func (c *Controller) tell(work *workv1alpha1.Work, object *unstructured.Unstructured, r *record, reason string, err error) {
	r.mu.Lock()
	told := r.problem == err.Error()
	r.problem = err.Error()
	r.mu.Unlock()
	if told {
		return
	}
	cluster, _ := workv1alpha1.ClusterOf(work.Namespace)
	template := &unstructured.Unstructured{Object: map[string]any{}}
	template.SetGroupVersionKind(object.GroupVersionKind())
	template.SetNamespace(object.GetNamespace())
	template.SetName(object.GetName())
	template.SetUID(types.UID(object.GetAnnotations()[workv1alpha2.ResourceTemplateUIDAnnotation]))
	c.Event(template, true, reason, fmt.Sprintf("cluster %s: %v", cluster, err))
}

// apply creates or updates the object in the member if it is not as it should be, and returns it as the member has it.
func (c *Controller) apply(ctx context.Context, work *workv1alpha1.Work, manifest, observed *unstructured.Unstructured, member *members.Member, r *record) (*unstructured.Unstructured, error) {
	if observed == nil {
		return c.create(ctx, work, manifest, member, r)
	}
	if r.generation == work.Generation && r.object != nil && (r.object == observed || templates.Same(r.object, observed)) {
		r.object = observed
		return observed, nil
	}
	desired, err := c.retain(ctx, manifest, observed, member.Name)
	if err != nil {
		return observed, err
	}
	if !c.mayWrite(manifest, observed) {
		return observed, fmt.Errorf("%s exists in the cluster and is not managed by this Work: set %s=%s on the template, or conflictResolution: Overwrite in the policy, to take it over",
			templates.KeyOf(manifest), workv1alpha2.ResourceConflictResolutionAnnotation, workv1alpha2.ResourceConflictResolutionOverwrite)
	}
	if !carried(work, r) || !contains(observed.Object, desired.Object) || !managedAlike(desired, observed) {
		updated := desired.DeepCopy()
		if err := member.Client.Update(ctx, updated); err != nil {
			return observed, fmt.Errorf("update %s: %w", templates.KeyOf(manifest), err)
		}
		observed = updated
	}
	r.generation, r.object = work.Generation, observed
	return observed, nil
}

// carried tells whether the member's object was once made what this generation of the Work wants: else it may have what
// an earlier one wanted and this one does not, which contains does not see. What an earlier process did is in the Work's
// status.
func carried(work *workv1alpha1.Work, r *record) bool {
	if r.generation != 0 {
		return r.generation == work.Generation
	}
	applied := meta.FindStatusCondition(work.Status.Conditions, workv1alpha1.WorkApplied)
	return applied != nil && applied.Status == metav1.ConditionTrue && applied.ObservedGeneration == work.Generation
}

// managedAlike tells whether labels and annotations are the same: those that came with an earlier manifest are to go.
func managedAlike(desired, observed *unstructured.Unstructured) bool {
	return maps.Equal(desired.GetLabels(), observed.GetLabels()) && maps.Equal(desired.GetAnnotations(), observed.GetAnnotations())
}

// mayWrite tells whether the object in the member is this Work's, or may be taken over.
func (c *Controller) mayWrite(manifest, observed *unstructured.Unstructured) bool {
	if manifest.GetAnnotations()[workv1alpha2.ResourceConflictResolutionAnnotation] == workv1alpha2.ResourceConflictResolutionOverwrite {
		return true
	}
	want, _ := KeyOf(manifest)
	got, managed := KeyOf(observed)
	return managed && want == got
}

func (c *Controller) create(ctx context.Context, work *workv1alpha1.Work, manifest *unstructured.Unstructured, member *members.Member, r *record) (*unstructured.Unstructured, error) {
	created := manifest.DeepCopy()
	err := member.Client.Create(ctx, created)
	if err == nil {
		r.generation, r.object = work.Generation, created
		return created, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create %s: %w", templates.KeyOf(manifest), err)
	}
	// It exists and the cache does not have it: it is not marked as ours, or the cache is behind.
	observed := &unstructured.Unstructured{}
	observed.SetGroupVersionKind(manifest.GroupVersionKind())
	if err := member.Client.Get(ctx, client.ObjectKeyFromObject(manifest), observed); err != nil {
		return nil, fmt.Errorf("get %s: %w", templates.KeyOf(manifest), err)
	}
	return c.apply(ctx, work, manifest, observed, member, r)
}

// goneRetry is how soon an object that takes its time to go is looked for again.
const goneRetry = 2 * time.Second

// remove takes the object out of the member, and lets the Work go when it is gone there. member is nil when it is away.
func (c *Controller) remove(ctx context.Context, work *workv1alpha1.Work, manifest *unstructured.Unstructured, member *members.Member) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(work, workv1alpha2.ExecutionControllerFinalizer) {
		return reconcile.Result{}, nil
	}
	if member == nil {
		forsaken, err := c.forsaken(ctx, work)
		if err != nil || !forsaken {
			return reconcile.Result{}, err // one that is only away is waited for
		}
		return reconcile.Result{}, c.release(ctx, work)
	}
	gone, err := c.removeFrom(ctx, work, manifest, member)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !gone {
		return reconcile.Result{RequeueAfter: goneRetry}, nil
	}
	return reconcile.Result{}, c.release(ctx, work)
}

// forsaken tells whether a cluster that is away left the federation, or is leaving it: it then keeps what it has, and does
// not keep the federation waiting. One that is ready, and was only not connected yet since this process began, is not.
func (c *Controller) forsaken(ctx context.Context, work *workv1alpha1.Work) (bool, error) {
	name, _ := workv1alpha1.ClusterOf(work.Namespace)
	cluster := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, client.ObjectKey{Name: name}, cluster)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("get Cluster %s: %w", name, err)
	}
	ready := meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
	return cluster.DeletionTimestamp != nil && (!ready || cluster.Spec.SyncMode == clusterv1alpha1.Pull), nil
}

// removeFrom deletes the object in the member, or takes the federation's marks off it when it is to stay. It tells
// whether nothing is left to do.
func (c *Controller) removeFrom(ctx context.Context, work *workv1alpha1.Work, manifest *unstructured.Unstructured, member *members.Member) (bool, error) {
	observed := &unstructured.Unstructured{}
	observed.SetGroupVersionKind(manifest.GroupVersionKind())
	err := member.Client.Get(ctx, client.ObjectKeyFromObject(manifest), observed)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("get %s: %w", templates.KeyOf(manifest), err)
	}
	want, _ := KeyOf(manifest)
	if got, managed := KeyOf(observed); !managed || got != want {
		return true, nil
	}
	if keep := work.Spec.PreserveResourcesOnDeletion; keep != nil && *keep {
		return true, c.strip(ctx, observed, member)
	}
	if observed.GetDeletionTimestamp() != nil {
		return false, nil
	}
	background := metav1.DeletePropagationBackground
	uid := observed.GetUID()
	err = member.Client.Delete(ctx, observed, &client.DeleteOptions{PropagationPolicy: &background, Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("delete %s: %w", templates.KeyOf(manifest), err)
	}
	// Most objects are gone at once.
	err = member.Client.Get(ctx, client.ObjectKeyFromObject(manifest), observed)
	return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}

// strip takes the federation's labels and annotations off an object that stays in the member.
func (c *Controller) strip(ctx context.Context, observed *unstructured.Unstructured, member *members.Member) error {
	nothing := map[string]any{}
	for _, k := range []string{
		workv1alpha2.ManagedByKarmadaLabel, workv1alpha2.WorkPermanentIDLabel, workv1alpha2.ResourceBindingPermanentIDLabel,
		workv1alpha2.ClusterResourceBindingPermanentIDLabel,
	} {
		nothing[k] = nil
	}
	nothingElse := map[string]any{}
	for _, k := range []string{
		workv1alpha2.WorkNamespaceAnnotation, workv1alpha2.WorkNameAnnotation, workv1alpha2.ResourceBindingNamespaceAnnotation,
		workv1alpha2.ResourceBindingNameAnnotation, workv1alpha2.ClusterResourceBindingAnnotation,
		workv1alpha2.ResourceTemplateUIDAnnotation, workv1alpha2.ResourceTemplateGenerationAnnotation,
		workv1alpha2.ManagedLabels, workv1alpha2.ManagedAnnotations, workv1alpha2.ResourceConflictResolutionAnnotation,
	} {
		nothingElse[k] = nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": nothing, "annotations": nothingElse}})
	if err != nil {
		return err
	}
	if err := member.Client.Patch(ctx, observed, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return fmt.Errorf("release %s: %w", templates.KeyOf(observed), err)
	}
	return nil
}

// release lets the Work go.
func (c *Controller) release(ctx context.Context, work *workv1alpha1.Work) error {
	next := work.DeepCopy()
	controllerutil.RemoveFinalizer(next, workv1alpha2.ExecutionControllerFinalizer)
	if err := c.Client.Update(ctx, next); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("release Work %s: %w", client.ObjectKeyFromObject(work), err)
	}
	c.forget(work.UID)
	return nil
}
