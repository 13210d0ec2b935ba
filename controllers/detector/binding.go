package detector

import (
	"context"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// newBinding returns an empty binding for obj: a ResourceBinding in its namespace, or a ClusterResourceBinding.
func newBinding(obj *unstructured.Unstructured) workv1alpha2.Binding {
	meta := metav1.ObjectMeta{
		Name:            workv1alpha2.BindingName(obj.GetKind(), obj.GetName()),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(obj, obj.GroupVersionKind())},
	}
	id := string(uuid.NewUUID())
	if obj.GetNamespace() == "" {
		meta.Finalizers = []string{workv1alpha2.ClusterResourceBindingControllerFinalizer}
		meta.Labels = map[string]string{workv1alpha2.ClusterResourceBindingPermanentIDLabel: id}
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: meta}
	}
	meta.Namespace = obj.GetNamespace()
	meta.Finalizers = []string{workv1alpha2.BindingControllerFinalizer}
	meta.Labels = map[string]string{workv1alpha2.ResourceBindingPermanentIDLabel: id}
	return &workv1alpha2.ResourceBinding{ObjectMeta: meta}
}

// fill makes b the binding of obj under p. What others decide stays: the clusters, the evictions, what it is required
// by, and whether scheduling is suspended.
func (d *Detector) fill(ctx context.Context, b workv1alpha2.Binding, obj *unstructured.Unstructured, p *policy) error {
	policySpec := p.spec.Defaulted()
	spec := b.BindingSpec()
	resource := workv1alpha2.ObjectReference{
		APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Namespace: obj.GetNamespace(), Name: obj.GetName(),
		UID: obj.GetUID(), ResourceVersion: spec.Resource.ResourceVersion,
	}
	if resource.ResourceVersion == "" {
		resource.ResourceVersion = obj.GetResourceVersion()
	}
	next := workv1alpha2.ResourceBindingSpec{
		Resource:                    resource,
		PropagateDeps:               policySpec.PropagateDeps,
		Placement:                   &policySpec.Placement,
		SchedulerName:               policySpec.SchedulerName,
		Failover:                    policySpec.Failover,
		ConflictResolution:          policySpec.ConflictResolution,
		PreserveResourcesOnDeletion: policySpec.PreserveResourcesOnDeletion,
		Suspension:                  suspension(policySpec.Suspension, spec.Suspension),
		WorkloadAffinityGroups:      affinityGroups(policySpec.Placement.WorkloadAffinity, obj),
		SchedulePriority:            spec.SchedulePriority,
		Clusters:                    spec.Clusters,
		GracefulEvictionTasks:       spec.GracefulEvictionTasks,
		RequiredBy:                  spec.RequiredBy,
		RescheduleTriggeredAt:       spec.RescheduleTriggeredAt,
	}
	if err := d.fillReplicas(ctx, &next, obj); err != nil {
		return err
	}
	*spec = next

	claimLabels, claimAnnotations := p.claim()
	b.SetLabels(merged(b.GetLabels(), ClaimLabels, claimLabels))
	b.SetAnnotations(merged(b.GetAnnotations(), ClaimAnnotations, claimAnnotations))
	return nil
}

// fillReplicas asks what the object consists of. Two components or more are written as components; exactly one becomes
// the replicas and their requirements, as do the replicas of a kind that has no components. One of 0 replicas either has
// none now, which InterpretReplica confirms, or leaves the number to others, as a DaemonSet does: then there is nothing to
// divide, and the object is placed like one without pods.
func (d *Detector) fillReplicas(ctx context.Context, spec *workv1alpha2.ResourceBindingSpec, obj *unstructured.Unstructured) error {
	components, err := d.Interpreter.InterpretComponent(ctx, obj)
	switch {
	case err == nil && len(components) > 1:
		spec.Components = components
		return nil
	case err == nil && len(components) == 1 && components[0].Replicas > 0:
		spec.Replicas = components[0].Replicas
		if r := components[0].ReplicaRequirements; r != nil {
			spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{
				NodeClaim: r.NodeClaim, ResourceRequest: r.ResourceRequest, PriorityClassName: r.PriorityClassName,
			}
		}
		return nil
	case err != nil && !errors.Is(err, interpreter.ErrNotHandled):
		return err
	}
	replicas, requirements, err := d.Interpreter.InterpretReplica(ctx, obj)
	if errors.Is(err, interpreter.ErrNotHandled) {
		return nil
	}
	if err != nil {
		return err
	}
	spec.Replicas, spec.ReplicaRequirements = replicas, requirements
	return nil
}

// suspension returns what the policy suspends, and the suspension of scheduling that stands in the binding.
func suspension(policy *policyv1alpha1.Suspension, current *workv1alpha2.Suspension) *workv1alpha2.Suspension {
	var scheduling *bool
	if current != nil {
		scheduling = current.Scheduling
	}
	if policy == nil && scheduling == nil {
		return nil
	}
	out := &workv1alpha2.Suspension{Scheduling: scheduling}
	if policy != nil {
		out.Suspension = *policy
	}
	return out
}

func affinityGroups(affinity *policyv1alpha1.WorkloadAffinity, obj *unstructured.Unstructured) *workv1alpha2.WorkloadAffinityGroups {
	if affinity == nil {
		return nil
	}
	group := func(term *policyv1alpha1.WorkloadAffinityTerm) string {
		if term == nil {
			return ""
		}
		value, ok := obj.GetLabels()[term.GroupByLabelKey]
		if !ok {
			return ""
		}
		return fmt.Sprintf("%s=%s", term.GroupByLabelKey, value)
	}
	out := workv1alpha2.WorkloadAffinityGroups{AffinityGroup: group(affinity.Affinity), AntiAffinityGroup: group(affinity.AntiAffinity)}
	if out == (workv1alpha2.WorkloadAffinityGroups{}) {
		return nil
	}
	return &out
}

// merged returns current without the keys of owned, and with those of want. current is not modified.
func merged(current map[string]string, owned []string, want map[string]string) map[string]string {
	out := maps.Clone(current)
	for _, k := range owned {
		delete(out, k)
	}
	if out == nil && len(want) > 0 {
		out = map[string]string{}
	}
	maps.Copy(out, want)
	return out
}
