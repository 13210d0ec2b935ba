package work

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// firstStatus is for how long a member's controllers may take to report about an object that was just written; what
// they say by then is written together with the news that the object is there.
const firstStatus = 200 * time.Millisecond

// interpretRetry is how soon a status is asked for again that could not be interpreted.
const interpretRetry = 30 * time.Second

// Report writes into one Work's status what Reconcile found, and what the member says of the object. It is a reconciler
// of its own, for fewer workers: when many objects go out at once, they go first, and their statuses follow.
func (c *Controller) Report(ctx context.Context, key Key) (reconcile.Result, error) {
	work := &workv1alpha1.Work{}
	if err := c.Client.Get(ctx, key, work); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if work.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	c.mu.Lock()
	r := c.seen[work.UID]
	c.mu.Unlock()
	if r == nil {
		return reconcile.Result{}, nil // Reconcile comes first, and asks again
	}
	r.mu.Lock()
	found := r.outcome
	r.mu.Unlock()
	if found == nil {
		return reconcile.Result{}, nil
	}
	if wait := firstStatus - time.Since(found.changed); wait > 0 && found.err == nil {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	var reported *workv1alpha1.ManifestStatus
	var problem error
	if found.observed != nil {
		cluster, _ := workv1alpha1.ClusterOf(work.Namespace)
		member, err := c.Members.Get(cluster)
		if err != nil {
			return reconcile.Result{}, nil //nolint:nilerr // it is looked at again when the cluster is connected
		}
		var s workv1alpha1.ManifestStatus
		s, problem = c.manifestStatus(ctx, member, found.observed)
		switch {
		case problem != nil:
			c.tell(work, found.observed, r, "InterpretFailed", problem)
		case found.err == nil:
			r.mu.Lock()
			r.problem = ""
			r.mu.Unlock()
		}
		reported = &s
	}
	after, err := c.writeStatus(ctx, work, r, found, reported)
	if problem != nil && after == 0 {
		after = interpretRetry // a webhook may answer again, of which there is no event
	}
	return reconcile.Result{RequeueAfter: after}, err
}

// writeStatus writes the Work's status if it says something new. What nobody waits for is written once in a while; the
// result is then how long to wait.
func (c *Controller) writeStatus(ctx context.Context, work *workv1alpha1.Work, r *record, found *outcome, reported *workv1alpha1.ManifestStatus) (time.Duration, error) {
	// The cache may not have what was written last.
	if r.latest != nil && r.latest.Generation == work.Generation && newer(r.latest, work) {
		work = r.latest
	}
	next := work.DeepCopy()
	meta.SetStatusCondition(&next.Status.Conditions, dispatching(found.suspended, found.generation))
	if !found.suspended {
		meta.SetStatusCondition(&next.Status.Conditions, applied(found.err, found.generation))
	}
	next.Status.ManifestStatuses = nil
	if reported != nil {
		next.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{*reported}
	}
	if sameStatus(&work.Status, &next.Status) {
		return 0, nil
	}
	interval := c.StatusInterval
	if interval == 0 {
		interval = 500 * time.Millisecond
	}
	if wait := interval - time.Since(r.written); wait > 0 && !urgent(&work.Status, &next.Status) {
		return wait, nil
	}
	if err := c.Client.Status().Update(ctx, next); err != nil {
		if apierrors.IsNotFound(err) {
			return 0, nil
		}
		return 0, fmt.Errorf("write the status of Work %s: %w", client.ObjectKeyFromObject(work), err)
	}
	r.latest, r.written = next, time.Now()
	return 0, nil
}

// newer tells whether a is a later state of an object than b.
func newer(a, b client.Object) bool {
	order, err := resourceversion.CompareResourceVersion(a.GetResourceVersion(), b.GetResourceVersion())
	return err == nil && order > 0
}
