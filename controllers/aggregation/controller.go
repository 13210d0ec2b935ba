package aggregation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Controller writes the statuses of bindings and templates.
type Controller struct {
	// Client reads from the manager's cache, and writes bindings and templates.
	Client client.Client
	// Templates are the watched kinds.
	Templates *templates.Templates
	// Interpreter merges statuses.
	Interpreter interpreter.Client
	// Scheduler knows what was decided.
	Scheduler *scheduler.Scheduler
	// Event tells the user about the binding's object.
	Event func(regarding client.Object, warning bool, reason, note string)
	// Interval is the least time between two rounds of one binding; what several clusters report meanwhile is written
	// once. Zero means 500 ms.
	Interval time.Duration
	// Queue is where bindings are put whose Works or templates have changed.
	Queue queue.Queue[scheduler.Key]

	mu     sync.Mutex
	rounds map[scheduler.Key]round
}

// round is what is remembered about the last round of a binding.
type round struct {
	at time.Time
	// begun tells whether there was any: at is else when the first was asked for.
	begun   bool
	problem string
}

// patience is for how long the first round of a binding waits for clusters that are ready and have not reported.
const patience = 30 * time.Second

// Reconcile brings the status of one binding, and of its template, up to date.
func (c *Controller) Reconcile(ctx context.Context, key scheduler.Key) (reconcile.Result, error) {
	b, err := scheduler.Get(ctx, c.Client, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	if b == nil || b.GetDeletionTimestamp() != nil {
		c.mu.Lock()
		delete(c.rounds, key)
		c.mu.Unlock()
		return reconcile.Result{}, nil
	}
	works, err := binding.Works(ctx, c.Client, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	complete, err := c.reported(ctx, b, works)
	if err != nil {
		return reconcile.Result{}, err
	}
	if wait := c.wait(key, complete); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	items, fully := c.collect(b, works)
	if err := c.writeBinding(ctx, b, items, fully); err != nil {
		return reconcile.Result{}, err
	}
	if b.BindingSpec().Placement == nil {
		return reconcile.Result{}, nil // it accompanies another object; its own binding, if any, speaks for it
	}
	return reconcile.Result{}, c.writeTemplate(ctx, key, b, items)
}

// wait returns how long this round has to wait for its turn; 0 begins it. The first one waits until every cluster has
// reported: they do so one by one.
func (c *Controller) wait(key scheduler.Key, complete bool) time.Duration {
	interval := c.Interval
	if interval == 0 {
		interval = 500 * time.Millisecond
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rounds == nil {
		c.rounds = map[scheduler.Key]round{}
	}
	now := time.Now()
	r, known := c.rounds[key]
	switch {
	case !known:
		c.rounds[key] = round{at: now}
		return interval
	case !r.begun && !complete:
		interval = patience
	}
	if wait := interval - now.Sub(r.at); wait > 0 {
		return wait
	}
	r.at, r.begun = now, true
	c.rounds[key] = r
	return 0
}

// reported tells whether every ready cluster that the binding names has said what became of the object, or keeps it back.
func (c *Controller) reported(ctx context.Context, b workv1alpha2.Binding, works []workv1alpha1.Work) (bool, error) {
	said := map[string]bool{}
	for i := range works {
		conditions := works[i].Status.Conditions
		if meta.FindStatusCondition(conditions, workv1alpha1.WorkApplied) != nil || meta.IsStatusConditionFalse(conditions, workv1alpha1.WorkDispatching) {
			said[works[i].Namespace] = true
		}
	}
	for _, target := range binding.Targets(b.BindingSpec()) {
		if said[workv1alpha1.ExecutionNamespace(target.Name)] {
			continue
		}
		cluster := &clusterv1alpha1.Cluster{}
		if err := c.Client.Get(ctx, client.ObjectKey{Name: target.Name}, cluster); err != nil {
			if apierrors.IsNotFound(err) {
				continue
			}
			return false, fmt.Errorf("get Cluster %s: %w", target.Name, err)
		}
		if meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady) {
			return false, nil
		}
	}
	return true, nil
}

// collect returns what the clusters report, sorted by cluster, and whether the object is applied in all that the
// binding names.
func (c *Controller) collect(b workv1alpha2.Binding, works []workv1alpha1.Work) ([]workv1alpha2.AggregatedStatusItem, bool) {
	targets := binding.Targets(b.BindingSpec())
	appliedIn := map[string]bool{}
	items := make([]workv1alpha2.AggregatedStatusItem, 0, len(works))
	for i := range works {
		work := &works[i]
		if work.DeletionTimestamp != nil {
			continue
		}
		cluster, _ := workv1alpha1.ClusterOf(work.Namespace)
		item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster}
		if condition := meta.FindStatusCondition(work.Status.Conditions, workv1alpha1.WorkApplied); condition != nil {
			item.Applied = condition.Status == metav1.ConditionTrue
			if !item.Applied {
				item.AppliedMessage = condition.Message
			}
		}
		if len(work.Status.ManifestStatuses) > 0 {
			item.Status = work.Status.ManifestStatuses[0].Status
			item.Health = work.Status.ManifestStatuses[0].Health
		}
		appliedIn[cluster] = item.Applied
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b workv1alpha2.AggregatedStatusItem) int { return cmp.Compare(a.ClusterName, b.ClusterName) })
	fully := !slices.ContainsFunc(targets, func(t workv1alpha2.TargetCluster) bool { return !appliedIn[t.Name] })
	return items, fully && len(targets) > 0
}

