package binding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/override"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Index is the name of the manager's index of Works by the binding that they belong to: see IndexKey.
const Index = "binding"

// Controller writes the Works of bindings.
type Controller struct {
	// Client reads from the manager's cache, which has Works by Index, and writes Works and bindings.
	Client client.Client
	// Templates are the watched kinds.
	Templates *templates.Templates
	// Interpreter divides replicas.
	Interpreter interpreter.Client
	// Scheduler is told when a binding is gone.
	Scheduler *scheduler.Scheduler
	// Event tells the user about the binding's object.
	Event func(regarding client.Object, warning bool, reason, note string)
	// Queue is where bindings are put that want to be looked at.
	Queue queue.Queue[scheduler.Key]
}

// KeyOf returns the binding that a Work belongs to, and whether it belongs to any.
func KeyOf(annotations map[string]string) (scheduler.Key, bool) {
	if name := annotations[workv1alpha2.ClusterResourceBindingAnnotation]; name != "" {
		return scheduler.Key{Name: name}, true
	}
	name := annotations[workv1alpha2.ResourceBindingNameAnnotation]
	return scheduler.Key{Namespace: annotations[workv1alpha2.ResourceBindingNamespaceAnnotation], Name: name}, name != ""
}

// IndexKey returns the value of Index for Works of the binding.
func IndexKey(key scheduler.Key) string { return key.Namespace + "/" + key.Name }

// TemplateKey returns the key of the binding's object.
func TemplateKey(b workv1alpha2.Binding) templates.Key {
	r := b.BindingSpec().Resource
	return templates.Key{Kind: schema.FromAPIVersionAndKind(r.APIVersion, r.Kind), Namespace: r.Namespace, Name: r.Name}
}

// Works returns the Works of a binding, as the cache has them. They must not be modified.
func Works(ctx context.Context, reader client.Reader, key scheduler.Key) ([]workv1alpha1.Work, error) {
	var list workv1alpha1.WorkList
	if err := reader.List(ctx, &list, client.MatchingFields{Index: IndexKey(key)}); err != nil {
		return nil, fmt.Errorf("list the Works of binding %s: %w", key, err)
	}
	return list.Items, nil
}

// Reconcile brings the Works of one binding up to date.
func (c *Controller) Reconcile(ctx context.Context, key scheduler.Key) (reconcile.Result, error) {
	b, err := scheduler.Get(ctx, c.Client, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	works, err := Works(ctx, c.Client, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	if b == nil || b.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, c.finish(ctx, b, works)
	}
	read := c.Templates.Get
	if b.BindingSpec().Placement == nil {
		read = c.Templates.Read // it only accompanies another object
	}
	template, err := read(ctx, TemplateKey(b))
	if err != nil || template == nil {
		return reconcile.Result{}, err // the detector deletes the binding of a template that is gone
	}
	targets := Targets(b.BindingSpec())
	if err := c.removeOrphans(ctx, b, works, targets); err != nil {
		return reconcile.Result{}, err
	}
	if err := c.write(ctx, b, template, works, targets); err != nil {
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			c.Event(template, true, "SyncWorkFailed", err.Error())
		}
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, nil
}

// Targets returns the clusters that a binding names: those it is scheduled to, and those of the bindings that require
// it. They are sorted by name.
func Targets(spec *workv1alpha2.ResourceBindingSpec) []workv1alpha2.TargetCluster {
	targets := slices.Clone(spec.Clusters)
	for _, by := range spec.RequiredBy {
		for _, t := range by.Clusters {
			if !slices.ContainsFunc(targets, func(o workv1alpha2.TargetCluster) bool { return o.Name == t.Name }) {
				targets = append(targets, workv1alpha2.TargetCluster{Name: t.Name})
			}
		}
	}
	slices.SortFunc(targets, func(a, b workv1alpha2.TargetCluster) int { return cmp.Compare(a.Name, b.Name) })
	return targets
}

// finish deletes the Works of a binding that is being deleted or gone, and lets it go when they are gone.
func (c *Controller) finish(ctx context.Context, b workv1alpha2.Binding, works []workv1alpha1.Work) error {
	for i := range works {
		if err := c.deleteWork(ctx, &works[i]); err != nil {
			return err
		}
	}
	if b == nil || len(works) > 0 {
		return nil
	}
	next := b.DeepCopyBinding()
	removed := controllerutil.RemoveFinalizer(next, workv1alpha2.BindingControllerFinalizer)
	removed = controllerutil.RemoveFinalizer(next, workv1alpha2.ClusterResourceBindingControllerFinalizer) || removed
	if !removed {
		return nil
	}
	if err := c.Client.Update(ctx, next); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("release binding %s: %w", client.ObjectKeyFromObject(b), err)
	}
	c.Scheduler.Forget(b.GetUID())
	return nil
}

