package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// Key identifies a binding: a ClusterResourceBinding when Namespace is empty.
type Key = types.NamespacedName

// Outcome is what became of the last decision about a binding.
type Outcome struct {
	// Generation is the generation of the binding that was decided on.
	Generation int64
	// AffinityName is the chosen group of clusters.
	AffinityName string
	// Err is why there is no decision; nil when there is one.
	Err error
	// At is when it was decided.
	At metav1.Time
}

// Scheduler decides about bindings. It is safe for concurrent use.
type Scheduler struct {
	// Client reads bindings and clusters from the manager's cache, and writes bindings.
	Client client.Client
	// Event tells the user about the binding's object.
	Event func(regarding client.Object, warning bool, reason, note string)
	// Recorded is called after an outcome was recorded that says something else than the one before: the binding's status
	// wants to be looked at, even if nothing of the binding was written. Nil for none.
	Recorded func(Key)
	// Queue is where other controllers put bindings that want a decision.
	Queue queue.Queue[Key]

	mu       sync.Mutex
	outcomes map[types.UID]Outcome
}

// Decide sets the clusters of b, which is the caller's to change, if deciding is this scheduler's business, and tells
// whether it was. A binding that cannot be scheduled keeps the clusters it has; the error says why. The caller writes
// b, and then calls Record.
func (s *Scheduler) Decide(ctx context.Context, b workv1alpha2.Binding) (Outcome, bool, error) {
	spec := b.BindingSpec()
	if spec.Placement == nil || spec.SchedulerName != "" && spec.SchedulerName != policyv1alpha1.DefaultSchedulerName ||
		spec.Suspension != nil && spec.Suspension.Scheduling != nil && *spec.Suspension.Scheduling {
		return Outcome{}, false, nil
	}
	var clusters clusterv1alpha1.ClusterList
	if err := s.Client.List(ctx, &clusters); err != nil {
		return Outcome{}, false, fmt.Errorf("list Clusters: %w", err)
	}
	all := make([]*clusterv1alpha1.Cluster, len(clusters.Items))
	for i := range clusters.Items {
		all[i] = &clusters.Items[i]
	}
	status := b.BindingStatus()
	triggered := spec.RescheduleTriggeredAt
	decision, cause := scheduling.Schedule(scheduling.Request{
		Binding: spec, Clusters: all, ObservedAffinity: status.SchedulerObservedAffinityName,
		Fresh: triggered != nil && (status.LastScheduledTime == nil || status.LastScheduledTime.Before(triggered)),
	})
	outcome := Outcome{AffinityName: decision.AffinityName, Err: cause, At: metav1.Now()}
	if outcome.Err != nil {
		return outcome, true, nil //nolint:nilerr // that there is no cluster is an outcome, which has the error
	}
	spec.Clusters = decision.Clusters
	placement, err := json.Marshal(spec.Placement)
	if err != nil {
		return Outcome{}, false, fmt.Errorf("encode the placement: %w", err)
	}
	annotations := b.GetAnnotations()
	if annotations[policyv1alpha1.AppliedPlacementAnnotation] != string(placement) {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[policyv1alpha1.AppliedPlacementAnnotation] = string(placement)
		b.SetAnnotations(annotations)
	}
	return outcome, true, nil
}

// Record remembers the outcome of the decision about b, which has been written.
func (s *Scheduler) Record(b workv1alpha2.Binding, o Outcome) {
	o.Generation = b.GetGeneration()
	s.mu.Lock()
	if s.outcomes == nil {
		s.outcomes = map[types.UID]Outcome{}
	}
	before, known := s.outcomes[b.GetUID()]
	s.outcomes[b.GetUID()] = o
	s.mu.Unlock()
	if s.Recorded != nil && (!known || !sameOutcome(before, o)) {
		s.Recorded(client.ObjectKeyFromObject(b))
	}
}

// sameOutcome tells whether two outcomes say the same, whenever it was decided.
func sameOutcome(a, b Outcome) bool {
	return a.Generation == b.Generation && a.AffinityName == b.AffinityName && (a.Err == nil) == (b.Err == nil) &&
		(a.Err == nil || a.Err.Error() == b.Err.Error())
}

// Outcome returns what became of the last decision about the binding with that UID, and whether there was any since
// this process began.
func (s *Scheduler) Outcome(uid types.UID) (Outcome, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.outcomes[uid]
	return o, ok
}

