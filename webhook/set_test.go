package webhook_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// hook returns a webhook that answers an operation of a kind.
func hook(name, group, version, kind string, op configv1alpha1.InterpreterOperation) configv1alpha1.ResourceInterpreterWebhook {
	h := configuration("https://127.0.0.1:1", nil)[0].Webhooks[0]
	h.Name = name
	h.Rules = []configv1alpha1.RuleWithOperations{{
		Operations: []configv1alpha1.InterpreterOperation{op},
		Rule:       configv1alpha1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Kinds: []string{kind}},
	}}
	return h
}

func config(name string, hooks ...configv1alpha1.ResourceInterpreterWebhook) configv1alpha1.ResourceInterpreterWebhookConfiguration {
	var c configv1alpha1.ResourceInterpreterWebhookConfiguration
	c.Name, c.Webhooks = name, hooks
	return c
}

func TestSelection(t *testing.T) {
	two := hook("two.example.com", "apps", "v1", "Deployment", "InterpretHealth")
	two.Rules = append(two.Rules, hook("", "batch", "*", "Job", "*").Rules...)
	set := webhook.New([]configv1alpha1.ResourceInterpreterWebhookConfiguration{
		config("b", hook("all.example.com", "*", "*", "*", "*")),
		config("a", two, hook("core.example.com", "", "v1", "Pod", "Retain")),
		config("a.b", hook("x.example.com", "apps", "v1", "Deployment", "InterpretHealth")),
	}, webhook.Options{})
	defer set.Close()
	require.NoError(t, set.Err())
	for _, tc := range []struct {
		reason string
		gvk    schema.GroupVersionKind
		op     interpreter.Operation
		want   string
	}{
		{`"a.b/x" sorts before "a/two": a dot before a slash`, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, interpreter.InterpretHealth, "a.b/x.example.com"},
		{"another operation", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, interpreter.Retain, "b/all.example.com"},
		{"any version, any operation, by the second rule", schema.GroupVersionKind{Group: "batch", Version: "v2", Kind: "Job"}, interpreter.Retain, "a/two.example.com"},
		{"the core group is empty", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, interpreter.Retain, "a/core.example.com"},
		{"the core group is no other", schema.GroupVersionKind{Group: "x", Version: "v1", Kind: "Pod"}, interpreter.Retain, "b/all.example.com"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			sources := set.Explain(tc.gvk, tc.op)
			require.Len(t, sources, 1, "no other is asked")
			assert.Equal(t, tc.want, sources[0].Name)
			assert.Equal(t, "webhook", sources[0].Link)
			assert.NotNil(t, set.Lookup(tc.gvk, tc.op))
		})
	}
	none := webhook.New(nil, webhook.Options{})
	assert.Nil(t, none.Lookup(schema.GroupVersionKind{}, interpreter.Retain))
	assert.Nil(t, none.Explain(schema.GroupVersionKind{}, interpreter.Retain))
	require.NoError(t, none.Err())
}

