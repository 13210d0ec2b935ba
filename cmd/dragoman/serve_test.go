package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// firstWrite hands over what is written first.
type firstWrite struct {
	once sync.Once
	data chan []byte
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.once.Do(func() { w.data <- append([]byte(nil), p...) })
	return len(p), nil
}

// startServe runs `dragoman serve` until the test ends and returns the configuration that it prints.
func startServe(t *testing.T, args ...string) configv1alpha1.ResourceInterpreterWebhookConfiguration {
	t.Helper()
	out := &firstWrite{data: make(chan []byte, 1)}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	code := make(chan int, 1)
	var log strings.Builder
	go func() {
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: &log}
		code <- run(ctx, append([]string{"dragoman", "serve", "--bind", "127.0.0.1:0"}, args...), streams)
	}()
	var config configv1alpha1.ResourceInterpreterWebhookConfiguration
	select {
	case data := <-out.data:
		require.NoError(t, yaml.UnmarshalStrict(data, &config))
	case c := <-code:
		stop()
		require.FailNow(t, "serve ended", "code %d: %s", c, log.String())
	}
	t.Cleanup(func() {
		stop()
		assert.Equal(t, exitOK, <-code, "%s", log.String())
	})
	return config
}

func TestServe(t *testing.T) {
	config := startServe(t, "--kinds", "apps/v1/Deployment,v1/Pod", "--host", "localhost")
	require.Len(t, config.Webhooks, 1)
	hook := config.Webhooks[0]
	assert.True(t, strings.HasPrefix(*hook.ClientConfig.URL, "https://localhost:"), *hook.ClientConfig.URL)

	set := webhook.New([]configv1alpha1.ResourceInterpreterWebhookConfiguration{config}, webhook.Options{})
	defer set.Close()
	require.NoError(t, set.Err())
	client := interpreter.Client{Interpreter: set}
	deployment := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"}, "spec": map[string]any{"replicas": int64(2)},
	}}
	revised, err := client.ReviseReplica(t.Context(), deployment, 5, interpreter.Placement{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"replicas": int64(5)}, revised.Object["spec"])

	job := schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
	assert.Nil(t, set.Lookup(job, interpreter.InterpretHealth), "it was not chosen")
	all, err := webhook.ForURL(*hook.ClientConfig.URL, webhook.Options{TLS: trusting(t, hook.ClientConfig.CABundle)})
	require.NoError(t, err)
	defer all.Close()
	_, err = interpreter.Client{Interpreter: all}.InterpretHealth(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "j"},
	}})
	require.ErrorIs(t, err, interpreter.ErrNotHandled)

	base := strings.TrimSuffix(*hook.ClientConfig.URL, "/interpret")
	metrics := fetch(t, base+"/metrics", hook.ClientConfig.CABundle)
	assert.Contains(t, metrics, `dragoman_webhook_answers_total{code="200",operation="ReviseReplica"} 1`)
	assert.Contains(t, metrics, `dragoman_webhook_answers_total{code="501",operation="InterpretHealth"} 1`)
	assert.Equal(t, "ok\n", fetch(t, base+"/readyz", hook.ClientConfig.CABundle))
}

func TestServeSelectsOnlyWhatItAnswers(t *testing.T) {
	config := startServe(t, "--kinds", "v1/ConfigMap", "--service", "system/dragoman", "--name", "maps")
	assert.Equal(t, "maps", config.Name)
	hook := config.Webhooks[0]
	assert.Equal(t, "maps.interpreter.dragoman.io", hook.Name)
	require.NotNil(t, hook.ClientConfig.Service)
	assert.Equal(t, "system", hook.ClientConfig.Service.Namespace)
	assert.Equal(t, "dragoman", hook.ClientConfig.Service.Name)
	assert.Nil(t, hook.ClientConfig.URL)
	for _, rule := range hook.Rules {
		assert.NotContains(t, rule.Operations, configv1alpha1.InterpreterOperationReviseReplica, "a control plane that asks gets an error")
	}
}

const (
	broken = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: broken}
spec:
  target: {apiVersion: example.com/v1, kind: Cache}
  customizations:
    healthInterpretation:
      luaScript: "function InterpretHealth(observed) return"
`
	suffix = `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: suffix}
spec:
  target: {apiVersion: "*.example.com/*", kind: Cache}
  customizations:
    healthInterpretation:
      luaScript: "function InterpretHealth(observed) return true end"
