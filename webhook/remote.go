package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// A remote is one webhook of a configuration.
type remote struct {
	name     string // "configuration/webhook"; empty for a mere URL
	webhook  configv1alpha1.ResourceInterpreterWebhook
	timeout  time.Duration
	endpoint *endpoint
	// target is where questions go: the endpoint's URL with the timeout in its query.
	target *url.URL
	// allowHTTP accepts a URL without TLS.
	allowHTTP bool
	// err is why the webhook cannot be asked.
	err error
}

func newRemote(config string, webhook configv1alpha1.ResourceInterpreterWebhook) *remote {
	r := &remote{name: config + "/" + webhook.Name, webhook: webhook, timeout: defaultTimeout}
	if seconds := webhook.TimeoutSeconds; seconds != nil {
		if r.timeout = time.Duration(*seconds) * time.Second; r.timeout < time.Second || r.timeout > maxTimeout {
			r.err = fmt.Errorf("timeoutSeconds: want 1 to 30, got %d", *seconds)
		}
	}
	switch p := webhook.FailurePolicy; p {
	case "", configv1alpha1.Fail, configv1alpha1.Ignore:
	default:
		r.err = fmt.Errorf("failurePolicy: want Fail or Ignore, got %q", p)
	}
	if known := configv1alpha1.GroupVersion.Version; !slices.Contains(webhook.InterpreterContextVersions, known) {
		r.err = fmt.Errorf("interpreterContextVersions: want %s among them, got %q", known, webhook.InterpreterContextVersions)
	}
	return r
}

// matches tells whether one of the webhook's rules selects the question.
func (r *remote) matches(gvk schema.GroupVersionKind, op interpreter.Operation) bool {
	return slices.ContainsFunc(r.webhook.Rules, func(rule configv1alpha1.RuleWithOperations) bool {
		return selects(rule.Operations, configv1alpha1.InterpreterOperation(op)) &&
			selects(rule.APIGroups, gvk.Group) && selects(rule.APIVersions, gvk.Version) && selects(rule.Kinds, gvk.Kind)
	})
}

func selects[S ~string](list []S, value S) bool {
	return slices.Contains(list, value) || slices.Contains(list, "*")
}

func (r *remote) ignores() bool { return r.webhook.FailurePolicy == configv1alpha1.Ignore }

func (r *remote) source() interpreter.Source {
	source := interpreter.Source{Link: "webhook", Name: r.name, Language: "http", Err: r.err}
	if r.endpoint != nil {
		source.Position = r.endpoint.url
	}
	if r.ignores() {
		source.Condition = "when the call fails (failurePolicy Ignore)"
	}
	return source
}

// answer is the Rule.
func (r *remote) answer(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	resp, err := r.ask(ctx, req)
	if err != nil {
		resp, err = nil, r.fail(ctx, err)
	}
	if t := interpreter.TraceOf(ctx); t != nil && t.Answered != nil && !errors.Is(err, interpreter.ErrNotHandled) {
		t.Answered(r.source(), err)
	}
	return resp, err
}

// fail returns the error that a failed call is, as the failurePolicy has it. An answer, and a caller that waits no
// longer, are no failure of the call.
func (r *remote) fail(ctx context.Context, err error) error {
	described := r.describe(err)
	var status *StatusError
	if !r.ignores() || errors.As(err, &status) || ctx.Err() != nil {
		return described
	}
	return fmt.Errorf("%w: ignored by its failurePolicy: %w", interpreter.ErrNotHandled, described)
}

func (r *remote) describe(err error) error {
	who := "webhook"
	if r.name != "" {
		who += " " + r.name
	}
	if r.endpoint != nil {
		who += " at " + r.endpoint.url
	}
	if _, ok := errors.AsType[*StatusError](err); ok {
		return fmt.Errorf("%s answered %w", who, err)
	}
	return fmt.Errorf("%s: %w", who, err)
}

func (r *remote) ask(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
	if r.err != nil {
		return nil, r.err
	}
	if req.UID == "" {
		named := *req
		named.UID = uuid.NewUUID()
		req = &named
	}
	sent, err := EncodeRequest(req)
	if err != nil {
		return nil, err
	}
	answer, err := r.call(ctx, sent)
	if err != nil {
		return nil, err
	}
	return answer.decode(req)
}

// decode returns the answer to req that a is. It is one whatever its Content-Type, as the peer's client has it: handlers
// that set none, and whole languages, call JSON text. But when it is none, the Content-Type may say why.
func (a reply) decode(req *interpreter.Request) (*interpreter.Response, error) {
	resp, err := DecodeResponse(req, a.body)
	if err == nil || isJSON(a.contentType) {
		return resp, err
	}
	if _, answered := errors.AsType[*StatusError](err); answered {
		return nil, err
	}
	return nil, fmt.Errorf("Content-Type: want %s, got %q: %w", jsonType, a.contentType, err)
}

// call sends the question and returns the answer, and tells the breaker how it went.
func (r *remote) call(ctx context.Context, sent []byte) (reply, error) {
	leave, err := r.endpoint.breaker.enter()
	if err != nil {
		return reply{}, err
	}
	inner, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	answer, err := r.endpoint.post(inner, r.target, sent)
	result := outcomeOf(err)
	switch {
	case ctx.Err() != nil:
		result = abandoned
	case inner.Err() != nil && err != nil:
		err = fmt.Errorf("no answer within %s: %w", r.timeout, err)
		r.endpoint.transport.CloseIdleConnections() // they may lead to where nobody is any more
	}
	leave(result, err)
	return answer, err
}

// use makes e the endpoint of r.
func (r *remote) use(e *endpoint) {
	target, err := url.Parse(e.url + "?timeout=" + r.timeout.String())
	if err != nil {
		r.err = err
		return
	}
	r.endpoint, r.target = e, target
}

// address returns the URL of the webhook, without a query.
func (r *remote) address() (string, error) {
	config := r.webhook.ClientConfig
	if s := config.Service; s != nil { // it wins over a URL
		switch {
		case s.Namespace == "" || s.Name == "":
			return "", fmt.Errorf("clientConfig.service: want a namespace and a name, got %q and %q", s.Namespace, s.Name)
		case s.Port != nil && (*s.Port < 1 || *s.Port > 65535):
			return "", fmt.Errorf("clientConfig.service.port: want 1 to 65535, got %d", *s.Port)
		}
		u := url.URL{Scheme: "https", Host: s.Name + "." + s.Namespace + ".svc:" + servicePort(s)}
		if s.Path != nil {
			u.Path = "/" + strings.TrimPrefix(*s.Path, "/")
		}
		return u.String(), nil
	}
	if config.URL == nil {
		return "", errors.New("clientConfig: want a url or a service, got neither")
	}
	address, err := checkURL(*config.URL, r.allowHTTP)
	if err != nil {
		return "", fmt.Errorf("clientConfig.url: %w", err)
	}
	return address, nil
}

// checkURL returns the URL as it is asked.
func checkURL(text string, allowHTTP bool) (string, error) {
	u, err := url.Parse(text)
	shown := text // without a password
	if err == nil {
		shown = u.Redacted()
	} else if _, host, found := strings.Cut(text, "@"); found {
		shown = "...@" + host
	}
	switch {
	case err != nil || u.Scheme != "https" && (u.Scheme != "http" || !allowHTTP):
		return "", fmt.Errorf("want https://host[/path], got %q", shown)
	case u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("want a host, and no user information, query or fragment, got %q", shown)
	}
	return u.String(), nil
}
