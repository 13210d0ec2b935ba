package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// clusterRules are the rules that users have put into a cluster, as they were when they were read. They stand where the
// controllers have them: customizations, then webhooks, in front of the shipped rules.
type clusterRules struct {
	// place is the cluster, as explanations name it.
	place          string
	customizations []customizations.Customization
	webhooks       *webhook.Set
	askWebhooks    bool
}

// rules returns the rules of the cluster that the flags, or an argument KIND/NAME, mean; nil when they mean none, or one
// that has no such rules.
func (o *clusterOptions) rules(ctx context.Context, args []string) (*clusterRules, error) {
	meant := o.rulesContext != "" || o.context != "" || o.kubeconfig != "" || slices.ContainsFunc(args, isResourceName)
	if !o.ownRules || !meant {
		return nil, nil
	}
	if err := o.configured(args...); err != nil {
		return nil, err
	}
	found, err := o.readRules(ctx)
	switch {
	case (meta.IsNoMatchError(err) || apierrors.IsNotFound(err)) && o.rulesContext == "":
		return nil, nil
	case err != nil:
		return nil, unusablef("read the cluster's rules: %w (--cluster-rules=false does without)", err)
	}
	return found, nil
}

func (o *clusterOptions) readRules(ctx context.Context) (*clusterRules, error) {
	flags := o.flags()
	if o.rulesContext != "" {
		flags.Context = &o.rulesContext
	}
	loader := flags.ToRawKubeConfigLoader()
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, err
	}
	scheme, err := controllers.Scheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(interruptible(ctx)(config), client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	found := &clusterRules{place: "cluster " + config.Host, askWebhooks: o.askWebhooks}
	if name := *flags.Context; name != "" {
		found.place = "context " + name
	} else if raw.CurrentContext != "" {
		found.place = "context " + raw.CurrentContext
	}
	var objects configv1alpha1.ResourceInterpreterCustomizationList
	if err := c.List(ctx, &objects); err != nil {
		return nil, fmt.Errorf("list ResourceInterpreterCustomizations: %w", err)
	}
	for i := range objects.Items {
		found.customizations = append(found.customizations, customizations.Customization{Object: &objects.Items[i]})
	}
	var hooks configv1alpha1.ResourceInterpreterWebhookConfigurationList
	if err := c.List(ctx, &hooks); err != nil {
		return nil, fmt.Errorf("list ResourceInterpreterWebhookConfigurations: %w", err)
	}
	found.webhooks = webhook.New(hooks.Items, webhook.Options{Services: services{c}, Certificates: certificates{c}})
	return found, nil
}

// front returns rest with the rules of r, which may be nil, and given customizations in front. Those given stand among
// the cluster's as if they were applied to it: one of the same name is replaced.
func (r *clusterRules) front(rest interpreter.Interpreter, given ...customizations.Customization) (interpreter.Interpreter, error) {
	if r == nil {
		set, err := compile(given, false)
		return interpreter.Chain{set, rest}, err
	}
	// There may be thousands, of which few are asked. What does not compile says so when it is.
	set, err := compile(r.customizations, true)
	if err != nil {
		return nil, err
	}
	var webhooks interpreter.Interpreter = r.webhooks
	if !r.askWebhooks {
		webhooks = unasked{r.webhooks}
	}
	return interpreter.Chain{placed{set.With(given...), r.place}, webhooks, rest}, nil
}

// behind returns given customizations that answer alone, with rest and the rules of r, which may be nil, behind them for
// what they ask of the next link.
func (r *clusterRules) behind(rest interpreter.Interpreter, given []customizations.Customization) (interpreter.Interpreter, error) {
	set, err := compile(given, false)
	if err != nil {
		return nil, err
	}
	others, err := r.front(rest)
	return cases.Alone(set, others), err
}

// placed is a link whose rules are in a cluster, but for those that have another place.
type placed struct {
	interpreter.Interpreter
	place string
}

func (p placed) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	sources := interpreter.Explain(p.Interpreter, gvk, op)
	for i := range sources {
		if sources[i].Position == "" {
			sources[i].Position = p.place
		}
	}
	return sources
}

// unasked are webhooks that are not to be asked: what would be sent to them stays here. A question that is theirs is an
// error, since another link's answer would not be that of the controllers.
type unasked struct{ *webhook.Set }

func (u unasked) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	sources := u.Explain(gvk, op)
	if len(sources) == 0 {
		return nil
	}
	return func(ctx context.Context, _ *interpreter.Request) (*interpreter.Response, error) {
		err := errors.New("left to webhook " + sources[0].Name + " at " + sources[0].Position + ", which only --ask-webhooks asks")
		if t := interpreter.TraceOf(ctx); t != nil && t.Answered != nil {
			t.Answered(sources[0], err)
		}
		return nil, err
	}
}
