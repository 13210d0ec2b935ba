package conform_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
	"github.com/dragoman-io/dragoman/webhook/conform"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// all answers every question with what is right for it.
var all = interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
	return func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		out := req.Object.DeepCopy()
		if req.Operation == interpreter.ReviseReplica {
			if err := unstructured.SetNestedField(out.Object, int64(req.DesiredReplicas), "spec", "replicas"); err != nil {
				return nil, err
			}
		}
		if req.Operation == interpreter.AggregateStatus {
			out.Object["status"] = map[string]any{"members": int64(len(req.AggregatedStatus))}
		}
		return &interpreter.Response{Replicas: 2, Object: out, Health: interpreter.HealthOf(true)}, nil
	}
})

// run checks the handler, served over TLS with both versions of HTTP.
func run(t *testing.T, h http.Handler, o conform.Options) *conform.Report {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	o.TLS = server.Client().Transport.(*http.Transport).TLSClientConfig
	report, err := conform.Run(t.Context(), server.URL, o)
	require.NoError(t, err)
	report.URL = "https://webhook.example.com" // for golden files
	return report
}

// answering answers every question with an error.
func answering(err error) interpreter.Interpreter {
	return interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return nil, err }
	})
}

// find returns the check that is called name.
func find(t *testing.T, report *conform.Report, name string) conform.Check {
	t.Helper()
	i := slices.IndexFunc(report.Checks, func(c conform.Check) bool { return c.Name == name })
	require.GreaterOrEqual(t, i, 0, "no check %q", name)
	return report.Checks[i]
}

func TestOurHandlerConforms(t *testing.T) {
	report := run(t, webhook.Handler(all), conform.Options{})
	for _, c := range report.Checks {
		assert.Equal(t, conform.Passed, c.Outcome, "%s: %v", c.Name, c.Problems)
	}
	golden(t, "conforming.txt", func(w io.Writer) error { return report.Text(w, true) })
}

func TestAHandlerThatAnswersNothing(t *testing.T) {
	report := run(t, webhook.Handler(interpreter.Chain{}), conform.Options{})
	assert.Zero(t, report.Failed(), "nobody said what it is for")
	assert.Equal(t, 1, report.Count(conform.Warned))

	report = run(t, webhook.Handler(answering(errors.New("status.phase: want text"))), conform.Options{})
	assert.Equal(t, []string{"no question was answered with success: want objects of the kinds that the webhook is for; " +
		"InterpretReplica apps/v1 Deployment default/web was refused with 422: status.phase: want text"}, find(t, report, "some operation is answered").Problems)

	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Cache", "metadata": map[string]any{"name": "c"}}}
	report = run(t, webhook.Handler(interpreter.Chain{}), conform.Options{Objects: []*unstructured.Unstructured{object}})
	assert.Equal(t, 1, report.Failed())
	golden(t, "nothing.txt", func(w io.Writer) error { return report.Text(w, true) })
	golden(t, "nothing.json", report.JSON)
	golden(t, "nothing.xml", report.JUnit)
}

