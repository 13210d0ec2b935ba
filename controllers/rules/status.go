package rules

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// statusWriter says in a customization's status whether its rules are in force.
type statusWriter struct {
	rules  *Rules
	client client.Client
}

// notLoadedRetry is how soon a status is tried again while the customization is not in force yet.
const notLoadedRetry = 50 * time.Millisecond

// Reconcile writes the status of one customization, if it is not what it should be.
func (w *statusWriter) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	before := &configv1alpha1.ResourceInterpreterCustomization{}
	if err := w.client.Get(ctx, req.NamespacedName, before); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	object := before.DeepCopy() // what the cache has is shared
	set := w.rules.Customizations()
	if set == nil {
		return reconcile.Result{RequeueAfter: notLoadedRetry}, nil
	}
	loaded, ok := set.Get(req.Name)
	if !ok || loaded.Object.UID != object.UID || loaded.Object.Generation != object.Generation {
		return reconcile.Result{RequeueAfter: notLoadedRetry}, nil
	}
	object.Status.ObservedGeneration = object.Generation
	object.Status.Engine = engines(&object.Spec.Customizations)
	meta.SetStatusCondition(&object.Status.Conditions, ready(set.Problems(req.Name), object.Generation))
	if meta.FindStatusCondition(before.Status.Conditions, configv1alpha1.ConditionReady) != nil && equalStatus(before, object) {
		return reconcile.Result{}, nil
	}
	err := w.client.Status().Patch(ctx, object, client.MergeFrom(before))
	if err != nil && !apierrors.IsNotFound(err) {
		return reconcile.Result{}, fmt.Errorf("write the status of ResourceInterpreterCustomization %s: %w", req.Name, err)
	}
	return reconcile.Result{}, nil
}

func equalStatus(a, b *configv1alpha1.ResourceInterpreterCustomization) bool {
	x, y := meta.FindStatusCondition(a.Status.Conditions, configv1alpha1.ConditionReady), meta.FindStatusCondition(b.Status.Conditions, configv1alpha1.ConditionReady)
	return a.Status.ObservedGeneration == b.Status.ObservedGeneration && a.Status.Engine == b.Status.Engine && *x == *y
}

// engines names the languages of rules.
func engines(rules *configv1alpha1.CustomizationRules) string {
	lua, cel := false, false
	for _, info := range interpreter.Operations() {
		if s := *info.Script(rules); s != nil {
			lua = lua || s.LuaScript != ""
			cel = cel || s.CELExpression != ""
		}
	}
	switch {
	case lua && cel:
		return "CEL, Lua"
	case lua:
		return "Lua"
	case cel:
		return "CEL"
	}
	return ""
}

// maxMessage is how long the message of a condition may be; the API allows 32768 bytes.
const maxMessage = 16 << 10

// ready returns the condition Ready for what is wrong with a customization's rules.
func ready(problems script.Problems, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type:               configv1alpha1.ConditionReady,
		Status:             metav1.ConditionTrue,
		Reason:             configv1alpha1.ReasonCompiled,
		ObservedGeneration: generation,
	}
	for _, p := range problems {
		if p.Severity == script.Error {
			condition.Status, condition.Reason = metav1.ConditionFalse, configv1alpha1.ReasonCompileError
			break
		}
	}
	if len(problems) > 0 {
		condition.Message = problems.Error()
	}
	if len(condition.Message) > maxMessage {
		condition.Message = condition.Message[:maxMessage] + "..."
	}
	return condition
}
