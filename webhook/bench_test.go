package webhook_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// bare returns the TLS server with the least in it: what comes in goes out.
func bare(t testing.TB, ca *authority) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{*ca.issue(t, "127.0.0.1", time.Hour)}, MinVersion: tls.VersionTLS12}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// echo posts a body and reads the answer.
func echo(ctx context.Context, client *http.Client, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// perCall asks as the peer's client does: with a REST client over HTTP/1.1, a context per call, and messages that go through
// a scheme's codec.
type perCall struct {
	client *rest.RESTClient
}

func newPerCall(b *testing.B, url string, ca *authority) perCall {
	b.Helper()
	scheme := k8sruntime.NewScheme()
	require.NoError(b, configv1alpha1.AddToScheme(scheme))
	client, err := rest.UnversionedRESTClientFor(&rest.Config{
		Host: url, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca.bundle, NextProtos: []string{"http/1.1"}},
		ContentConfig: rest.ContentConfig{
			GroupVersion: &configv1alpha1.GroupVersion, ContentType: k8sruntime.ContentTypeJSON,
			NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion(),
		},
	})
	require.NoError(b, err)
	return perCall{client}
}

func (p perCall) ask(ctx context.Context, req *interpreter.Request) error {
	object, err := req.Object.MarshalJSON()
	if err != nil {
		return err
	}
	question := &configv1alpha1.ResourceInterpreterContext{Request: &configv1alpha1.ResourceInterpreterRequest{
		UID: "7", Kind: metav1.GroupVersionKind(req.Kind), Name: req.Name, Namespace: req.Namespace,
		Operation: configv1alpha1.InterpreterOperation(req.Operation), DesiredReplicas: &req.DesiredReplicas,
		Object: k8sruntime.RawExtension{Raw: object},
	}}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var answer configv1alpha1.ResourceInterpreterContext
	if err := p.client.Post().Timeout(10 * time.Second).Body(question).Do(ctx).Into(&answer); err != nil {
		return err
	}
	if answer.Response == nil || !answer.Response.Successful {
		return errors.New("want an answer")
	}
	if req.Operation != interpreter.ReviseReplica {
		return nil
	}
	patch, err := jsonpatch.DecodePatch(answer.Response.Patch)
	if err != nil {
		return err
	}
	patched, err := patch.Apply(object)
	if err != nil {
		return err
	}
	return new(unstructured.Unstructured).UnmarshalJSON(patched)
}

// BenchmarkAsk asks a question over one kept connection, and over the same network the floor (an echo of the same
// bytes over HTTP/2, as ours) and the baseline (the peer's method), in turns of some calls each. The time is the median.
func BenchmarkAsk(b *testing.B) {
	const each = 25
	for _, op := range []interpreter.Operation{interpreter.InterpretHealth, interpreter.ReviseReplica} {
		b.Run(string(op), func(b *testing.B) {
			inTurns(b, newBenchmarkSetup(b, op), func(ask func(context.Context) error) []time.Duration {
				took := make([]time.Duration, each)
				for i := range took {
					took[i] = timed(b, func() error { return ask(b.Context()) })
				}
				return took
			})
		})
	}
}

// BenchmarkAskTogether has 64 callers at once; the times are of the whole divided by the number of answers.
func BenchmarkAskTogether(b *testing.B) {
	const callers, each = 64, 8
	for _, op := range []interpreter.Operation{interpreter.InterpretHealth, interpreter.ReviseReplica} {
		b.Run(string(op), func(b *testing.B) {
			ours, floor := inTurns(b, newBenchmarkSetup(b, op), func(ask func(context.Context) error) []time.Duration {
				return []time.Duration{timed(b, func() error {
					var wg sync.WaitGroup
					errs := make([]error, callers)
					for i := range callers {
						wg.Go(func() {
							for range each {
								errs[i] = errors.Join(errs[i], ask(b.Context()))
							}
						})
					}
					wg.Wait()
					return errors.Join(errs...)
				}) / (callers * each)}
			})
			// Of turns next to each other: how much of the machine there is changes from one minute to the next.
			throughput := make([]float64, len(ours))
			for i := range ours {
				throughput[i] = float64(floor[i]) / float64(ours[i])
			}
			b.ReportMetric(median(throughput), "floor-throughput")
		})
	}
}

// held is the memory that a small controller manager holds. The floor, the baseline and ours run beside it: in a process
// that holds 4 MiB, memory is collected every 80 calls, and that is what the benchmark would measure.
const held = 64 << 20

// inTurns lets each of the three ways have its turn again and again, and reports the medians. It returns the times of
// two of them, in order.
func inTurns(b *testing.B, s benchmarkSetup, turn func(ask func(context.Context) error) []time.Duration) (ours, floor []time.Duration) {
	var took [3][]time.Duration
	bytes, objects := allocated(b, s.ask)
	heap := make([]byte, held)
	defer runtime.KeepAlive(heap)
	runtime.GC()
	for b.Loop() {
		for i, ask := range []func(context.Context) error{s.ask, s.echo, s.baseline} {
			took[i] = append(took[i], turn(ask)...)
		}
	}
	report(b, median(took[0]), median(took[1]), median(took[2]))
	// By itself it would count what a round of turns takes, of all three.
	b.ReportMetric(bytes, "B/op")
	b.ReportMetric(objects, "allocs/op")
	return took[0], took[1]
}