// TestWhatWebhooksGetWrong has webhooks that are wrong in one way each, and the check that finds it.
func TestWhatWebhooksGetWrong(t *testing.T) {
	right := webhook.Handler(all)
	// answer changes the answer of the right handler.
	answer := func(change func(response map[string]any)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			right.ServeHTTP(recorder, r)
			var message map[string]any
			if err := json.Unmarshal(recorder.Body.Bytes(), &message); err != nil {
				panic(err)
			}
			change(message["response"].(map[string]any))
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(message); err != nil {
				panic(err)
			}
		})
	}
	// refusing refuses the questions whose text has one part and not the other.
	refusing := func(has, hasNot string, code int32) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if text := string(body); strings.Contains(text, has) && !strings.Contains(text, hasNot) {
				req, _ := webhook.DecodeRequest(body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(webhook.EncodeResponse(req, nil, &webhook.StatusError{Code: code, Message: "no"}))
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			right.ServeHTTP(w, r)
		})
	}
	var count atomic.Int64
	for _, tc := range []struct {
		reason  string
		handler http.Handler
		outcome conform.Outcome
		check   string
		problem string
	}{
		{"another uid", answer(func(r map[string]any) { r["uid"] = "x" }), conform.Failed, "InterpretHealth apps/v1 Deployment default/web", "response.uid: want"},
		{"no health", answer(func(r map[string]any) { delete(r, "healthy") }), conform.Failed, "InterpretHealth apps/v1 Deployment default/web", "response.healthy: want true or false, got none"},
		{"no replicas", answer(func(r map[string]any) { delete(r, "replicas") }), conform.Failed, "InterpretReplica apps/v1 Deployment default/web", "response.replicas: want a number, got none"},
		{"no type of the patch", answer(func(r map[string]any) { delete(r, "patchType") }), conform.Failed, "ReviseReplica apps/v1 Deployment default/web: 7 replicas", "want patch and patchType"},
		{"a patch that renames", answer(func(r map[string]any) {
			if r["patch"] != nil {
				r["patch"] = []byte(`[{"op":"replace","path":"/metadata/name","value":"x"}]`)
			}
		}), conform.Failed, "ReviseReplica apps/v1 Deployment default/web: 7 replicas", "object.metadata.name: want"},
		{"an aggregation that changes the spec", answer(func(r map[string]any) {
			if r["patch"] != nil {
				r["patch"] = []byte(`[{"op":"replace","path":"/spec/replicas","value":9}]`)
			}
		}), conform.Warned, "AggregateStatus apps/v1 Deployment default/web: one member", "takes only /status, so that /spec/replicas is of no consequence"},
		{"a retention that loses the spec", answer(func(r map[string]any) {
			r["patchType"], r["patch"] = "JSONPatch", []byte(`[{"op":"remove","path":"/spec"}]`)
		}), conform.Warned, "Retain apps/v1 Deployment default/web: nothing changed", "removes the object's spec"},
		{"a question that it did not think of", refusing("AggregateStatus", "clusterName", 422), conform.Warned, "AggregateStatus apps/v1 Deployment default/web: no list", "not answered, though other questions of this operation are: 422: no"},
		{"an operation that breaks it", refusing("InterpretReplica", "future", 500), conform.Warned, "InterpretReplica apps/v1 Deployment default/web", "not answered, and it says that the webhook is at fault: 500: no"},
		{"an operation that it declines in its own words", refusing("InterpretReplica", "future", 400), conform.Skipped, "InterpretReplica apps/v1 Deployment default/web", "not answered: 400: no"},
		{"no replicas that are left out", answer(func(r map[string]any) {
			if r["patch"] != nil {
				r["patch"] = []byte(`[{"op":"remove","path":"/spec/replicas"}]`)
			}
		}), conform.Warned, "ReviseReplica apps/v1 Deployment default/web: 0 replicas", "for no replicas it removes /spec/replicas, which may have another default: want it to be 0"},
		{"an answer that is never the same", answer(func(r map[string]any) { r["count"] = count.Add(1) }), conform.Warned, "InterpretHealth apps/v1 Deployment default/web", "two different answers"},
		{"failure without a status", answer(func(r map[string]any) { delete(r, "status") }), conform.Failed, "malformed: no request", "response.status: want one that says why"},
		{"failure without a code", answer(func(r map[string]any) {
			if s, ok := r["status"].(map[string]any); ok {
				delete(s, "code")
			}
		}), conform.Failed, "malformed: no object", "response.status.code: want 400 to 599"},
		{"failure without a message", answer(func(r map[string]any) {
			if s, ok := r["status"].(map[string]any); ok {
				delete(s, "message")
			}
		}), conform.Warned, "malformed: no object", "response.status.message: want what went wrong"},
		{"success for anything", answer(func(r map[string]any) { r["successful"] = true }), conform.Failed, "malformed: an unknown operation", "response.successful: want false, got true"},
		{"failure under another status", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			right.ServeHTTP(recorder, r)
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(recorder.Body.String(), `"successful":false`) {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = w.Write(recorder.Body.Bytes())
		}), conform.Failed, "malformed: no body", "HTTP status: want 200 always, got 400"},
		{"no content type", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			right.ServeHTTP(recorder, r)
			_, _ = w.Write(recorder.Body.Bytes())
		}), conform.Warned, "InterpretHealth apps/v1 Deployment default/web", `Content-Type: want application/json, got "text/plain; charset=utf-8"`},
		{"a page", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<h1>It works!</h1>")
		}), conform.Failed, "malformed: no body", `got "<h1>It works!</h1>"`},
		{"a crash", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if len(body) == 0 {
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			right.ServeHTTP(w, r)
		}), conform.Failed, "malformed: no body", "EOF"},
		{"a connection for each question", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			right.ServeHTTP(w, r)
		}), conform.Warned, "connections are kept", "got it closed"},
		{"a field that it does not know is too much", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), "future") {
				body = []byte("x")
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			right.ServeHTTP(w, r)
		}), conform.Failed, "unknown fields are ignored", "want the same answer as without them"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			t.Parallel() // a server waits for half a second before it closes on a body that is too large
			report := run(t, tc.handler, conform.Options{})
			found := find(t, report, tc.check)
			assert.Equal(t, tc.outcome, found.Outcome, "%v", found.Problems)
			assert.Contains(t, strings.Join(found.Problems, "\n"), tc.problem)
		})
	}
}

