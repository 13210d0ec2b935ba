package rules

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// Rules are the rules that users have put into the control plane. They are an Interpreter: customizations before
// webhooks. Make one with New; it is safe for concurrent use.
type Rules struct {
	empty          *customizations.Set
	customizations customizations.Live
	webhooks       liveWebhooks
	options        webhook.Options
	problem        atomic.Pointer[error] // why nothing is loaded yet
	failures       *failures

	mu          sync.Mutex // held while rules are changed
	subscribers []func(schema.GroupVersionKind)
}

var (
	_ interpreter.Interpreter = (*Rules)(nil)
	_ interpreter.Explainer   = (*Rules)(nil)
)

// New returns Rules that are not loaded yet. compile says how customizations are compiled, connect how webhooks are
// reached.
func New(compile customizations.Options, connect webhook.Options) *Rules {
	return &Rules{empty: customizations.New(compile), options: connect, failures: newFailures(time.Now)}
}

// Lookup asks the rules in force.
func (r *Rules) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	return r.chain().Lookup(gvk, op)
}

// Explain asks the rules in force.
func (r *Rules) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	return r.chain().Explain(gvk, op)
}

func (r *Rules) chain() interpreter.Chain {
	return interpreter.Chain{&r.customizations, &r.webhooks}
}

// Loaded tells whether everything that the control plane has was loaded.
func (r *Rules) Loaded() bool {
	return r.customizations.Load() != nil && r.webhooks.set.Load() != nil
}

// Customizations returns the customizations in force; nil before they are loaded.
func (r *Rules) Customizations() *customizations.Set { return r.customizations.Load() }

// Webhooks returns the webhooks in force; nil before they are loaded.
func (r *Rules) Webhooks() *webhook.Set { return r.webhooks.set.Load() }

// OnChange has f called after each change of rules, with what the changed rules are about: a kind, where "*" stands for
// any version or kind, and a group that begins with a dot for every group with that suffix (customizations.Target). The
// empty kind stands for all. f must not block, and must not be registered while rules change.
func (r *Rules) OnChange(f func(schema.GroupVersionKind)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribers = append(r.subscribers, f)
}

func (r *Rules) changed(kinds ...schema.GroupVersionKind) {
	for _, f := range r.subscribers {
		for _, kind := range kinds {
			f(kind)
		}
	}
}

// liveWebhooks is the webhook.Set in force.
type liveWebhooks struct {
	set atomic.Pointer[webhook.Set]
}

func (l *liveWebhooks) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	s := l.set.Load()
	if s == nil {
		return notReady
	}
	return s.Lookup(gvk, op)
}

func (l *liveWebhooks) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	s := l.set.Load()
	if s == nil {
		return []interpreter.Source{{Link: "webhook", Err: interpreter.ErrNotReady}}
	}
	return s.Explain(gvk, op)
}

func notReady(context.Context, *interpreter.Request) (*interpreter.Response, error) {
	return nil, interpreter.ErrNotReady
}
