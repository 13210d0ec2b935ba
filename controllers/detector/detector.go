package detector

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/queue"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/templates"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Detector writes the bindings of templates.
type Detector struct {
	// Client reads policies and bindings from the manager's cache, and writes bindings and templates.
	Client client.Client
	// Live reads from the control plane itself.
	Live client.Reader
	// Templates are the watched kinds.
	Templates *templates.Templates
	// Interpreter says what templates consist of.
	Interpreter interpreter.Client
	// Scheduler decides where they go.
	Scheduler *scheduler.Scheduler
	// Event tells the user about a template.
	Event func(regarding client.Object, warning bool, reason, note string)
	// SkippedNamespaces match the namespaces whose objects are never propagated, besides the federation's own.
	SkippedNamespaces []*regexp.Regexp
	// Queue is where templates are put that want to be looked at.
	Queue queue.Queue[templates.Key]
}

// reservedNamespaces are the federation's own.
var reservedNamespaces = []string{"karmada-system", "karmada-cluster"}

// Propagates tells whether objects of the namespace may be propagated.
func (d *Detector) Propagates(namespace string) bool {
	if _, ok := workv1alpha1.ClusterOf(namespace); ok || slices.Contains(reservedNamespaces, namespace) {
		return false
	}
	return !slices.ContainsFunc(d.SkippedNamespaces, func(r *regexp.Regexp) bool { return r.MatchString(namespace) })
}

// PropagatesKind tells whether objects of the kind may be propagated: the federation's own and those that only say
// what happened may not.
func PropagatesKind(apiVersion, kind string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	switch group {
	case "cluster.karmada.io", "policy.karmada.io", "work.karmada.io", "config.karmada.io", "networking.karmada.io",
		"autoscaling.karmada.io", "remedy.karmada.io", "apps.karmada.io", "events.k8s.io", "coordination.k8s.io":
		return false
	}
	return apiVersion != "v1" || kind != "Event"
}

// notServedRetry is how soon a kind that a policy names is looked for again while the control plane does not serve it.
// The definition's arrival is noticed earlier, by its own event.
const notServedRetry = time.Minute

// Reconcile brings the binding of one template up to date.
func (d *Detector) Reconcile(ctx context.Context, key templates.Key) (reconcile.Result, error) {
	bindingKey := types.NamespacedName{Namespace: key.Namespace, Name: workv1alpha2.BindingName(key.Kind.Kind, key.Name)}
	current, err := scheduler.Get(ctx, d.Client, bindingKey)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !d.Templates.Whole(key.Kind) && (current == nil || current.BindingSpec().Placement == nil) {
		return d.accompanying(ctx, key, current)
	}
	obj, err := d.Templates.Get(ctx, key)
	if meta.IsNoMatchError(err) {
		return reconcile.Result{RequeueAfter: notServedRetry}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	if obj == nil || obj.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, d.remove(ctx, key, current)
	}
	if !d.Propagates(obj.GetNamespace()) || obj.GetLabels()[workv1alpha2.ResourceTemplateClaimedByLabel] != "" {
		return reconcile.Result{}, nil
	}
	namespaced, cluster, err := selecting(ctx, d.Client, obj)
	if err != nil {
		return reconcile.Result{}, err
	}
	p := choose(obj, namespaced, cluster)
	if p != nil && p.apiVersion != obj.GetAPIVersion() {
		// An object is seen in every version that policies name, and belongs to one of them.
		if d.Templates.Whole(schema.FromAPIVersionAndKind(p.apiVersion, obj.GetKind())) {
			return reconcile.Result{}, nil
		}
		if p = choose(obj, ofVersion(obj.GetAPIVersion(), namespaced), ofVersion(obj.GetAPIVersion(), cluster)); p == nil {
			return reconcile.Result{}, nil
		}
	}
	if p == nil {
		return reconcile.Result{}, d.release(ctx, obj, current)
	}
	if missing, err := d.missingOverride(ctx, p, obj); err != nil || missing != "" {
		if err == nil {
			d.Event(obj, true, "DependentOverrideMissing", fmt.Sprintf("%s waits for OverridePolicy %s", p, missing))
		}
		return reconcile.Result{RequeueAfter: 5 * time.Second}, err
	}
	if current != nil && current.BindingSpec().Resource.UID != obj.GetUID() && current.BindingSpec().Placement != nil {
		// The binding of an earlier object of that name: it has to leave the clusters first.
		return reconcile.Result{RequeueAfter: time.Second}, d.delete(ctx, current)
	}
	if current != nil && current.GetDeletionTimestamp() != nil {
		return reconcile.Result{RequeueAfter: time.Second}, nil
	}
	// The claim comes first: it may count as a change of the template, which then travels once and not twice.
	obj, err = d.claim(ctx, obj, p)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := d.write(ctx, obj, current, p); err != nil {
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			d.Event(obj, true, "ApplyPolicyFailed", fmt.Sprintf("%s: %v", p, err))
		}
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, nil
}

