package controllers

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/selection"
)

// specChanged passes what changes more than the status. An object that went and came again while nobody watched is seen as
// one that changed.
func specChanged[T client.Object]() predicate.TypedPredicate[T] {
	return predicate.TypedFuncs[T]{UpdateFunc: func(e event.TypedUpdateEvent[T]) bool {
		return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
			(e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil) ||
			!equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) ||
			!equality.Semantic.DeepEqual(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations())
	}}
}

// goneOrTouched passes Works that were deleted, and those whose spec somebody changed.
func goneOrTouched() predicate.TypedPredicate[*workv1alpha1.Work] {
	changed := specChanged[*workv1alpha1.Work]()
	return predicate.TypedFuncs[*workv1alpha1.Work]{
		CreateFunc: func(event.TypedCreateEvent[*workv1alpha1.Work]) bool { return false },
		UpdateFunc: changed.Update,
	}
}

// gone passes what was deleted.
func gone[T client.Object]() predicate.TypedPredicate[T] {
	return predicate.TypedFuncs[T]{
		CreateFunc: func(event.TypedCreateEvent[T]) bool { return false },
		UpdateFunc: func(event.TypedUpdateEvent[T]) bool { return false },
	}
}

// connectedChanged passes clusters that come, go, become ready, or change in what overrides may ask about.
var connectedChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, ok := e.ObjectOld.(*clusterv1alpha1.Cluster)
	after, ok2 := e.ObjectNew.(*clusterv1alpha1.Cluster)
	return ok && ok2 && (isReady(before) != isReady(after) || !describedAlike(before, after))
}}

// describedAlike tells whether two states are those of one cluster, and overrides that ask about it get the same answers.
func describedAlike(a, b *clusterv1alpha1.Cluster) bool {
	return a.UID == b.UID && maps.Equal(a.Labels, b.Labels) && a.Spec.Provider == b.Spec.Provider &&
		a.Spec.Region == b.Spec.Region && slices.Equal(selection.Zones(a), selection.Zones(b))
}
