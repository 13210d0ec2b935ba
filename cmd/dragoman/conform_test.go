package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
	"github.com/dragoman-io/dragoman/webhook/conform"
)

// startHealth serves a webhook that answers healths, and returns its URL and the file with its authority.
func startHealth(t *testing.T, wrap func(http.Handler) http.Handler) (url, ca string) {
	t.Helper()
	health := interpreter.Func(func(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
		if op != interpreter.InterpretHealth {
			return nil
		}
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
		}
	})
	server := httptest.NewUnstartedServer(wrap(webhook.Handler(health)))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.crt")
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(ca, bundle, 0o600))
	return server.URL, ca
}

func runConform(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}
	code = run(t.Context(), append([]string{"dragoman", "conform"}, args...), streams)
	return code, stdout.String(), stderr.String()
}

func TestConform(t *testing.T) {
	right := func(h http.Handler) http.Handler { return h }
	wrong := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Wrong", "status")
			w.WriteHeader(http.StatusAccepted)
			h.ServeHTTP(w, r)
		})
	}
	url, ca := startHealth(t, right)
	code, out, errOut := runConform(t, url, "--ca", ca)
	assert.Equal(t, exitOK, code, errOut)
	assert.Equal(t, "24 passed, 0 failed, 0 warned, 17 skipped\n", out)

	code, out, _ = runConform(t, url, "--insecure-skip-tls-verify", "-o", "json")
	assert.Equal(t, exitOK, code)
	var report conform.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.Equal(t, url, report.URL)

	url, ca = startHealth(t, wrong)
	code, out, errOut = runConform(t, url, "--ca", ca)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "FAIL  InterpretHealth apps/v1 Deployment default/web\n      HTTP status: want 200 always, got 202\n")
	assert.Empty(t, errOut, "the report has said it")

	code, out, _ = runConform(t, url, "--ca", ca, "-o", "junit")
	assert.Equal(t, exitFailed, code)
	require.NoError(t, xml.Unmarshal([]byte(out), new(struct {
		XMLName xml.Name `xml:"testsuite"`
	})))
}

func TestConformRefuses(t *testing.T) {
	url, ca := startHealth(t, func(h http.Handler) http.Handler { return h })
	for _, tc := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"no URL", nil, "want URL, got 0 arguments (see dragoman conform --help)"},
		{"a URL that is none", []string{"localhost"}, "want https://host[/path]"},
		{"an address that is no URL", []string{"127.0.0.1:9443"}, `want https://host[/path], got "127.0.0.1:9443"`},
		{"a certificate that is not trusted", []string{url}, "certificate signed by unknown authority (--ca names the file with the authorities to trust)"},
		{"nobody there", []string{"https://127.0.0.1:1", "--ca", ca}, "connection refused"},
		{"a report that there is not", []string{url, "-o", "yaml"}, `--output: want one of text, json, junit, got "yaml"`},
		{"no time", []string{url, "--timeout", "0s"}, "--timeout: want more than 0, got 0s"},
		{"no object", []string{url, "--ca", ca, "-f", "/none"}, "/none: "},
		{"a certificate that is not there", []string{url, "--ca", ca, "--cert", "/none", "--key", "/none"}, "--cert: open /none"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			code, out, errOut := runConform(t, tc.args...)
			assert.Equal(t, exitUnusable, code)
			assert.Contains(t, errOut, tc.want)
			assert.Empty(t, out)
		})
	}
}

func TestReachTellsThatNobodyAnswers(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // it accepts, in time, what nobody takes
	require.NoError(t, err)
	defer listener.Close()
	err = reach(t.Context(), "https://"+listener.Addr().String(), nil, time.Millisecond)
	require.EqualError(t, err, "no answer within 1ms")
}

// TestWebhookRefuses asks webhooks that cannot be asked: the first error is the only one.
func TestWebhookRefuses(t *testing.T) {
	url, ca := startHealth(t, func(h http.Handler) http.Handler { return h })
	cases := filepath.Join(t.TempDir(), "cases.yaml")
	require.NoError(t, os.WriteFile(cases, []byte(`
apiVersion: dragoman.io/v1alpha1
kind: InterpreterTestSuite
name: a
cases:
- name: healthy
  reason: the webhook says so
  operation: InterpretHealth
  desiredObj: {apiVersion: v1, kind: A, metadata: {name: a}}
  output: {healthy: true}
- name: healthy again
  reason: it says so twice
  operation: InterpretHealth
  desiredObj: {apiVersion: v1, kind: B, metadata: {name: b}}
  output: {healthy: true}
`), 0o600))
	object := filepath.Join(t.TempDir(), "object.yaml")
	require.NoError(t, os.WriteFile(object, []byte("{apiVersion: v1, kind: A, metadata: {name: a}}"), 0o600))
	for _, tc := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"no URL", []string{"nonsense"}, `error: --webhook: want https://host[/path], got "nonsense"` + "\n"},
		{"nobody there", []string{"https://127.0.0.1:1/"}, "error: --webhook: https://127.0.0.1:1/: dial tcp 127.0.0.1:1: connect: connection refused\n"},
		{
			"a certificate that is not trusted", []string{url},
			"error: --webhook: " + url + ": tls: failed to verify certificate: x509: certificate signed by unknown authority (--webhook-ca names the file with the authorities to trust)\n",
		},
		{"no authorities", []string{url, "--webhook-ca", cases}, "error: --webhook-ca: " + cases + ": want PEM certificates, got none\n"},
		{"no file", []string{url, "--webhook-ca", "/none"}, "error: --webhook-ca: /none: no such file or directory\n"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			for _, command := range [][]string{{"test", cases}, {"interpret", "--operation", "InterpretHealth", "--desired-file", object}} {
				var stdout, stderr strings.Builder
				streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}
				code := run(t.Context(), slices.Concat([]string{"dragoman"}, command, []string{"--webhook"}, tc.args), streams)
				assert.Equal(t, exitUnusable, code)
				assert.Equal(t, tc.want, stderr.String())
				assert.Empty(t, stdout.String())
			}
		})
	}
	var stdout strings.Builder
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: io.Discard}
	assert.Equal(t, exitOK, run(t.Context(), []string{"dragoman", "test", cases, "--webhook", url, "--webhook-ca", ca}, streams), stdout.String())
}