`
)

func TestServeSelectsTheKindsOfTheCustomizations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "suffix.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(suffix, "*.example.com", "example.com")), 0o600))
	rules := startServe(t, "-f", file).Webhooks[0].Rules
	require.Len(t, rules, 1)
	assert.Equal(t, configv1alpha1.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"*"}, Kinds: []string{"Cache"}}, rules[0].Rule)
	assert.Contains(t, rules[0].Operations, configv1alpha1.InterpreterOperationInterpretHealth)
	assert.NotContains(t, rules[0].Operations, configv1alpha1.InterpreterOperationRetain)
}

func TestServeDryRun(t *testing.T) {
	dir := t.TempDir()
	own, bundle, err := webhook.SelfSigned([]string{"x"}, time.Hour)
	require.NoError(t, err)
	require.NotNil(t, own)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.crt"), bundle, 0o600))
	var out, errOut strings.Builder
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	code := run(t.Context(), []string{
		"dragoman", "serve", "--dry-run", "--kinds", "v1/Pod", "--service", "system/dragoman", "--ca", filepath.Join(dir, "ca.crt"),
	}, streams)
	require.Equal(t, exitOK, code, "%s", errOut.String())
	var config configv1alpha1.ResourceInterpreterWebhookConfiguration
	require.NoError(t, yaml.UnmarshalStrict([]byte(out.String()), &config))
	assert.Equal(t, bundle, config.Webhooks[0].ClientConfig.CABundle)
	assert.Equal(t, "dragoman", config.Webhooks[0].ClientConfig.Service.Name)
	assert.Empty(t, errOut.String(), "nothing is served")
}

func TestServeKindsThatNobodyKnows(t *testing.T) {
	var out, errOut strings.Builder
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	kinds := "example.com/v1/Cahce,ray.io/v1/RayCluster,example.com/v1/Cahce"
	require.Equal(t, exitOK, run(t.Context(), []string{"dragoman", "serve", "--dry-run", "--kinds", kinds}, streams), errOut.String())
	assert.Equal(t, 1, strings.Count(errOut.String(), "\n"), "%s", errOut.String())
	assert.Contains(t, errOut.String(), `level=WARN msg="only what holds for every kind is answered: is this one spelt right?" kind="example.com/v1 Cahce"`)
	assert.Equal(t, 1, strings.Count(out.String(), "Cahce"))
}

func TestServeSelectsTheCatalogue(t *testing.T) {
	kinds := map[string]bool{}
	for _, rule := range startServe(t).Webhooks[0].Rules {
		for _, kind := range rule.Kinds {
			kinds[kind] = true
		}
	}
	assert.True(t, kinds["FlinkDeployment"])
	assert.False(t, kinds["Deployment"], "built in there as here")
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for _, tc := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"a rule that does not compile", []string{"-f", write("broken.yaml", broken)}, "broken.yaml:"},
		{"a target that no configuration can select", []string{"-f", write("suffix.yaml", suffix)}, "suffix: spec.target.apiVersion: *.example.com/* is nothing that a webhook configuration can select"},
		{"a kind without a version", []string{"--kinds", "Deployment"}, `--kinds: want GROUP/VERSION/KIND or VERSION/KIND, got "Deployment"`},
		{"a file that is no customization", []string{"-f", write("x.yaml", "kind: Pod\napiVersion: v1\n")}, "x.yaml"},
		{"a certificate without a key", []string{"--kinds", "v1/Pod", "--cert", "x"}, "[cert key]"},
		{"a certificate that is not there", []string{"--kinds", "v1/Pod", "--cert", "/none", "--key", "/none"}, "certificate: stat /none"},
		{"authorities that are none", []string{"--kinds", "v1/Pod", "--client-ca", write("ca.crt", "x")}, "--client-ca: " + dir},
		{"an address without a port", []string{"--kinds", "v1/Pod", "--bind", "localhost"}, `--bind: want HOST:PORT or :PORT, got "localhost"`},
		{"a host with a scheme", []string{"--kinds", "v1/Pod", "--host", "https://x"}, `--host: want a name or an address, without scheme and port, got "https://x"`},
		{"no port of a server elsewhere", []string{"--kinds", "v1/Pod", "--dry-run"}, "--bind: want the port of the server, got 0"},
		{"a name that objects cannot have", []string{"--kinds", "v1/Pod", "--name", "No Name"}, `--name: "No Name": `},
		{"a service without a namespace", []string{"--kinds", "v1/Pod", "--service", "dragoman"}, `--service: want NAMESPACE/NAME, got "dragoman"`},
		{"an argument", []string{"x.yaml"}, `want no arguments, got "x.yaml": customizations are given with -f (see dragoman serve --help)`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var errOut strings.Builder
			streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: &errOut}
			code := run(t.Context(), append([]string{"dragoman", "serve", "--bind", "127.0.0.1:0"}, tc.args...), streams)
			assert.Equal(t, exitUnusable, code)
			assert.Contains(t, errOut.String(), tc.want)
		})
	}
}

func trusting(t *testing.T, bundle []byte) *tls.Config {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(bundle))
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func fetch(t *testing.T, url string, bundle []byte) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: trusting(t, bundle)}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// TestServeWantsClientCertificates shows one, as `dragoman interpret`.
func TestServeWantsClientCertificates(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, data, 0o600))
		return file
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	client := write("client.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	clientKey := write("client.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))

	config := startServe(t, "--kinds", "apps/v1/Deployment", "--client-ca", client)
	hook := config.Webhooks[0].ClientConfig
	ca := write("ca.crt", hook.CABundle)
	object := write("web.yaml", []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n"))
	for _, tc := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"with a certificate", []string{"--webhook-cert", client, "--webhook-key", clientKey}, exitOK, "replica:\n2\n"},
		{"without one", nil, exitFailed, "want a client certificate, got none"},
		{"with half of one", []string{"--webhook-cert", client}, exitUnusable, "--webhook-cert, --webhook-key: want both or neither"},
		{"with one that is not there", []string{"--webhook-cert", "/none", "--webhook-key", "/none"}, exitUnusable, "--webhook-cert: open /none"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var out strings.Builder
			streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}
			code := run(t.Context(), append([]string{
				"dragoman", "interpret", "--operation", "InterpretReplica", "--observed-file", object, "--webhook", *hook.URL, "--webhook-ca", ca,
			}, tc.args...), streams)
			assert.Equal(t, tc.code, code)
			assert.Contains(t, out.String(), tc.want)
		})
	}
}

// caseRules answers each question by the rules of the case that it is about, whose number is the question's uid, and at
// the time of the case.
type caseRules struct {
	cases []*cases.Case
	rules cases.Rules
}

func (r caseRules) Lookup(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		i, err := strconv.Atoi(string(req.UID))
		if err != nil {
			return nil, err
		}
		c := r.cases[i]
		rules, err := r.rules(c)
		if err != nil {
			return nil, err
		}
		rule := rules.Lookup(req.Kind, req.Operation)
		if rule == nil {
			return nil, interpreter.ErrNotHandled
		}
		clock := c.Clock
		if clock.IsZero() {
			clock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
		}
		resp, err := rule(interpreter.WithClock(ctx, interpreter.Clock{Now: func() time.Time { return clock }}), req)
		if err != nil {
			return nil, err
		}
		return resp, interpreter.Validate(req, resp) // which a server does as well
	}
}

// TestAWebhookAnswersAsTheProcessItself asks the question of every case in the repository over TLS and in process.
func TestAWebhookAnswersAsTheProcessItself(t *testing.T) {
	found, _ := cases.Load("../..") // some are wrong on purpose
	require.Greater(t, len(found), 100, "this repository has more cases")
	given := func(files ...string) (interpreter.Interpreter, error) {
		data, err := (&reader{recursive: true}).read(t.Context(), files...)
		if err != nil {
			return nil, err
		}
		return newSet(data)
	}
	rest, err := shipped()
	require.NoError(t, err)
	rules := caseRules{cases: found, rules: cases.Nearest(given, rest)}

	own, bundle, err := webhook.SelfSigned([]string{"127.0.0.1"}, time.Hour)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- (&webhook.Server{Interpreter: rules, Certificate: webhook.StaticCertificate(own)}).Serve(ctx, listener)
	}()
	remote, err := webhook.ForURL("https://"+listener.Addr().String(), webhook.Options{TLS: trusting(t, bundle)})
	require.NoError(t, err)

	var answered, failed int
	for i, c := range found {
		t.Run(c.Name, func(t *testing.T) {
			if c.Operation.Info() == nil {
				return // wrong on purpose
			}
			req := c.Request()
			if req.Complete() != nil {
				return
			}
			req.UID = types.UID(strconv.Itoa(i))
			want, wantErr := interpreter.Client{Interpreter: rules}.Do(t.Context(), req)
			got, err := interpreter.Client{Interpreter: remote}.Do(t.Context(), req)
			if wantErr != nil {
				failed++
				sameError(t, wantErr, err)
				return
			}
			require.NoError(t, err)
			answered++
			assert.Equal(t, canonical(t, onTheWire(req, want)), canonical(t, got))
		})
	}
	assert.Greater(t, answered, 100)
	t.Logf("%d answers and %d errors are the same", answered, failed)
	remote.Close()
	stop()
	require.NoError(t, <-served)
}

func sameError(t *testing.T, want, got error) {
	t.Helper()
	var wantError *interpreter.Error
	require.ErrorAs(t, want, &wantError)
	require.ErrorContains(t, got, wantError.Err.Error())
	assert.Equal(t, errors.Is(want, interpreter.ErrNotHandled), errors.Is(got, interpreter.ErrNotHandled))
}

// onTheWire returns what the protocol can say of an answer in process: "no status" is an empty one, an empty
// list is none, and of an aggregation only the status counts.
func onTheWire(req *interpreter.Request, resp *interpreter.Response) *interpreter.Response {
	out := *resp
	switch req.Operation {
	case interpreter.InterpretStatus:
		if out.Status == nil {
			out.Status = map[string]any{}
		}
	case interpreter.AggregateStatus:
		out.Object = req.Object.DeepCopy()
		delete(out.Object.Object, "status")
		if status, ok := resp.Object.Object["status"]; ok {
			out.Object.Object["status"] = status
		}
	case interpreter.InterpretDependency:
		if len(out.Dependencies) == 0 {
			out.Dependencies = nil
		}
	case interpreter.InterpretComponent:
		if len(out.Components) == 0 {
			out.Components = nil
		}
	default:
	}
	return &out
}

// canonical returns an answer as JSON: quantities are equal that are written alike.
func canonical(t *testing.T, resp *interpreter.Response) string {
	t.Helper()
	data, err := json.MarshalIndent(resp, "", "  ")
	require.NoError(t, err)
	return string(data)
}