// Forget drops what is remembered about a binding that is gone.
func (s *Scheduler) Forget(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.outcomes, uid)
}

// retry is how soon a binding that nobody has room for is looked at again though no cluster changed.
const retry = 30 * time.Second

// Reconcile decides about one binding, and writes it when the decision is another one.
func (s *Scheduler) Reconcile(ctx context.Context, key Key) (reconcile.Result, error) {
	cached, err := Get(ctx, s.Client, key)
	if err != nil || cached == nil || cached.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, err
	}
	b := cached.DeepCopyBinding()
	outcome, ok, err := s.Decide(ctx, b)
	if err != nil || !ok {
		return reconcile.Result{}, err
	}
	if !equality.Semantic.DeepEqual(cached.BindingSpec(), b.BindingSpec()) ||
		!equality.Semantic.DeepEqual(cached.GetAnnotations(), b.GetAnnotations()) {
		if err := s.Client.Update(ctx, b); err != nil {
			return reconcile.Result{}, fmt.Errorf("write the clusters of binding %s: %w", key, err)
		}
	}
	previous, known := s.Outcome(b.GetUID())
	s.Record(b, outcome)
	if outcome.Err != nil {
		if !known || previous.Err == nil || previous.Err.Error() != outcome.Err.Error() {
			s.Event(b, true, Reason(outcome.Err), outcome.Err.Error())
		}
		return reconcile.Result{RequeueAfter: retry}, nil
	}
	return reconcile.Result{}, nil
}

// Reason returns the reason of the condition Scheduled for an outcome's error, which may be nil.
func Reason(err error) string {
	switch {
	case err == nil:
		return workv1alpha2.BindingReasonSuccess
	case errors.Is(err, scheduling.ErrNoClusterFits):
		return workv1alpha2.BindingReasonNoClusterFit
	case errors.Is(err, scheduling.ErrNoRoom):
		return workv1alpha2.BindingReasonUnschedulable
	default:
		return workv1alpha2.BindingReasonSchedulerError
	}
}

// Get returns the binding with that key, or nil when there is none. It is the reader's: do not modify it.
func Get(ctx context.Context, reader client.Reader, key Key) (workv1alpha2.Binding, error) {
	var b interface {
		client.Object
		workv1alpha2.Binding
	} = &workv1alpha2.ResourceBinding{}
	if key.Namespace == "" {
		b = &workv1alpha2.ClusterResourceBinding{}
	}
	if err := reader.Get(ctx, key, b); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return b, nil
}

// All returns the keys of all bindings that want says yes to.
func All(ctx context.Context, reader client.Reader, want func(workv1alpha2.Binding) bool) ([]Key, error) {
	var keys []Key
	var namespaced workv1alpha2.ResourceBindingList
	if err := reader.List(ctx, &namespaced); err != nil {
		return nil, fmt.Errorf("list ResourceBindings: %w", err)
	}
	for i := range namespaced.Items {
		if b := &namespaced.Items[i]; want(b) {
			keys = append(keys, client.ObjectKeyFromObject(b))
		}
	}
	var cluster workv1alpha2.ClusterResourceBindingList
	if err := reader.List(ctx, &cluster); err != nil {
		return nil, fmt.Errorf("list ClusterResourceBindings: %w", err)
	}
	for i := range cluster.Items {
		if b := &cluster.Items[i]; want(b) {
			keys = append(keys, client.ObjectKeyFromObject(b))
		}
	}
	return keys, nil
}

// MattersTo tells whether a change of a cluster from before to after can change a decision. What is free in it matters
// only to bindings that could not be scheduled: replicas that are placed are not moved.
func MattersTo(before, after *clusterv1alpha1.Cluster) (all, unscheduled bool) {
	all = before.UID != after.UID || !equality.Semantic.DeepEqual(before.Labels, after.Labels) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints) ||
		before.Spec.Region != after.Spec.Region || before.Spec.Provider != after.Spec.Provider ||
		!slices.Equal(selection.Zones(before), selection.Zones(after)) ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
		!equality.Semantic.DeepEqual(before.Status.APIEnablements, after.Status.APIEnablements)
	return all, all || !equality.Semantic.DeepEqual(before.Status.ResourceSummary, after.Status.ResourceSummary)
}