// allocated returns how much memory a call takes, in bytes and objects, of both sides together.
func allocated(b *testing.B, ask func(context.Context) error) (bytes, objects float64) {
	const calls = 100
	require.NoError(b, ask(b.Context())) // which opens the connection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		require.NoError(b, ask(b.Context()))
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / calls, float64(after.Mallocs-before.Mallocs) / calls
}

func timed(b *testing.B, f func() error) time.Duration {
	start := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median[T cmp.Ordered](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func report(b *testing.B, ours, floor, baseline time.Duration) {
	b.ReportMetric(float64(ours), "ns/op")
	b.ReportMetric(float64(floor), "floor-ns/op")
	b.ReportMetric(float64(ours)/float64(floor), "x-floor")
	b.ReportMetric(float64(baseline), "baseline-ns/op")
	b.ReportMetric(float64(baseline)/float64(ours), "x-faster")
}

// benchmarkSetup is a question, and three ways to put it.
type benchmarkSetup struct {
	ask, echo, baseline func(context.Context) error
}

func newBenchmarkSetup(b *testing.B, op interpreter.Operation) benchmarkSetup {
	ca := newAuthority(b)
	req := complete(b, interpreter.Request{Operation: op, Object: benchmarkObject(b), DesiredReplicas: 7})
	rule := answering(func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		if req.Operation == interpreter.InterpretHealth {
			return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
		}
		out := &unstructured.Unstructured{Object: map[string]any{}}
		maps.Copy(out.Object, req.Object.Object)
		spec := map[string]any{}
		maps.Copy(spec, req.Object.Object["spec"].(map[string]any))
		spec["replicas"] = int64(req.DesiredReplicas)
		out.Object["spec"] = spec
		return &interpreter.Response{Object: out}, nil
	})
	url, _ := start(b, &webhook.Server{Interpreter: rule, Certificate: certificate(ca.issue(b, "127.0.0.1", time.Hour))})
	set := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	b.Cleanup(set.Close)
	client := interpreter.Client{Interpreter: set}

	echoServer := bare(b, ca)
	echoClient := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: ca.pool(), MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64,
	}}
	b.Cleanup(echoClient.CloseIdleConnections)
	sent, err := webhook.EncodeRequest(req)
	require.NoError(b, err)

	peer := newPerCall(b, url, ca)
	return benchmarkSetup{
		ask: func(ctx context.Context) error {
			question := *req
			question.UID = "" // the client makes one
			_, err := client.Do(ctx, &question)
			return err
		},
		echo:     func(ctx context.Context) error { return echo(ctx, echoClient, echoServer.URL, sent) },
		baseline: func(ctx context.Context) error { return peer.ask(ctx, req) },
	}
}

// benchmarkObject is a Deployment as it comes from an API server.
func benchmarkObject(t testing.TB) *unstructured.Unstructured {
	return object(t, `{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": {
			"name": "web", "namespace": "default", "uid": "2c9d1f5e-3a55-4f0e-9d1e-6f1a0c9c7b11", "resourceVersion": "481516", "generation": 4,
			"creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "web", "tier": "front"},
			"annotations": {"deployment.kubernetes.io/revision": "4", "example.com/owner": "team-a"}
		},
		"spec": {
			"replicas": 3, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
			"selector": {"matchLabels": {"app": "web"}},
			"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
			"template": {
				"metadata": {"labels": {"app": "web", "tier": "front"}},
				"spec": {
					"containers": [{
						"name": "web", "image": "registry.example.com/web:1.2.3", "imagePullPolicy": "IfNotPresent",
						"ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
						"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "web", "key": "b"}}}],
						"resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
						"livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "timeoutSeconds": 1},
						"volumeMounts": [{"name": "data", "mountPath": "/data"}], "terminationMessagePolicy": "File"
					}],
					"volumes": [{"name": "data", "emptyDir": {}}],
					"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": {},
					"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "a", "operator": "Exists"}], "terminationGracePeriodSeconds": 30
				}
			}
		},
		"status": {
			"observedGeneration": 4, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
			"conditions": [
				{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastUpdateTime": "2026-01-01T00:00:00Z"},
				{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "ReplicaSet has successfully progressed.", "lastUpdateTime": "2026-01-01T00:00:00Z"}
			]
		}
	}`)
}

// BenchmarkWire is the encoding alone.
func BenchmarkWire(b *testing.B) {
	for _, op := range []interpreter.Operation{interpreter.InterpretHealth, interpreter.ReviseReplica} {
		req := complete(b, interpreter.Request{Operation: op, Object: benchmarkObject(b), DesiredReplicas: 7})
		changed := req.Object.DeepCopy()
		require.NoError(b, unstructured.SetNestedField(changed.Object, int64(7), "spec", "replicas"))
		resp := &interpreter.Response{Health: interpreter.HealthOf(true), Object: changed}
		sent, err := webhook.EncodeRequest(req)
		require.NoError(b, err)
		answer := webhook.EncodeResponse(req, resp, nil)
		for name, f := range map[string]func() error{
			"EncodeRequest":  func() error { _, err := webhook.EncodeRequest(req); return err },
			"DecodeRequest":  func() error { _, err := webhook.DecodeRequest(sent); return err },
			"EncodeResponse": func() error { webhook.EncodeResponse(req, resp, nil); return nil },
			"DecodeResponse": func() error { _, err := webhook.DecodeResponse(req, answer); return err },
		} {
			b.Run(string(op)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
