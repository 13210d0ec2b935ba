package webhook_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// faulty is a webhook in memory that answers as its handler does, and the set that asks it. It must be made in a
// synctest bubble, which ends only when no goroutine is left: a leak is a deadlock there, and fails the test.
type faulty struct {
	ca      *authority
	network *memory
	set     *webhook.Set
}

func newFaulty(t *testing.T, handler http.HandlerFunc, change ...func(*configv1alpha1.ResourceInterpreterWebhook)) *faulty {
	t.Helper()
	ca := newAuthority(t)
	network := newMemory()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: time.Minute,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{*ca.issue(t, "webhook.example.com", time.Hour)}, MinVersion: tls.VersionTLS12},
	}
	quiet(server)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.ServeTLS(network, "", "")
	}()
	f := &faulty{
		ca: ca, network: network,
		set: webhook.New(configuration("https://webhook.example.com/x", ca.bundle, change...), webhook.Options{Dial: network.dial, MaxResponseBytes: 1 << 20}),
	}
	require.NoError(t, f.set.Err())
	t.Cleanup(func() {
		f.set.Close()
		_ = server.Close()
		<-done
	})
	return f
}

// reply answers with the response, which may use %s for the uid of the question.
func reply(response string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		req, _ := webhook.DecodeRequest(body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, strings.ReplaceAll(response, "%s", string(req.UID)))
	}
}

func patch(operations string) string {
	return `{"response":{"uid":"%s","successful":true,"patchType":"JSONPatch","patch":"` +
		base64.StdEncoding.EncodeToString([]byte(operations)) + `"}}`
}

const (
	where   = "InterpretReplica apps/v1 Deployment default/web: webhook tests/all.example.com at https://webhook.example.com/x"
	healthy = `{"response":{"uid":"%s","successful":true,"healthy":true}}`
)

// TestFaultyWebhooks asks webhooks that break the protocol, one way each.
func TestFaultyWebhooks(t *testing.T) {
	status := func(code int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	for _, tc := range []struct {
		reason  string
		handler http.HandlerFunc
		want    string
	}{
		{"500", status(500, "text/html", "<h1>oops</h1>\n"), `HTTP status: want 200, got 500 Internal Server Error: "<h1>oops</h1>"`},
		{"404, without a body", status(404, "text/plain", ""), "HTTP status: want 200, got 404 Not Found"},
		{"a redirect is not followed", status(307, "text/plain", ""), "HTTP status: want 200, got 307 Temporary Redirect"},
		{"wrong content type", status(200, "text/html", "<h1>hello</h1>"), `Content-Type: want application/json, got "text/html": want a JSON object: byte 0: want a value, got '<'`},
		{"wrong content type of JSON that is no answer", status(200, "text/html", `{}`), `Content-Type: want application/json, got "text/html": response: want one, got none`},
		{"no content type at all", status(200, "/;", "hello"), `Content-Type: want application/json, got "/;": want a JSON object: byte 0: want a value, got 'h'`},
		{"an answer that says its length is too large", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(100<<20))
			w.WriteHeader(http.StatusOK)
		}, "answer: want at most 1048576 bytes, got 104857600"},
		{"an endless answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for chunk := []byte(strings.Repeat(" ", 64<<10)); r.Context().Err() == nil; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, "answer: want at most 1048576 bytes, got more"},
		{"empty", reply(""), "want a JSON object: got nothing"},
		{"truncated JSON", reply(`{"response":{"uid":"%s"`), "want , or }, got the end of the input"},
		{"deep JSON", reply(strings.Repeat(`{"response":`, 20_000)), "nested deeper than 1000"},
		{"not an object", reply(`[]`), "want an object, got a list"},
		{"another kind", reply(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), `want a ResourceInterpreterContext of config.karmada.io/v1alpha1, got kind "AdmissionReview"`},
		{"another version", reply(`{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v2"}`), `got kind "ResourceInterpreterContext" of apiVersion "config.karmada.io/v2"`},
		{"no response", reply(`{}`), "response: want one, got none"},
		{"wrong uid", reply(`{"response":{"uid":"x","successful":true,"replicas":1}}`), `response.uid: want`},
		{"no uid", reply(`{"response":{"successful":true,"replicas":1}}`), `got ""`},
		{"unsuccessful without a status", reply(`{"response":{"uid":"%s"}}`), "response.status: want one that says why"},
		{"unsuccessful", reply(`{"response":{"uid":"%s","status":{"code":403,"message":"not today"}}}`), " answered 403: not today"},
		{"no replicas", reply(`{"response":{"uid":"%s","successful":true}}`), "response.replicas: want a number, got none"},
		{"null replicas", reply(`{"response":{"uid":"%s","successful":true,"replicas":null}}`), "response.replicas: want a number, got none"},
		{"replicas as text", reply(`{"response":{"uid":"%s","successful":true,"replicas":"1"}}`), "response.replicas: want a number, got a string"},
		{"half a replica", reply(`{"response":{"uid":"%s","successful":true,"replicas":1.5}}`), "response.replicas: want a whole number of 32 bits, got 1.5"},
		{"fewer than no replicas", reply(`{"response":{"uid":"%s","successful":true,"replicas":-1}}`), "response.replicas: want at least 0, got -1"},
		{"success as text", reply(`{"response":{"uid":"%s","successful":"yes"}}`), "response.successful: want a boolean, got a string"},
		{"requirements that are none", reply(`{"response":{"uid":"%s","successful":true,"replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"much"}}}}`), "response.replicaRequirements: quantities must match"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := interpreter.Client{Interpreter: newFaulty(t, tc.handler).set}
				_, _, err := client.InterpretReplica(t.Context(), web(t))
				require.ErrorContains(t, err, where)
				require.ErrorContains(t, err, tc.want)
				assert.NotErrorIs(t, err, interpreter.ErrNotHandled)
			})
		})
	}
}