// accompanying looks at an object of a kind that no policy selects: all there is to do is to delete its binding when it
// is gone.
func (d *Detector) accompanying(ctx context.Context, key templates.Key, current workv1alpha2.Binding) (reconcile.Result, error) {
	object, err := d.Templates.Metadata(ctx, key)
	switch {
	case meta.IsNoMatchError(err):
		return reconcile.Result{RequeueAfter: notServedRetry}, nil
	case err != nil:
		return reconcile.Result{}, err
	case object == nil || object.GetDeletionTimestamp() != nil:
		return reconcile.Result{}, d.remove(ctx, key, current)
	}
	return reconcile.Result{}, nil
}

// write creates or changes the binding, scheduled, in one write; nothing is written when nothing differs.
func (d *Detector) write(ctx context.Context, obj *unstructured.Unstructured, current workv1alpha2.Binding, p *policy) error {
	next := newBinding(obj)
	if current != nil {
		id := next.GetLabels()
		next = current.DeepCopyBinding()
		adopt(next, id, obj)
	}
	if err := d.fill(ctx, next, obj, p); err != nil {
		return err
	}
	if current != nil && same(current, next) {
		return nil
	}
	outcome, decided, err := d.Scheduler.Decide(ctx, next)
	if err != nil {
		return err
	}
	if current == nil {
		if err := d.Client.Create(ctx, next); err != nil {
			return fmt.Errorf("create the binding of %s: %w", templates.KeyOf(obj), err)
		}
		d.Event(obj, false, "ApplyPolicySucceed", fmt.Sprintf("%s propagates the object", p))
	} else if err := d.Client.Update(ctx, next); err != nil {
		return fmt.Errorf("update the binding of %s: %w", templates.KeyOf(obj), err)
	}
	if decided {
		d.Scheduler.Record(next, outcome)
		if outcome.Err != nil {
			d.Event(obj, true, scheduler.Reason(outcome.Err), outcome.Err.Error())
		}
	}
	return nil
}

// adopt gives a binding that was made for a dependency what the binding of a template has.
func adopt(b workv1alpha2.Binding, labels map[string]string, obj *unstructured.Unstructured) {
	made := newBinding(obj)
	b.SetOwnerReferences(made.GetOwnerReferences())
	finalizers := b.GetFinalizers()
	for _, f := range made.GetFinalizers() {
		if !slices.Contains(finalizers, f) {
			finalizers = append(slices.Clone(finalizers), f)
		}
	}
	b.SetFinalizers(finalizers)
	for k, v := range labels {
		if b.GetLabels()[k] == "" {
			b.SetLabels(merged(b.GetLabels(), nil, map[string]string{k: v}))
		}
	}
}

func same(a, b workv1alpha2.Binding) bool {
	return equality.Semantic.DeepEqual(a.BindingSpec(), b.BindingSpec()) &&
		equality.Semantic.DeepEqual(a.GetLabels(), b.GetLabels()) &&
		equality.Semantic.DeepEqual(a.GetAnnotations(), b.GetAnnotations()) &&
		equality.Semantic.DeepEqual(a.GetFinalizers(), b.GetFinalizers()) &&
		equality.Semantic.DeepEqual(a.GetOwnerReferences(), b.GetOwnerReferences())
}

