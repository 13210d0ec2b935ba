package rules

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/webhook"
)

// SetupWithManager has mgr keep r's rules current, in every replica, and write customizations' statuses in the elected
// one. mgr's scheme has to know config.karmada.io/v1alpha1.
func (r *Rules) SetupWithManager(mgr ctrl.Manager) error {
	everywhere := controller.Options{NeedLeaderElection: new(bool)}
	loader := &loader{rules: r, reader: mgr.GetClient(), definitions: mgr.GetAPIReader()}
	if err := ctrl.NewControllerManagedBy(mgr).Named("customizations").
		For(&configv1alpha1.ResourceInterpreterCustomization{}, builder.WithPredicates(otherRules)).
		WithOptions(everywhere).Complete(reconcile.Func(loader.customization)); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).Named("webhooks").
		For(&configv1alpha1.ResourceInterpreterWebhookConfiguration{}).
		WithOptions(everywhere).Complete(reconcile.Func(loader.webhook)); err != nil {
		return err
	}
	// Controllers are asked about what there is, not about there being nothing: this loads a control plane without rules.
	if err := mgr.Add(loader); err != nil {
		return err
	}
	// The recorder of the newer API would tell of one rule only: to it, what has the same reason is one series of events.
	recorder := mgr.GetEventRecorderFor("dragoman") //nolint:staticcheck // see above
	return ctrl.NewControllerManagedBy(mgr).Named("customization-status").
		For(&configv1alpha1.ResourceInterpreterCustomization{}, builder.WithPredicates(otherRules)).
		WatchesRawSource(source.Channel(r.failures.changed, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(&statusWriter{rules: r, client: mgr.GetClient(), recorder: recorder})
}

// otherRules passes customizations that came, went, or are others than before: edited, or made again under the same name
// while nobody watched, which the cache tells as an update from one first generation to another.
var otherRules = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration()
}}

// loader carries rules from the manager's cache into Rules.
type loader struct {
	rules       *Rules
	reader      client.Reader
	definitions client.Reader
}

// NeedLeaderElection is false: every replica answers questions.
func (l *loader) NeedLeaderElection() bool { return false }

// servedRetry is how soon the control plane's definitions are looked at again when they are not what they should be.
const servedRetry = 5 * time.Second

// Start loads everything as soon as the manager's cache has it. It tries again until it can.
func (l *loader) Start(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, servedRetry, true, func(ctx context.Context) (bool, error) {
		l.rules.mu.Lock()
		defer l.rules.mu.Unlock()
		err := l.loadCustomizations(ctx)
		if err == nil {
			err = l.loadWebhooks(ctx)
		}
		if err != nil {
			log.FromContext(ctx).Error(err, "rules are not loaded")
		}
		return err == nil, nil
	})
}

// loadCustomizations loads every customization unless that is done. The manager's cache is synced when it returns from
// a list.
func (l *loader) loadCustomizations(ctx context.Context) error {
	if l.rules.customizations.Load() != nil {
		return nil
	}
	if err := checkServed(ctx, l.definitions); err != nil {
		l.rules.problem.Store(&err)
		return err
	}
	var list configv1alpha1.ResourceInterpreterCustomizationList
	if err := l.reader.List(ctx, &list); err != nil {
		return fmt.Errorf("list ResourceInterpreterCustomizations: %w", err)
	}
	all := make([]customizations.Customization, len(list.Items))
	for i := range list.Items {
		all[i].Object = &list.Items[i]
	}
	l.rules.customizations.Store(l.rules.empty.With(all...))
	l.rules.changed(schema.GroupVersionKind{})
	return nil
}

// customization puts one customization in force as it is now.
func (l *loader) customization(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	if err := l.loadCustomizations(ctx); err != nil {
		return reconcile.Result{}, err
	}
	set := l.rules.customizations.Load()
	old, existed := set.Get(req.Name)
	object := &configv1alpha1.ResourceInterpreterCustomization{}
	err := l.reader.Get(ctx, req.NamespacedName, object)
	var next *customizations.Set
	switch {
	case apierrors.IsNotFound(err):
		next = set.Without(req.Name)
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("get ResourceInterpreterCustomization %s: %w", req.Name, err)
	case existed && old.Object.UID == object.UID && old.Object.Generation == object.Generation:
		return reconcile.Result{}, nil
	default:
		next = set.With(customizations.Customization{Object: object})
	}
	l.rules.customizations.Store(next)
	var kinds []schema.GroupVersionKind
	if existed {
		kinds = append(kinds, targetOf(old.Object))
	}
	if err == nil {
		kinds = append(kinds, targetOf(object))
	}
	l.rules.changed(kinds...)
	return reconcile.Result{}, nil
}

// targetOf returns what a customization is about. One whose target is wrong answers nothing, and changes nothing.
func targetOf(object *configv1alpha1.ResourceInterpreterCustomization) schema.GroupVersionKind {
	target, err := customizations.ParseTarget(object.Spec.Target)
	if err != nil {
		return schema.FromAPIVersionAndKind(object.Spec.Target.APIVersion, object.Spec.Target.Kind)
	}
	return target.Kind
}

// loadWebhooks puts all webhooks in force as they are now.
func (l *loader) loadWebhooks(ctx context.Context) error {
	var list configv1alpha1.ResourceInterpreterWebhookConfigurationList
	if err := l.reader.List(ctx, &list); err != nil {
		return fmt.Errorf("list ResourceInterpreterWebhookConfigurations: %w", err)
	}
	if set := l.rules.webhooks.set.Load(); set != nil {
		l.rules.webhooks.set.Store(set.Replace(list.Items))
	} else {
		l.rules.webhooks.set.Store(webhook.New(list.Items, l.rules.options))
	}
	l.rules.changed(schema.GroupVersionKind{})
	return nil
}

func (l *loader) webhook(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	return reconcile.Result{}, l.loadWebhooks(ctx)
}