// TestWrongAnswersOfOneOperation asks for what each operation needs.
func TestWrongAnswersOfOneOperation(t *testing.T) {
	const ok = `{"response":{"uid":"%s","successful":true`
	for _, tc := range []struct {
		reason string
		op     interpreter.Operation
		answer string
		want   string
	}{
		{"no health", interpreter.InterpretHealth, ok + `}}`, "response.healthy: want true or false, got none"},
		{"health as text", interpreter.InterpretHealth, ok + `,"healthy":"yes"}}`, "response.healthy: want a boolean, got a string"},
		{"health that contradicts", interpreter.InterpretHealth, ok + `,"healthy":true,"health":{"state":"Degraded"}}}`, "response.health.state: Degraded contradicts healthy: true"},
		{"unknown state", interpreter.InterpretHealth, ok + `,"healthy":false,"health":{"state":"Fine"}}}`, `response.health.state: want one of`},
		{"no status", interpreter.InterpretStatus, ok + `}}`, "response.rawStatus: want the status, got none"},
		{"status is a list", interpreter.InterpretStatus, ok + `,"rawStatus":[]}}`, "response.rawStatus: want an object, got a list"},
		{"two components of a name", interpreter.InterpretComponent, ok + `,"components":[{"name":"a","replicas":1},{"name":"a","replicas":1}]}}`, `"a" appears twice`},
		{"components are no list", interpreter.InterpretComponent, ok + `,"components":{}}}`, "response.components: json: cannot unmarshal object"},
		{"a dependency of no kind", interpreter.InterpretDependency, ok + `,"dependencies":[{"apiVersion":"v1","name":"a"}]}}`, "response.dependencies[0].kind: want a kind, got none"},
		{"a dependency that names nothing", interpreter.InterpretDependency, ok + `,"dependencies":[{"apiVersion":"v1","kind":"Secret"}]}}`, "want a name or a labelSelector"},
		{"a dependency with a wrong selector", interpreter.InterpretDependency, ok + `,"dependencies":[{"apiVersion":"v1","kind":"Secret","labelSelector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}]}}`, `dependencies[0].labelSelector: "Is" is not a valid label selector operator`},
		{"a patch without type", interpreter.ReviseReplica, ok + `,"patch":"W10="}}`, "response.patch: want patch and patchType, or neither"},
		{"a type without patch", interpreter.ReviseReplica, ok + `,"patchType":"JSONPatch"}}`, "response.patch: want patch and patchType, or neither"},
		{"a patch of another type", interpreter.Retain, ok + `,"patch":"e30=","patchType":"MergePatch"}}`, `response.patchType: want JSONPatch, got "MergePatch"`},
		{"a patch that is no base64", interpreter.Retain, ok + `,"patch":"[]","patchType":"JSONPatch"}}`, "response.patch: want base64"},
		{"a patch that is not a string", interpreter.Retain, ok + `,"patch":[],"patchType":"JSONPatch"}}`, "response.patch: want a string, got a list"},
		{"a patch that is an object", interpreter.Retain, patch(`{}`), "response.patch: want a list of operations (RFC 6902)"},
		{"a patch of what is not there", interpreter.Retain, patch(`[{"op":"replace","path":"/spec/none","value":1}]`), "/spec/none"},
		{"a patch whose test fails", interpreter.Retain, patch(`[{"op":"test","path":"/spec/replicas","value":1}]`), "testing value /spec/replicas failed"},
		{"a patch that escapes to another version", interpreter.ReviseReplica, patch(`[{"op":"replace","path":"/apiVersion","value":"apps/v2"}]`), `object.apiVersion: want "apps/v1" unchanged, got "apps/v2"`},
		{"a patch that escapes to another kind", interpreter.ReviseReplica, patch(`[{"op":"replace","path":"/kind","value":"Job"}]`), `object.kind: want "Deployment" unchanged, got "Job"`},
		{"a patch that escapes to another name", interpreter.Retain, patch(`[{"op":"replace","path":"/metadata/name","value":"x"}]`), `object.metadata.name: want "web" unchanged, got "x"`},
		{"a patch that escapes to another namespace", interpreter.Retain, patch(`[{"op":"remove","path":"/metadata/namespace"}]`), `object.metadata.namespace: want "default" unchanged, got ""`},
		{"a patch that escapes to another uid", interpreter.AggregateStatus, patch(`[{"op":"replace","path":"/metadata/uid","value":"6"}]`), `object.metadata.uid: want "5" unchanged, got "6"`},
		{"a patch that leaves no object", interpreter.Retain, patch(`[{"op":"replace","path":"","value":null}]`), "response.patch:"},
		{"a patch that leaves a list", interpreter.Retain, patch(`[{"op":"replace","path":"","value":[]}]`), "response.patch:"},
		{"more operations than anybody needs", interpreter.Retain, patch(`[` + strings.Repeat(`{"op":"test","path":"/kind","value":"Deployment"},`, 10_001) + `{"op":"remove","path":"/spec"}]`), "response.patch: want at most 10000 operations, got 10002"},
		{"a patch that copies without end", interpreter.Retain, patch(`[{"op":"add","path":"/x","value":[]}` + strings.Repeat(`,{"op":"copy","from":"/x","path":"/x/-"}`, 40) + `]`), "response.patch:"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			req := complete(t, interpreter.Request{Operation: tc.op, Object: web(t), ObservedObject: web(t)})
			resp, err := webhook.DecodeResponse(req, []byte(strings.ReplaceAll(tc.answer, "%s", "7")))
			require.ErrorContains(t, err, tc.want)
			assert.Nil(t, resp)
		})
	}
}

