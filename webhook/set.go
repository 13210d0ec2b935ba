package webhook

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

const (
	// defaultTimeout bounds a call unless its webhook says otherwise, which it may do up to maxTimeout.
	defaultTimeout = 10 * time.Second
	maxTimeout     = 30 * time.Second
	// DefaultMaxResponseBytes is how large an answer may be unless Options say otherwise.
	DefaultMaxResponseBytes = 8 << 20
)

// Options say how a Set reaches its webhooks. The zero value is useful.
type Options struct {
	// Services finds the Services that webhooks are behind. Nil leaves it to DNS: name.namespace.svc.
	Services ServiceSource
	// Certificates finds the client certificates that webhooks are to be shown. Nil makes a webhook that names one an error.
	Certificates CertificateSource
	// TLS is what connections begin with: authorities to trust when a webhook has no caBundle of its own, for example.
	// Nil means the defaults of crypto/tls, with the authorities of the system.
	TLS *tls.Config
	// Dial opens connections; nil means as net.Dialer does.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// MaxResponseBytes is how large an answer may be; 0 means DefaultMaxResponseBytes.
	MaxResponseBytes int64
}

// ServiceSource finds Services. It is safe for concurrent use.
type ServiceSource interface {
	// Service returns the Service, or an error for which apierrors.IsNotFound holds when there is none. It is called for
	// each new connection. The Service is only read.
	Service(ctx context.Context, namespace, name string) (*corev1.Service, error)
}

// CertificateSource finds client certificates. It is safe for concurrent use.
type CertificateSource interface {
	// Certificate returns the certificate in the Secret. It is called for each new connection.
	Certificate(ctx context.Context, secret configv1alpha1.SecretReference) (*tls.Certificate, error)
}

// A Set is the Interpreter that asks the webhooks of some configurations. It does not change; Replace makes another one.
//
// Of the webhooks that match a question, the first by "configuration/webhook" is asked, and no other. It is asked with
// its timeout, over connections that are kept. Connections that fail are tried again, with growing pauses, until the
// timeout. An endpoint whose calls keep failing is left alone for a while. A call that fails is an error, or, with
// failurePolicy Ignore, not handled; so is a webhook that could not be loaded. An answer is final, whether it is
// successful or not, but for the reason NotHandled.
type Set struct {
	options   Options
	webhooks  []*remote // sorted by name
	endpoints map[string]*endpoint
}

var (
	_ interpreter.Interpreter = (*Set)(nil)
	_ interpreter.Explainer   = (*Set)(nil)
)

// New returns the Set of all webhooks of configs. A webhook that is wrong answers every question that it matches with
// an error, which Err and Explain tell, too.
func New(configs []configv1alpha1.ResourceInterpreterWebhookConfiguration, o Options) *Set {
	if o.MaxResponseBytes == 0 {
		o.MaxResponseBytes = DefaultMaxResponseBytes
	}
	return (&Set{options: o}).Replace(configs)
}

// ForURL returns a Set that asks the webhook at url, which may be http, every question. Its Err is nil.
func ForURL(url string, o Options) (*Set, error) {
	if _, err := checkURL(url, true); err != nil {
		return nil, err
	}
	s := New(nil, o)
	r := newRemote("", configv1alpha1.ResourceInterpreterWebhook{
		Name:                       url,
		ClientConfig:               configv1alpha1.WebhookClientConfig{URL: &url},
		Rules:                      []configv1alpha1.RuleWithOperations{everything()},
		InterpreterContextVersions: []string{configv1alpha1.GroupVersion.Version},
	})
	r.name = ""
	r.allowHTTP = true
	s.connect(r, nil)
	if r.err != nil {
		return nil, r.err
	}
	s.webhooks = []*remote{r}
	return s, nil
}

func everything() configv1alpha1.RuleWithOperations {
	all := []string{"*"}
	return configv1alpha1.RuleWithOperations{
		Operations: []configv1alpha1.InterpreterOperation{configv1alpha1.InterpreterOperationAll},
		Rule:       configv1alpha1.Rule{APIGroups: all, APIVersions: all, Kinds: all},
	}
}

// Replace returns the Set of configs instead. Endpoints that are configured as before keep their connections, and what
// is known about their failures. Connections of other endpoints are closed when their last call is over. s, and rules that
// were looked up in it, stay usable.
func (s *Set) Replace(configs []configv1alpha1.ResourceInterpreterWebhookConfiguration) *Set {
	next := &Set{options: s.options, endpoints: map[string]*endpoint{}}
	for i := range configs {
		for _, hook := range configs[i].Webhooks {
			r := newRemote(configs[i].Name, *hook.DeepCopy())
			next.connect(r, s.endpoints)
			next.webhooks = append(next.webhooks, r)
		}
	}
	slices.SortStableFunc(next.webhooks, func(a, b *remote) int { return cmp.Compare(a.name, b.name) })
	for key, e := range s.endpoints {
		if next.endpoints[key] == nil {
			e.retire()
		}
	}
	return next
}

// connect gives r its endpoint: one that s has already, one of old, or a new one.
func (s *Set) connect(r *remote, old map[string]*endpoint) {
	if r.err != nil {
		return
	}
	key := r.endpointKey()
	if s.endpoints == nil {
		s.endpoints = map[string]*endpoint{}
	}
	if s.endpoints[key] == nil {
		if s.endpoints[key] = old[key]; s.endpoints[key] == nil {
			e, err := s.options.newEndpoint(r)
			if err != nil {
				delete(s.endpoints, key)
				r.err = err
				return
			}
			s.endpoints[key] = e
		}
	}
	r.use(s.endpoints[key])
}

// Close closes the connections that are not in use, and the others when the last call is over. A closed Set stays usable,
// and keeps no connections. Of the Sets that Replace made of each other, it is the last that is closed.
func (s *Set) Close() {
	for _, e := range s.endpoints {
		e.retire()
	}
}

// Err tells what is wrong with the webhooks; nil when nothing is.
func (s *Set) Err() error {
	var errs []error
	for _, r := range s.webhooks {
		if r.err != nil {
			errs = append(errs, r.describe(r.err))
		}
	}
	return errors.Join(errs...)
}

// Lookup returns the rule that asks the first matching webhook, or nil when none matches.
func (s *Set) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	if r := s.find(gvk, op); r != nil {
		return r.answer
	}
	return nil
}

// Explain returns the webhook that Lookup would ask.
func (s *Set) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	if r := s.find(gvk, op); r != nil {
		return []interpreter.Source{r.source()}
	}
	return nil
}

func (s *Set) find(gvk schema.GroupVersionKind, op interpreter.Operation) *remote {
	for _, r := range s.webhooks {
		if r.matches(gvk, op) {
			return r
		}
	}
	return nil
}