// remove deletes the binding of a template that is gone. The control plane itself is asked before: a cache that lags
// must not take an object out of every cluster.
func (d *Detector) remove(ctx context.Context, key templates.Key, current workv1alpha2.Binding) error {
	if current == nil || current.GetDeletionTimestamp() != nil || !refersTo(current, key) {
		return nil
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(key.Kind)
	err := d.Live.Get(ctx, key.ObjectKey(), live)
	switch {
	case err == nil && live.GetDeletionTimestamp() == nil && live.GetUID() == current.BindingSpec().Resource.UID:
		return nil
	case err != nil && !apierrors.IsNotFound(err):
		return fmt.Errorf("get %s: %w", key, err)
	}
	return d.delete(ctx, current)
}

func refersTo(b workv1alpha2.Binding, key templates.Key) bool {
	r := b.BindingSpec().Resource
	return r.APIVersion == key.Kind.GroupVersion().String() && r.Kind == key.Kind.Kind && r.Name == key.Name && r.Namespace == key.Namespace
}

func (d *Detector) delete(ctx context.Context, b workv1alpha2.Binding) error {
	uid := b.GetUID()
	err := d.Client.Delete(ctx, b, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete binding %s: %w", client.ObjectKeyFromObject(b), err)
	}
	return nil
}

// missingOverride returns the first override policy that p waits for and that does not exist.
func (d *Detector) missingOverride(ctx context.Context, p *policy, obj *unstructured.Unstructured) (string, error) {
	for _, name := range p.spec.DependentOverrides {
		var err error
		if obj.GetNamespace() == "" {
			err = d.Client.Get(ctx, client.ObjectKey{Name: name}, &policyv1alpha1.ClusterOverridePolicy{})
		} else {
			err = d.Client.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}, &policyv1alpha1.OverridePolicy{})
		}
		if apierrors.IsNotFound(err) {
			return name, nil
		}
		if err != nil {
			return "", fmt.Errorf("get OverridePolicy %s: %w", name, err)
		}
	}
	return "", nil
}

// claim marks obj as p's, and returns it so.
func (d *Detector) claim(ctx context.Context, obj *unstructured.Unstructured, p *policy) (*unstructured.Unstructured, error) {
	labels, annotations := p.claim()
	return d.mark(ctx, obj, labels, annotations)
}

// release takes the marks of policies off a template that no policy selects any more, and off its binding. The binding
// and the objects in the members stay, as in the peer.
func (d *Detector) release(ctx context.Context, obj *unstructured.Unstructured, current workv1alpha2.Binding) error {
	if current != nil && current.BindingSpec().Placement != nil {
		next := current.DeepCopyBinding()
		next.SetLabels(merged(next.GetLabels(), ClaimLabels, nil))
		next.SetAnnotations(merged(next.GetAnnotations(), ClaimAnnotations, nil))
		if !same(current, next) {
			if err := d.Client.Update(ctx, next); err != nil {
				return fmt.Errorf("release the binding of %s: %w", templates.KeyOf(obj), err)
			}
		}
	}
	_, err := d.mark(ctx, obj, nil, nil)
	return err
}

// mark writes the given claim, and no other, on the template, and returns it so.
func (d *Detector) mark(ctx context.Context, obj *unstructured.Unstructured, labels, annotations map[string]string) (*unstructured.Unstructured, error) {
	changes := func(current map[string]string, owned []string, want map[string]string) map[string]any {
		out := map[string]any{}
		for _, k := range owned {
			value, wanted := want[k]
			switch old, there := current[k]; {
			case wanted && old != value:
				out[k] = value
			case !wanted && there:
				out[k] = nil
			}
		}
		return out
	}
	metadata := map[string]any{}
	if c := changes(obj.GetLabels(), ClaimLabels, labels); len(c) > 0 {
		metadata["labels"] = c
	}
	if c := changes(obj.GetAnnotations(), ClaimAnnotations, annotations); len(c) > 0 {
		metadata["annotations"] = c
	}
	if len(metadata) == 0 {
		return obj, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, err
	}
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(obj.GroupVersionKind())
	target.SetNamespace(obj.GetNamespace())
	target.SetName(obj.GetName())
	if err := d.Client.Patch(ctx, target, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return nil, fmt.Errorf("claim %s: %w", templates.KeyOf(obj), err)
	}
	return target, nil
}