func TestWebhooksThatAreWrong(t *testing.T) {
	text := func(s string) *string { return &s }
	number := func(i int32) *int32 { return &i }
	for _, tc := range []struct {
		reason string
		change func(*configv1alpha1.ResourceInterpreterWebhook)
		want   string
	}{
		{"no address", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = nil }, "clientConfig: want a url or a service, got neither"},
		{"no TLS", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("http://x") }, `clientConfig.url: want https://host[/path], got "http://x"`},
		{"a query", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("https://x/?a=b") }, "no user information, query or fragment"},
		{"a password, which is not printed", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("https://u:secret@x") }, `got "https://u:xxxxx@x"`},
		{"a password in what is no URL", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("https://u:secret@[") }, `got "...@["`},
		{"a port without a host", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("https://:443/") }, `want a host, `},
		{"no URL", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.URL = text("https://[") }, `clientConfig.url: want https://host[/path], got "https://["`},
		{"a bundle without certificates", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.ClientConfig.CABundle = []byte("x") }, "clientConfig.caBundle: want certificates in PEM, got none"},
		{"a service without a name", func(h *configv1alpha1.ResourceInterpreterWebhook) {
			h.ClientConfig.Service = &configv1alpha1.ServiceReference{Namespace: "x"}
		}, `clientConfig.service: want a namespace and a name, got "x" and ""`},
		{"a port that is none", func(h *configv1alpha1.ResourceInterpreterWebhook) {
			h.ClientConfig.Service = &configv1alpha1.ServiceReference{Namespace: "x", Name: "y", Port: number(0)}
		}, "clientConfig.service.port: want 1 to 65535, got 0"},
		{"too long", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.TimeoutSeconds = number(31) }, "timeoutSeconds: want 1 to 30, got 31"},
		{"no time at all", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.TimeoutSeconds = number(0) }, "timeoutSeconds: want 1 to 30, got 0"},
		{"a version that nobody knows", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.InterpreterContextVersions = []string{"v2"} }, `interpreterContextVersions: want v1alpha1 among them, got ["v2"]`},
		{"a policy that nobody knows", func(h *configv1alpha1.ResourceInterpreterWebhook) { h.FailurePolicy = "Maybe" }, `failurePolicy: want Fail or Ignore, got "Maybe"`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			set := webhook.New(configuration("https://127.0.0.1:1", nil, tc.change), webhook.Options{})
			defer set.Close()
			require.ErrorContains(t, set.Err(), "webhook tests/all.example.com")
			require.ErrorContains(t, set.Err(), tc.want)
			require.ErrorContains(t, askHealth(t, set), tc.want)
			require.ErrorContains(t, set.Explain(web(t).GroupVersionKind(), interpreter.InterpretHealth)[0].Err, tc.want)
		})
	}
}

// cluster is a ServiceSource.
type cluster map[string]*corev1.Service

func (c cluster) Service(_ context.Context, namespace, name string) (*corev1.Service, error) {
	switch s := c[namespace+"/"+name]; {
	case name == "secret":
		return nil, errors.New("forbidden")
	case s == nil:
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "services"}, name)
	default:
		return s, nil
	}
}

func TestServices(t *testing.T) {
	service := func(kind corev1.ServiceType, ip, external string) *corev1.Service {
		return &corev1.Service{Spec: corev1.ServiceSpec{Type: kind, ClusterIP: ip, ExternalName: external, Ports: []corev1.ServicePort{{Port: 443}, {Port: 8443}}}}
	}
	services := cluster{
		"ns/ip":       service(corev1.ServiceTypeClusterIP, "10.0.0.1", ""),
		"ns/default":  service("", "10.0.0.2", ""),
		"ns/node":     service(corev1.ServiceTypeNodePort, "10.0.0.3", ""),
		"ns/balanced": service(corev1.ServiceTypeLoadBalancer, "fd00::1", ""),
		"ns/headless": service(corev1.ServiceTypeClusterIP, "None", ""),
		"ns/external": service(corev1.ServiceTypeExternalName, "", "webhook.example.com"),
		"ns/nameless": service(corev1.ServiceTypeExternalName, "", ""),
		"ns/strange":  service("Strange", "10.0.0.4", ""),
	}
	for _, tc := range []struct {
		name string
		port int32
		want string // an address, or else an error
	}{
		{"ip", 0, "10.0.0.1:443"},
		{"ip", 8443, "10.0.0.1:8443"},
		{"ip", 80, "service ns/ip: spec.ports: want port 80 among them, got 443, 8443"},
		{"default", 0, "10.0.0.2:443"},
		{"node", 0, "10.0.0.3:443"},
		{"balanced", 0, "[fd00::1]:443"},
		{"headless", 0, `service ns/headless: spec.clusterIP: want an address, got "None"`},
		{"external", 9000, "webhook.example.com:9000"},
		{"nameless", 0, "service ns/nameless: spec.externalName: want a name, got none"},
		{"elsewhere", 0, "elsewhere.ns.svc:443"},
		{"secret", 0, "service ns/secret: forbidden"},
		{"strange", 0, `service ns/strange: spec.type: want ClusterIP`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var dialed string
			path := "x/y"
			set := webhook.New(configuration("https://ignored", nil, func(h *configv1alpha1.ResourceInterpreterWebhook) {
				h.ClientConfig.Service = &configv1alpha1.ServiceReference{Namespace: "ns", Name: tc.name, Path: &path}
				if tc.port != 0 {
					h.ClientConfig.Service.Port = &tc.port
				}
			}), webhook.Options{Services: services, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
				dialed = address
				return nil, errors.New("dialed")
			}})
			defer set.Close()
			err := askHealth(t, set)
			require.ErrorContains(t, err, "webhook tests/all.example.com at https://"+tc.name+".ns.svc:")
			require.ErrorContains(t, err, "/x/y: ")
			if dialed == "" {
				require.ErrorContains(t, err, tc.want)
			} else {
				assert.Equal(t, tc.want, dialed)
			}
		})
	}
}