// writeBinding writes the binding's status if it says something new.
func (c *Controller) writeBinding(ctx context.Context, b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem, fully bool) error {
	next := b.DeepCopyBinding()
	status := next.BindingStatus()
	status.AggregatedStatus = items
	if outcome, ok := c.Scheduler.Outcome(b.GetUID()); ok {
		if outcome.Err == nil {
			if status.LastScheduledTime == nil || status.SchedulerObservedGeneration != outcome.Generation {
				status.LastScheduledTime = &outcome.At
			}
			status.SchedulerObservedAffinityName = outcome.AffinityName
		}
		status.SchedulerObservedGeneration = outcome.Generation
		meta.SetStatusCondition(&status.Conditions, scheduled(outcome))
	}
	if len(binding.Targets(b.BindingSpec())) > 0 {
		meta.SetStatusCondition(&status.Conditions, fullyApplied(fully, b.GetGeneration()))
	}
	if equality.Semantic.DeepEqual(b.BindingStatus(), status) {
		return nil
	}
	if err := c.Client.Status().Update(ctx, next); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("write the status of binding %s: %w", client.ObjectKeyFromObject(b), err)
	}
	return nil
}

func scheduled(o scheduler.Outcome) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue, Reason: workv1alpha2.BindingReasonSuccess,
		Message: "Binding has been scheduled successfully.", ObservedGeneration: o.Generation,
	}
	if o.Err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, scheduler.Reason(o.Err), o.Err.Error()
	}
	return condition
}

func fullyApplied(fully bool, generation int64) metav1.Condition {
	if !fully {
		return metav1.Condition{
			Type: workv1alpha2.FullyApplied, Status: metav1.ConditionFalse, Reason: workv1alpha2.FullyAppliedFailedReason,
			Message: "The object is not applied in every cluster that it goes to", ObservedGeneration: generation,
		}
	}
	return metav1.Condition{
		Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: workv1alpha2.FullyAppliedSuccessReason,
		Message: "The object is applied in every cluster that it goes to", ObservedGeneration: generation,
	}
}

// writeTemplate writes the template's status as the interpreter merges it, if it differs.
func (c *Controller) writeTemplate(ctx context.Context, key scheduler.Key, b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) error {
	template, err := c.Templates.Get(ctx, binding.TemplateKey(b))
	if err != nil || template == nil || template.GetDeletionTimestamp() != nil {
		return err
	}
	if silent(template, items) {
		return nil
	}
	next, err := c.merge(ctx, template, items)
	if errors.Is(err, interpreter.ErrNotHandled) {
		return nil
	}
	if err != nil {
		c.tell(key, template, err)
		return err
	}
	c.tell(key, template, nil)
	if equality.Semantic.DeepEqual(template.Object["status"], next.Object["status"]) {
		return nil
	}
	whole := template.DeepCopy()
	setStatus(whole, next)
	if c.Templates.HasStatus(template.GroupVersionKind()) {
		err = c.Client.Status().Update(ctx, whole)
	} else {
		err = c.Client.Update(ctx, whole)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("write the status of %s: %w", templates.KeyOf(template), err)
	}
	return nil
}

// silent tells whether neither the template nor any cluster has a status: what rules make of that, such as empty texts
// where one of some words must stand, is often no status that an API server takes.
func silent(template *unstructured.Unstructured, items []workv1alpha2.AggregatedStatusItem) bool {
	if fields, isMap := template.Object["status"].(map[string]any); len(fields) > 0 || (!isMap && template.Object["status"] != nil) {
		return false
	}
	return !slices.ContainsFunc(items, func(item workv1alpha2.AggregatedStatusItem) bool { return item.Status != nil })
}

func setStatus(object, from *unstructured.Unstructured) {
	if status, ok := from.Object["status"]; ok {
		object.Object["status"] = status
	} else {
		delete(object.Object, "status")
	}
}

func (c *Controller) merge(ctx context.Context, template *unstructured.Unstructured, items []workv1alpha2.AggregatedStatusItem) (*unstructured.Unstructured, error) {
	decoded, err := interpreter.DecodeItems(items)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", templates.KeyOf(template), err)
	}
	return c.Interpreter.AggregateStatus(ctx, template, decoded)
}

// tell sends an event about a failure to merge, once until it changes.
func (c *Controller) tell(key scheduler.Key, template *unstructured.Unstructured, err error) {
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	c.mu.Lock()
	r := c.rounds[key]
	known := r.problem == problem
	r.problem = problem
	c.rounds[key] = r
	c.mu.Unlock()
	if !known && err != nil {
		c.Event(template, true, "AggregateStatusFailed", strings.TrimSpace(problem))
	}
}