func (c *Controller) deleteWork(ctx context.Context, work *workv1alpha1.Work) error {
	if work.DeletionTimestamp != nil {
		return nil
	}
	uid := work.UID
	err := c.Client.Delete(ctx, work, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete Work %s: %w", client.ObjectKeyFromObject(work), err)
	}
	return nil
}

// removeOrphans deletes the Works of clusters that the binding does not name any more, but for those that the object
// is leaving by and by.
func (c *Controller) removeOrphans(ctx context.Context, b workv1alpha2.Binding, works []workv1alpha1.Work, targets []workv1alpha2.TargetCluster) error {
	for i := range works {
		cluster, _ := workv1alpha1.ClusterOf(works[i].Namespace)
		named := slices.ContainsFunc(targets, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster }) ||
			slices.ContainsFunc(b.BindingSpec().GracefulEvictionTasks, func(t workv1alpha2.GracefulEvictionTask) bool { return t.FromCluster == cluster })
		if named {
			continue
		}
		if err := c.deleteWork(ctx, &works[i]); err != nil {
			return err
		}
	}
	return nil
}

// write creates or changes the Work of each target that differs.
func (c *Controller) write(ctx context.Context, b workv1alpha2.Binding, template *unstructured.Unstructured, works []workv1alpha1.Work, targets []workv1alpha2.TargetCluster) error {
	policies, err := c.policies(ctx, template.GetNamespace())
	if err != nil {
		return err
	}
	for _, target := range targets {
		cluster := &clusterv1alpha1.Cluster{}
		if err := c.Client.Get(ctx, client.ObjectKey{Name: target.Name}, cluster); err != nil {
			if apierrors.IsNotFound(err) {
				continue // the scheduler chooses another one
			}
			return fmt.Errorf("get Cluster %s: %w", target.Name, err)
		}
		if cluster.DeletionTimestamp != nil {
			continue // it is leaving, and its Works with it
		}
		m, err := c.manifest(ctx, b, template, target, cluster, policies, targets)
		if err != nil {
			return fmt.Errorf("cluster %s: %w", target.Name, err)
		}
		namespace := workv1alpha1.ExecutionNamespace(target.Name)
		i := slices.IndexFunc(works, func(w workv1alpha1.Work) bool { return w.Namespace == namespace })
		var current *workv1alpha1.Work
		if i >= 0 {
			current = &works[i]
		}
		if err := c.writeWork(ctx, b, template, target.Name, current, m); err != nil {
			return fmt.Errorf("cluster %s: %w", target.Name, err)
		}
	}
	return nil
}

// policies returns the override policies that can be about objects of the namespace.
func (c *Controller) policies(ctx context.Context, namespace string) (override.Policies, error) {
	var out override.Policies
	var cluster policyv1alpha1.ClusterOverridePolicyList
	if err := c.Client.List(ctx, &cluster); err != nil {
		return out, fmt.Errorf("list ClusterOverridePolicies: %w", err)
	}
	for i := range cluster.Items {
		out.Cluster = append(out.Cluster, &cluster.Items[i])
	}
	if namespace == "" {
		return out, nil
	}
	var namespaced policyv1alpha1.OverridePolicyList
	if err := c.Client.List(ctx, &namespaced, client.InNamespace(namespace)); err != nil {
		return out, fmt.Errorf("list OverridePolicies: %w", err)
	}
	for i := range namespaced.Items {
		out.Namespaced = append(out.Namespaced, &namespaced.Items[i])
	}
	return out, nil
}