// TestServiceNameIsOnTheCertificate connects to a service, whose certificate names it and not its address.
func TestServiceNameIsOnTheCertificate(t *testing.T) {
	ca := newAuthority(t)
	network := newMemory()
	stop := serve(t, &webhook.Server{Interpreter: always, Certificate: certificate(ca.issue(t, "dragoman.system.svc", time.Hour))}, network)
	set := webhook.New(configuration("", ca.bundle, func(h *configv1alpha1.ResourceInterpreterWebhook) {
		h.ClientConfig.URL = nil
		h.ClientConfig.Service = &configv1alpha1.ServiceReference{Namespace: "system", Name: "dragoman"}
	}), webhook.Options{Dial: network.dial})
	require.NoError(t, askHealth(t, set))
	set.Close()
	stop()
}

func TestForURL(t *testing.T) {
	set, err := webhook.ForURL("https://127.0.0.1:1/x", webhook.Options{})
	require.NoError(t, err)
	assert.Equal(t, "https://127.0.0.1:1/x", set.Explain(schema.GroupVersionKind{Kind: "X"}, interpreter.Retain)[0].Position)
	for url, want := range map[string]string{
		"":             `want https://host[/path], got ""`,
		"ftp://x":      `want https://host[/path], got "ftp://x"`,
		"127.0.0.1:80": `want https://host[/path], got "127.0.0.1:80"`,
		"https://x?a=": `want a host, and no user information, query or fragment, got "https://x?a="`,
	} {
		_, err := webhook.ForURL(url, webhook.Options{})
		require.EqualError(t, err, want, url)
	}
	nobody, err := webhook.ForURL("https://nobody.example.com", webhook.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "nobody.example.com", IsNotFound: true}
	}})
	require.NoError(t, err)
	assert.ErrorContains(t, askHealth(t, nobody), "InterpretHealth apps/v1 Deployment web: webhook at https://nobody.example.com: lookup nobody.example.com: no such host")
}

// TestTrace sees who answered.
func TestTrace(t *testing.T) {
	ca := newAuthority(t)
	network := newMemory()
	stop := serve(t, &webhook.Server{Interpreter: always, Certificate: certificate(ca.issue(t, "webhook.example.com", time.Hour))}, network)
	set := webhook.New(configuration("https://webhook.example.com", ca.bundle), webhook.Options{Dial: network.dial})
	var answered []string
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Answered: func(s interpreter.Source, err error) {
		answered = append(answered, s.String())
		assert.NoError(t, err)
	}})
	_, err := interpreter.Client{Interpreter: set}.InterpretHealth(ctx, web(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"webhook tests/all.example.com (http)"}, answered)
	set.Close()
	stop()
}