func TestAggregationTakesOnlyTheStatus(t *testing.T) {
	req := complete(t, interpreter.Request{Operation: interpreter.AggregateStatus, Object: web(t)})
	for _, tc := range []struct{ reason, operations, status string }{
		{"other paths are accepted, and of no consequence", `[{"op":"remove","path":"/spec"},{"op":"add","path":"/status","value":{"a":1}}]`, `{"a":1}`},
		{"null is a list that was never made", `null`, ""},
		{"a status may go", `[{"op":"add","path":"/status","value":{}},{"op":"remove","path":"/status"}]`, ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			want := web(t)
			if tc.status != "" {
				want.Object["status"] = object(t, tc.status).Object
			}
			resp, err := webhook.DecodeResponse(req, []byte(strings.ReplaceAll(patch(tc.operations), "%s", "7")))
			require.NoError(t, err)
			assert.Equal(t, want, resp.Object)
		})
	}
}

// TestPeerAnswersAreAccepted holds what webhooks made with the peer's library send.
func TestPeerAnswersAreAccepted(t *testing.T) {
	for _, tc := range []struct{ reason, contentType, answer string }{
		{"a status beside success", "application/json", `{"response":{"uid":"%s","successful":true,"status":{"code":200},"healthy":true}}`},
		{"kind and version", "application/json", `{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v1alpha1","response":{"uid":"%s","successful":true,"healthy":true}}`},
		{"the content type that Go guesses when a handler sets none", "text/plain; charset=utf-8", healthy},
		{"what other languages' servers call text that they are given", "text/html; charset=utf-8", healthy},
		{"a charset", "application/json; charset=utf-8", healthy},
		{"a field from the future", "application/json", `{"response":{"uid":"%s","successful":true,"healthy":true,"mood":{"a":[]}}}`},
		{"of two equal names the last counts", "application/json", `{"response":{"uid":"%s","successful":true,"healthy":false,"healthy":true}}`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					req, _ := webhook.DecodeRequest(body)
					w.Header().Set("Content-Type", tc.contentType)
					fmt.Fprint(w, strings.ReplaceAll(tc.answer, "%s", string(req.UID)))
				})
				health, err := interpreter.Client{Interpreter: f.set}.InterpretHealth(t.Context(), web(t))
				require.NoError(t, err)
				assert.Equal(t, interpreter.Health{State: interpreter.Healthy}, health)
			})
		})
	}
}