// writeWork creates the Work, or changes current when it differs.
func (c *Controller) writeWork(ctx context.Context, b workv1alpha2.Binding, template *unstructured.Unstructured, cluster string, current *workv1alpha1.Work, m manifest) error {
	if current != nil && current.DeletionTimestamp != nil {
		return nil // its deletion is an event, after which a new one is made
	}
	work := &workv1alpha1.Work{}
	workID := string(uuid.NewUUID())
	if current != nil {
		work = current.DeepCopy()
		if id := current.Labels[workv1alpha2.WorkPermanentIDLabel]; id != "" {
			workID = id
		}
	} else {
		work.ObjectMeta = metav1.ObjectMeta{
			Namespace: workv1alpha1.ExecutionNamespace(cluster),
			Name:      workv1alpha1.WorkName(template.GetKind(), template.GetNamespace(), template.GetName()),
		}
	}
	mark(m.object, b, template, cluster, work.Name, workID)
	controllerutil.AddFinalizer(work, workv1alpha2.ExecutionControllerFinalizer)
	idLabel, id := permanentID(b)
	work.Labels = with(work.Labels, map[string]string{idLabel: id, workv1alpha2.WorkPermanentIDLabel: workID})
	overridden, err := overrideAnnotations(m.applied)
	if err != nil {
		return err
	}
	work.Annotations = with(work.Annotations, bindingAnnotations(b))
	delete(work.Annotations, policyv1alpha1.AppliedClusterOverridesAnnotation)
	delete(work.Annotations, policyv1alpha1.AppliedOverridesAnnotation)
	maps.Copy(work.Annotations, overridden)

	if current != nil && !c.Templates.HasStatus(template.GroupVersionKind()) {
		keepGeneration(m.object, current)
	}
	encoded, err := json.Marshal(m.object.Object)
	if err != nil {
		return fmt.Errorf("encode the object: %w", err)
	}
	spec := b.BindingSpec()
	work.Spec.SuspendDispatching = suspended(spec.Suspension, cluster)
	work.Spec.PreserveResourcesOnDeletion = spec.PreserveResourcesOnDeletion
	if current != nil && len(current.Spec.Workload.Manifests) == 1 && sameJSON(current.Spec.Workload.Manifests[0].Raw, encoded) {
		encoded = current.Spec.Workload.Manifests[0].Raw
	}
	work.Spec.Workload.Manifests = []workv1alpha1.Manifest{{}}
	work.Spec.Workload.Manifests[0].Raw = encoded
	switch {
	case current == nil:
		if err := c.Client.Create(ctx, work); err != nil {
			return fmt.Errorf("create Work %s: %w", client.ObjectKeyFromObject(work), err)
		}
	case !equality.Semantic.DeepEqual(current.Spec, work.Spec) || !equality.Semantic.DeepEqual(current.ObjectMeta, work.ObjectMeta):
		if err := c.Client.Update(ctx, work); err != nil {
			return fmt.Errorf("update Work %s: %w", client.ObjectKeyFromObject(work), err)
		}
	}
	return nil
}

func with(m, more map[string]string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, more)
	return m
}

// suspended tells whether nothing new may reach the cluster; nil for no.
func suspended(s *workv1alpha2.Suspension, cluster string) *bool {
	if s == nil {
		return nil
	}
	if s.Dispatching != nil && *s.Dispatching || s.DispatchingOnClusters != nil && slices.Contains(s.DispatchingOnClusters.ClusterNames, cluster) {
		return new(true)
	}
	return nil
}

// sameJSON tells whether two documents have the same value.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return utiljson.Unmarshal(a, &x) == nil && utiljson.Unmarshal(b, &y) == nil && equality.Semantic.DeepEqual(x, y)
}

// keepGeneration gives object the template's generation that the Work has, when nothing else differs. A kind whose
// status is no subresource has a new generation whenever its status is written, and must not travel for that.
func keepGeneration(object *unstructured.Unstructured, current *workv1alpha1.Work) {
	if len(current.Spec.Workload.Manifests) != 1 {
		return
	}
	var old unstructured.Unstructured
	if err := utiljson.Unmarshal(current.Spec.Workload.Manifests[0].Raw, &old.Object); err != nil {
		return // a Work that does not decode is written anew
	}
	const key = workv1alpha2.ResourceTemplateGenerationAnnotation
	annotations := object.GetAnnotations()
	generation := annotations[key]
	annotations[key] = old.GetAnnotations()[key]
	object.SetAnnotations(annotations)
	before, errBefore := json.Marshal(old.Object)
	after, errAfter := json.Marshal(object.Object)
	if errBefore == nil && errAfter == nil && bytes.Equal(before, after) {
		return
	}
	annotations[key] = generation
	object.SetAnnotations(annotations)
}
