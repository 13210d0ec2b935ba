package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/members"
	"github.com/dragoman-io/dragoman/interpreter"
)

// manifestStatus returns what the cluster reports about the object: the status that the interpreter collects, and its
// health. A status that cannot be interpreted is an error; the health is then Unknown.
func (c *Controller) manifestStatus(ctx context.Context, member *members.Member, observed *unstructured.Unstructured) (workv1alpha1.ManifestStatus, error) {
	gvk := observed.GroupVersionKind()
	out := workv1alpha1.ManifestStatus{Identifier: workv1alpha1.ResourceIdentifier{
		Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: observed.GetNamespace(), Name: observed.GetName(),
	}}
	mapping, err := member.Mapping(gvk)
	if err != nil {
		return out, err
	}
	out.Identifier.Resource = mapping.Resource.Resource
	status, statusErr := c.Interpreter.InterpretStatus(ctx, observed)
	switch {
	case errors.Is(statusErr, interpreter.ErrNotHandled):
		statusErr = nil
	case statusErr == nil && status != nil:
		raw, err := json.Marshal(status)
		if err != nil {
			return out, fmt.Errorf("encode the status: %w", err)
		}
		out.Status = &runtime.RawExtension{Raw: raw}
	}
	health, healthErr := c.Interpreter.InterpretHealth(ctx, observed)
	switch {
	case errors.Is(healthErr, interpreter.ErrNotHandled):
		healthErr = nil
		out.Health = "Healthy"
	case healthErr != nil, health.State == interpreter.Unknown:
		out.Health = "Unknown"
	case health.Healthy():
		out.Health = "Healthy"
	default:
		out.Health = "Unhealthy"
	}
	return out, errors.Join(statusErr, healthErr)
}

// applied returns the condition Applied for the outcome of applying.
func applied(err error, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: workv1alpha1.AppliedSuccessfulReason,
		Message: "The object is applied in the cluster", ObservedGeneration: generation,
	}
	if err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, workv1alpha1.AppliedFailedReason, err.Error()
	}
	return condition
}

// dispatching returns the condition Dispatching.
func dispatching(suspended bool, generation int64) metav1.Condition {
	if suspended {
		return metav1.Condition{
			Type: workv1alpha1.WorkDispatching, Status: metav1.ConditionFalse, Reason: workv1alpha1.SuspendDispatchingReason,
			Message: "Dispatching to the cluster is suspended", ObservedGeneration: generation,
		}
	}
	return metav1.Condition{
		Type: workv1alpha1.WorkDispatching, Status: metav1.ConditionTrue, Reason: workv1alpha1.DispatchingReason,
		Message: "Dispatching to the cluster is not suspended", ObservedGeneration: generation,
	}
}

// sameStatus tells whether two statuses say the same; when a condition says it of an older generation of the Work
// counts only if what it says differs.
func sameStatus(a, b *workv1alpha1.WorkStatus) bool {
	if len(a.Conditions) != len(b.Conditions) || len(a.ManifestStatuses) != len(b.ManifestStatuses) {
		return false
	}
	for _, x := range a.Conditions {
		y := meta.FindStatusCondition(b.Conditions, x.Type)
		if y == nil || x.Status != y.Status || x.Reason != y.Reason || x.Message != y.Message {
			return false
		}
	}
	for i := range a.ManifestStatuses {
		x, y := &a.ManifestStatuses[i], &b.ManifestStatuses[i]
		if x.Identifier != y.Identifier || x.Health != y.Health || (x.Status == nil) != (y.Status == nil) {
			return false
		}
		if x.Status != nil && !sameRaw(x.Status.Raw, y.Status.Raw) {
			return false
		}
	}
	return true
}

// urgent tells whether the change from a to b is one that people wait for: of a condition or of health.
func urgent(a, b *workv1alpha1.WorkStatus) bool {
	if len(a.ManifestStatuses) != len(b.ManifestStatuses) {
		return true
	}
	for i := range a.ManifestStatuses {
		if a.ManifestStatuses[i].Health != b.ManifestStatuses[i].Health {
			return true
		}
	}
	x, y := *a, *b
	x.ManifestStatuses, y.ManifestStatuses = nil, nil
	return !sameStatus(&x, &y)
}

func sameRaw(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return utiljson.Unmarshal(a, &x) == nil && utiljson.Unmarshal(b, &y) == nil && equality.Semantic.DeepEqual(x, y)
}