// TestSlowWebhooks asks webhooks that take longer than they may, one way each.
func TestSlowWebhooks(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		handler http.HandlerFunc
	}{
		{"slow headers", func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(time.Minute):
				reply(healthy)(w, r)
			case <-r.Context().Done():
			}
		}},
		{"slow body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 60 {
				fmt.Fprint(w, " ")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
			}
		}},
		{"never answering", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	} {
		for _, seconds := range []int32{0, 3} {
			t.Run(fmt.Sprintf("%s, timeoutSeconds %d", tc.reason, seconds), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFaulty(t, tc.handler, func(hook *configv1alpha1.ResourceInterpreterWebhook) {
						if seconds > 0 {
							hook.TimeoutSeconds = &seconds
						}
					})
					start := time.Now()
					_, _, err := interpreter.Client{Interpreter: f.set}.InterpretReplica(t.Context(), web(t))
					want := 10 * time.Second
					if seconds > 0 {
						want = time.Duration(seconds) * time.Second
					}
					require.ErrorContains(t, err, fmt.Sprintf("%s: no answer within %s", where, want))
					require.ErrorIs(t, err, context.DeadlineExceeded)
					assert.Equal(t, want, time.Since(start))
				})
			})
		}
	}
}

// TestWebhooksThatDoNotRead asks webhooks that take a connection and nothing else: no question keeps its caller longer than
// it may, but for a moment in which the connection is closed.
func TestWebhooksThatDoNotRead(t *testing.T) {
	for _, tc := range []struct {
		reason, protocol string
		size             int
	}{
		{"all was accepted", "http/1.1", 10},
		{"some of it waits to be", "http/1.1", 1 << 20},
		{"the connection is kept, until it is found out", "h2", 10},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ca, network := newAuthority(t), newMemory()
				config := &tls.Config{
					Certificates: []tls.Certificate{*ca.issue(t, "webhook.example.com", time.Hour)},
					NextProtos:   []string{tc.protocol}, MinVersion: tls.VersionTLS12,
				}
				go func() {
					conn, err := tls.NewListener(network, config).Accept()
					if assert.NoError(t, err) {
						assert.NoError(t, conn.(*tls.Conn).HandshakeContext(t.Context()))
					}
				}()
				set := webhook.New(configuration("https://webhook.example.com/x", ca.bundle), webhook.Options{Dial: network.dial})
				defer set.Close()
				large := web(t)
				large.SetAnnotations(map[string]string{"large": strings.Repeat("x", tc.size)})
				start := time.Now()
				_, err := interpreter.Client{Interpreter: set}.InterpretHealth(t.Context(), large)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Less(t, time.Since(start), 10*time.Second+100*time.Millisecond)
				time.Sleep(time.Minute) // a connection that went silent is found out, and closed
			})
		})
	}
}

func TestTheTimeoutIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seconds := int32(30)
		var query, agent, accept, proto atomic.Value
		f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
			query.Store(r.URL.RawQuery)
			agent.Store(r.UserAgent())
			accept.Store(r.Header.Get("Accept"))
			proto.Store(r.Proto)
			reply(healthy)(w, r)
		}, func(hook *configv1alpha1.ResourceInterpreterWebhook) { hook.TimeoutSeconds = &seconds })
		_, err := interpreter.Client{Interpreter: f.set}.InterpretHealth(t.Context(), web(t))
		require.NoError(t, err)
		assert.Equal(t, "timeout=30s", query.Load())
		assert.Equal(t, "dragoman", agent.Load())
		assert.Equal(t, "application/json, */*", accept.Load())
		assert.Equal(t, "HTTP/2.0", proto.Load())
	})
}

func TestACallerThatWaitsNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, ignore)
		for range 10 { // more than open a breaker
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _, err := interpreter.Client{Interpreter: f.set}.InterpretReplica(ctx, web(t))
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorIs(t, err, interpreter.ErrNotHandled, "that the caller gave up is no failure of the webhook, and not to be ignored")
			assert.NotContains(t, err.Error(), "not asked")
		}
	})
}

// askHealth may be called in any goroutine.
func askHealth(t *testing.T, i interpreter.Interpreter) error {
	t.Helper()
	deployment := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"}}}
	_, err := interpreter.Client{Interpreter: i}.InterpretHealth(t.Context(), deployment)
	return err
}

func TestFailurePolicyIgnore(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		handler http.HandlerFunc
		handled bool
	}{
		{"500 is a failed call", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, false},
		{"so is an answer that breaks the protocol", reply(`{}`), false},
		{"and one that breaks the contract", reply(`{"response":{"uid":"%s","successful":true}}`), false},
		{"an unsuccessful answer is an answer", reply(`{"response":{"uid":"%s","status":{"code":422,"message":"no"}}}`), true},
		{"not ready is final", reply(`{"response":{"uid":"%s","status":{"code":503,"reason":"NotReady","message":"no"}}}`), true},
		{"not handled is passed on whatever the policy", reply(`{"response":{"uid":"%s","status":{"code":501,"reason":"NotHandled","message":"no"}}}`), false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFaulty(t, tc.handler, ignore)
				next := interpreter.Func(func(_ schema.GroupVersionKind, _ interpreter.Operation) interpreter.Rule {
					return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
						return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
					}
				})
				err := askHealth(t, interpreter.Chain{f.set, next})
				assert.Equal(t, tc.handled, err != nil, "%v", err)
				for range 10 { // an open breaker is a failed call too
					assert.Equal(t, tc.handled, askHealth(t, interpreter.Chain{f.set, next}) != nil)
				}
			})
		})
	}
}

func TestNotHandledByAWebhookOfOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty(t, webhook.Handler(interpreter.Chain{}).ServeHTTP)
		err := askHealth(t, f.set)
		require.ErrorIs(t, err, interpreter.ErrNotHandled)
		assert.ErrorContains(t, err, "answered 501: no rule answers InterpretHealth for apps/v1, Kind=Deployment")
	})
}
