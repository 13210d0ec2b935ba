package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// answering is an Interpreter with one rule.
func answering(rule interpreter.Rule) interpreter.Interpreter {
	return interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return rule })
}

// post sends a body as the peer does and returns the answer.
func post(t *testing.T, h http.Handler, target, contentType, body string) *configv1alpha1.ResourceInterpreterResponse {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return do(t, h, r)
}

func do(t *testing.T, h http.Handler, r *http.Request) *configv1alpha1.ResourceInterpreterResponse {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusOK, w.Code, "the HTTP status is 200 always")
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var c configv1alpha1.ResourceInterpreterContext
	decoder := json.NewDecoder(w.Body)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&c))
	assert.Equal(t, "ResourceInterpreterContext", c.Kind)
	assert.Equal(t, "config.karmada.io/v1alpha1", c.APIVersion)
	require.NotNil(t, c.Response)
	assert.Nil(t, c.Request)
	return c.Response
}

func TestHandlerSaysWhatWentWrong(t *testing.T) {
	valid := fmt.Sprintf(peerRequest, "InterpretHealth", `,"replicas":0`)
	rule := func(err error) interpreter.Interpreter {
		return answering(func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return nil, err })
	}
	for _, tc := range []struct {
		reason  string
		i       interpreter.Interpreter
		body    string
		code    int32
		status  string
		message string
	}{
		{"no body", always, "", 400, "", "want a JSON object: got nothing"},
		{"no JSON", always, "x", 400, "", "want a JSON object"},
		{"too large", always, `{"a":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "", "body: want at most 1048576 bytes, got more"},
		{"unknown operation", always, strings.Replace(valid, "InterpretHealth", "Prune", 1), 400, "", `unknown operation "Prune"`},
		{"the rule fails", rule(errors.New("status.phase: want text")), valid, 422, "", "status.phase: want text"},
		{"no rule", interpreter.Chain{}, valid, 501, "NotHandled", "no rule answers InterpretHealth for apps/v1, Kind=Deployment"},
		{"the rule declines", rule(interpreter.ErrNotHandled), valid, 501, "NotHandled", "no rule answers"},
		{"not loaded", rule(interpreter.ErrNotReady), valid, 503, "NotReady", "rules are not loaded yet"},
		{"too slow", rule(fmt.Errorf("asking: %w", context.DeadlineExceeded)), valid, 504, "", "asking: context deadline exceeded"},
		{"the rule chooses", rule(&webhook.StatusError{Code: 429, Reason: "Busy", Message: "later"}), valid, 429, "Busy", "later"},
		{"the rule chooses no code", rule(&webhook.StatusError{Message: "no"}), valid, 422, "", "no"},
		{"the rule breaks its contract", answering(func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{}, nil
		}), valid, 500, "", "the rule's answer: health.state: want one of"},
		{"the rule panics", answering(func(context.Context, *interpreter.Request) (*interpreter.Response, error) { panic("oops") }), valid, 500, "", "the rule panicked: oops"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var seen []webhook.Answer
			var panics []string
			h := webhook.HandlerOptions{
				MaxRequestBytes: 1 << 20,
				Answered:        func(_ context.Context, a webhook.Answer) { seen = append(seen, a) },
				Panicked: func(_ context.Context, value any, stack []byte) {
					panics = append(panics, fmt.Sprint(value, " ", bytes.Contains(stack, []byte("handler_test.go"))))
				},
			}.Handler(tc.i)
			resp := post(t, h, "/", "application/json", tc.body)
			assert.False(t, resp.Successful)
			require.NotNil(t, resp.Status)
			assert.Equal(t, tc.code, resp.Status.Code)
			assert.Equal(t, tc.status, resp.Status.Reason)
			assert.Contains(t, resp.Status.Message, tc.message)
			if tc.body == valid {
				assert.EqualValues(t, "7", resp.UID)
			}
			require.Len(t, seen, 1)
			assert.Equal(t, &webhook.StatusError{Code: tc.code, Reason: tc.status, Message: resp.Status.Message}, seen[0].Status)
			assert.Equal(t, resp.UID, seen[0].Request.UID)
			if tc.reason == "the rule panics" {
				assert.Equal(t, []string{"oops true"}, panics)
			}
		})
	}
}

func TestHandlerOfOtherRequests(t *testing.T) {
	h := webhook.Handler(always)
	valid := fmt.Sprintf(peerRequest, "InterpretHealth", "")
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		resp := do(t, h, httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(valid)))
		assert.Equal(t, &configv1alpha1.RequestStatus{Code: 405, Message: "want a POST, got a " + method}, resp.Status)
	}
	for _, contentType := range []string{"", "text/plain", "application/yaml", "application/json; charset"} {
		resp := post(t, h, "/", contentType, valid)
		assert.Equal(t, &configv1alpha1.RequestStatus{Code: 415, Message: fmt.Sprintf("Content-Type: want application/json, got %q", contentType)}, resp.Status)
	}
	assert.True(t, post(t, h, "/any/path", "application/json; charset=utf-8", valid).Successful)
	for _, timeout := range []string{"10", "-1s", "0s", "soon"} {
		resp := post(t, h, "/?timeout="+timeout, "application/json", valid)
		assert.Equal(t, &configv1alpha1.RequestStatus{Code: 400, Message: fmt.Sprintf("query: timeout: want a duration such as 10s, got %q", timeout)}, resp.Status)
	}
}

func TestHandlerWaitsNoLongerThanTheClient(t *testing.T) {
	var deadline time.Time
	h := webhook.Handler(answering(func(ctx context.Context, _ *interpreter.Request) (*interpreter.Response, error) {
		deadline, _ = ctx.Deadline()
		return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
	}))
	valid := fmt.Sprintf(peerRequest, "InterpretHealth", "")
	assert.True(t, post(t, h, "/", "application/json", valid).Successful)
	assert.Zero(t, deadline)
	assert.True(t, post(t, h, "/?timeout=10s", "application/json", valid).Successful)
	assert.WithinDuration(t, time.Now().Add(10*time.Second), deadline, 9*time.Second)
}

// TestRawRequestOfThePeer writes a request to a connection byte by byte as the peer's client does: HTTP/1.1, anonymous,
// its own user agent, and a body that ends with a line feed.
func TestRawRequestOfThePeer(t *testing.T) {
	ca := newAuthority(t)
	revise := answering(func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		out := req.Object.DeepCopy()
		out.Object["spec"] = map[string]any{"replicas": int64(req.DesiredReplicas)}
		return &interpreter.Response{Object: out}, nil
	})
	url, _ := start(t, &webhook.Server{Interpreter: revise, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour))})
	conn := dialTLS(t, url, ca)
	body := fmt.Sprintf(peerRequest, "ReviseReplica", `,"replicas":3`) + "\n"
	for range 2 { // the connection is kept
		fmt.Fprintf(conn, "POST /x?timeout=10s HTTP/1.1\r\nHost: webhook.example.com\r\nUser-Agent: kube-apiserver-admission\r\n"+
			"Content-Length: %d\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n%s", len(body), body)
		resp, err := http.ReadResponse(newReader(conn), nil)
		require.NoError(t, err)
		answer, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, 200, resp.StatusCode)
		assert.Equal(t, "HTTP/1.1", resp.Proto)
		assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
		// The patch is [{"op":"add","path":"/spec","value":{"replicas":3}}].
		sameBytes(t, `{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v1alpha1","response":{"uid":"7","successful":true,`+
			`"patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMiLCJ2YWx1ZSI6eyJyZXBsaWNhcyI6M319XQ==","patchType":"JSONPatch"}}`, answer)
	}
}