func TestTextOfSeveralLines(t *testing.T) {
	report := conform.Report{Checks: []conform.Check{{Name: "a", Outcome: conform.Failed, Problems: []string{"422: rules.yaml:1:2: no\n | x\n | ^"}}}}
	var b strings.Builder
	require.NoError(t, report.Text(&b, false))
	assert.Equal(t, "FAIL  a\n      422: rules.yaml:1:2: no\n       | x\n       | ^\n0 passed, 1 failed, 0 warned, 0 skipped\n", b.String())
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := conform.Run(t.Context(), server.URL, conform.Options{})
	require.ErrorContains(t, err, server.URL+": dial tcp")
	for url, want := range map[string]string{"": "want https://host[/path]", "ftp://x": "want https://host[/path]", "://": "want https://host[/path]", "https://x?a=b": "want no user information, query or fragment"} {
		_, err := conform.Run(t.Context(), url, conform.Options{})
		assert.ErrorContains(t, err, want)
	}
}

// TestWait starts the webhook when the first attempt has failed.
func TestWait(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	failed := make(chan error)
	go func() {
		_, err := conform.Run(t.Context(), url, conform.Options{})
		failed <- err
	}()
	require.ErrorContains(t, <-failed, "connection refused")
	reported := make(chan *conform.Report)
	go func() {
		report, err := conform.Run(t.Context(), url, conform.Options{Wait: time.Minute})
		assert.NoError(t, err)
		reported <- report
	}()
	again, err := new(net.ListenConfig).Listen(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	server := &httptest.Server{Listener: again, Config: &http.Server{Handler: webhook.Handler(all), ReadHeaderTimeout: time.Minute}}
	server.Start()
	defer server.Close()
	assert.Zero(t, (<-reported).Failed())
}

func TestAnObjectThatIsNone(t *testing.T) {
	_, err := conform.Run(t.Context(), "https://127.0.0.1:1", conform.Options{Objects: []*unstructured.Unstructured{{Object: map[string]any{"kind": "x"}}}})
	require.EqualError(t, err, "object.apiVersion: want a group and version, got none")
}

func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var b strings.Builder
	require.NoError(t, write(&b))
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}
