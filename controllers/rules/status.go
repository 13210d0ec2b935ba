package rules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// statusWriter says in a customization's status whether its rules are in force, and whether they fail when they run. An
// event tells of each rule that begins to.
type statusWriter struct {
	rules    *Rules
	client   client.Client
	recorder record.EventRecorder
}

// notLoadedRetry is how soon a status is tried again while the customization is not in force yet.
const notLoadedRetry = 50 * time.Millisecond

// Reconcile writes the status of one customization, if it is not what it should be.
func (w *statusWriter) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	before := &configv1alpha1.ResourceInterpreterCustomization{}
	err := w.client.Get(ctx, req.NamespacedName, before)
	if apierrors.IsNotFound(err) {
		w.rules.failures.forget(req.Name)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
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
	failing, told := w.rules.failures.condition(object, meta.FindStatusCondition(before.Status.Conditions, configv1alpha1.ConditionFailing))
	var result reconcile.Result
	if failing == nil {
		meta.RemoveStatusCondition(&object.Status.Conditions, configv1alpha1.ConditionFailing)
	} else {
		meta.SetStatusCondition(&object.Status.Conditions, *failing)
		result.RequeueAfter = memory // to see whether it still does
	}
	if equality.Semantic.DeepEqual(before.Status, object.Status) {
		return result, nil
	}
	err = w.client.Status().Patch(ctx, object, client.MergeFrom(before))
	if err != nil && !apierrors.IsNotFound(err) {
		return reconcile.Result{}, fmt.Errorf("write the status of ResourceInterpreterCustomization %s: %w", req.Name, err)
	}
	for _, op := range slices.Sorted(maps.Keys(told)) {
		const most = 900 // the API allows 1024 bytes
		w.recorder.Event(object, corev1.EventTypeWarning, configv1alpha1.ReasonRuleFailed,
			cut(string(op)+" "+told[op].about+": "+told[op].problem, most))
	}
	return result, nil
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
	condition.Message = cut(condition.Message, maxMessage)
	return condition
}
