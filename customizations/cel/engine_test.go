package cel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// changed returns the object of the tests after change.
func changed(change func(object map[string]any)) *unstructured.Unstructured {
	object := deployment()
	change(object)
	return &unstructured.Unstructured{Object: object}
}

func spec(object map[string]any) map[string]any { return object["spec"].(map[string]any) }

// TestOperations has rows for each form that the result of each operation may have.
func TestOperations(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	ofTwo := &workv1alpha2.ReplicaRequirements{
		ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("1Gi")},
	}
	items := []interpreter.StatusItem{
		{ClusterName: "m1", Status: map[string]any{"replicas": int64(2)}, Applied: true, Health: workv1alpha2.ResourceHealthy},
		{ClusterName: "m2", AppliedMessage: "no room"},
	}
	for _, tc := range []struct {
		reason string
		op     interpreter.Operation
		text   string
		with   func(*interpreter.Request)
		want   interpreter.Response
	}{
		{"a number", interpreter.InterpretReplica, `object.spec.replicas`, nil, interpreter.Response{Replicas: 3}},
		{"a double without a fraction", interpreter.InterpretReplica, `object.spec.ratio * 4.0`, nil, interpreter.Response{Replicas: 2}},
		{
			"a number with requirements", interpreter.InterpretReplica,
			`{"replicas": object.spec.replicas, "replicaRequirements": {"resourceRequest": {"cpu": 2, "memory": quantity("1Gi")}}}`,
			nil, interpreter.Response{Replicas: 3, ReplicaRequirements: ofTwo},
		},
		{"no requirements", interpreter.InterpretReplica, `{"replicas": 1, "replicaRequirements": null}`, nil, interpreter.Response{Replicas: 1}},
		{"an omitted field", interpreter.InterpretReplica, `{"replicas": 1, ?"replicaRequirements": object.?absent}`, nil, interpreter.Response{Replicas: 1}},
		{
			"components", interpreter.InterpretComponent,
			`object.spec.containers.map(c, {"name": c.name, "replicas": 2, "replicaRequirements": {"resourceRequest": {"cpu": "2", "memory": "1Gi"}}}).slice(0, 1)`,
			nil,
			interpreter.Response{Components: []workv1alpha2.Component{{
				Name: "a", Replicas: 2,
				ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: ofTwo.ResourceRequest},
			}}},
		},
		{"no components", interpreter.InterpretComponent, `[]`, nil, interpreter.Response{Components: []workv1alpha2.Component{}}},
		{
			"a merge", interpreter.ReviseReplica, `{"spec": {"replicas": replicas}}`, nil,
			interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["replicas"] = int64(7) })},
		},
		{
			"a patch", interpreter.ReviseReplica, `[{"op": "replace", "path": "/spec/replicas", "value": replicas}]`, nil,
			interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["replicas"] = int64(7) })},
		},
		{"no change: big integers, null, {} and [] stay", interpreter.ReviseReplica, `{}`, nil, interpreter.Response{Object: changed(func(map[string]any) {})}},
		{"no operation", interpreter.ReviseReplica, `[]`, nil, interpreter.Response{Object: changed(func(map[string]any) {})}},
		{
			"the whole object is a merge of itself", interpreter.ReviseReplica, `object`, nil,
			interpreter.Response{Object: changed(func(o map[string]any) { delete(spec(o), "null") })},
		},
		{
			"the context", interpreter.ReviseReplica,
			`{"spec": {"text": context.cluster + string(context.targets.map(t, t.replicas).sum()) + context.targets[0].name}}`,
			func(r *interpreter.Request) {
				r.Cluster, r.Targets = "m1", []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 4}, {Name: "m2", Replicas: 3}}
			},
			interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["text"] = "m17m1" })},
		},
		{
			"no context", interpreter.ReviseReplica, `{"spec": {"text": context.?cluster.orValue("none")}}`, nil,
			interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["text"] = "none" })},
		},
		{
			"what the member owns", interpreter.Retain, `{"spec": {"replicas": observed.spec.replicas, "text": null}}`,
			func(r *interpreter.Request) { spec(r.ObservedObject.Object)["replicas"] = int64(9) },
			interpreter.Response{Object: changed(func(o map[string]any) {
				spec(o)["replicas"] = int64(9)
				delete(spec(o), "text")
			})},
		},
		{"a status", interpreter.InterpretStatus, `object.status`, nil, interpreter.Response{Status: deployment()["status"].(map[string]any)}},
		{"no status", interpreter.InterpretStatus, `object.?absent.orValue(null)`, nil, interpreter.Response{}},
		{"lossless", interpreter.InterpretStatus, `object.spec`, nil, interpreter.Response{Status: spec(deployment())}},
		{
			"items", interpreter.AggregateStatus,
			`{"status": {"replicas": items.map(i, i.?status.replicas.orValue(0)).sum(), "names": items.map(i, i.clusterName + i.?appliedMessage.orValue("") + string(i.?applied.orValue(false)) + i.?health.orValue("?"))}}`,
			func(r *interpreter.Request) { r.AggregatedStatus = items },
			interpreter.Response{Object: changed(func(o map[string]any) {
				status := o["status"].(map[string]any)
				status["replicas"], status["names"] = int64(2), []any{"m1trueHealthy", "m2no roomfalse?"}
			})},
		},
		{
			"no list of items", interpreter.AggregateStatus, `items == null ? {} : {"status": null}`, nil,
			interpreter.Response{Object: changed(func(map[string]any) {})},
		},
		{
			"an empty list of items", interpreter.AggregateStatus, `items == null ? {} : {"status": null}`,
			func(r *interpreter.Request) { r.AggregatedStatus = []interpreter.StatusItem{} },
			interpreter.Response{Object: changed(func(o map[string]any) { delete(o, "status") })},
		},
		{"healthy", interpreter.InterpretHealth, `object.status.replicas == object.spec.replicas`, nil, interpreter.Response{Health: interpreter.Health{State: interpreter.Healthy}}},
		{"not healthy", interpreter.InterpretHealth, `false`, nil, interpreter.Response{Health: interpreter.Health{State: interpreter.Degraded}}},
		{"a state", interpreter.InterpretHealth, `"Suspended"`, nil, interpreter.Response{Health: interpreter.Health{State: interpreter.Suspended}}},
		{
			"a state and a message", interpreter.InterpretHealth, `{"state": "Progressing", "message": "%d of 4".format([object.status.replicas])}`, nil,
			interpreter.Response{Health: interpreter.Health{State: interpreter.Progressing, Message: "3 of 4"}},
		},
		{
			"references, sorted and without duplicates", interpreter.InterpretDependency,
			`["b", "a", "b"].map(n, {"apiVersion": "v1", "kind": "Secret", "namespace": object.metadata.namespace, "name": n})`, nil,
			interpreter.Response{Dependencies: []configv1alpha1.DependentObjectReference{
				{APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "a"},
				{APIVersion: "v1", Kind: "Secret", Namespace: "default", Name: "b"},
			}},
		},
		{"the library", interpreter.InterpretReplica, `kube.count(1, "a", object) + kube.countAll() + kube.first([1])`, nil, interpreter.Response{Replicas: 4}},
		{"an optional argument left out", interpreter.InterpretStatus, `kube.first([])`, nil, interpreter.Response{}},
		{"an optional argument that is null", interpreter.InterpretStatus, `kube.first([], null)`, nil, interpreter.Response{}},
		{"an optional value as an argument", interpreter.InterpretStatus, `kube.first([], object.?absent)`, nil, interpreter.Response{}},
		{"an optional argument", interpreter.InterpretStatus, `kube.first([], {"a": 1})`, nil, interpreter.Response{Status: map[string]any{"a": int64(1)}}},
		{"a function that knows the request", interpreter.InterpretStatus, `{"name": kube.name()}`, nil, interpreter.Response{Status: map[string]any{"name": "web"}}},
	} {
		t.Run(string(tc.op)+"/"+tc.reason, func(t *testing.T) {
			req := request(tc.op)
			if tc.with != nil {
				tc.with(req)
			}
			before := req.Object.DeepCopy()
			resp, err := compile(t, engine, tc.op, tc.text)(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, tc.want.Object, resp.Object)
			assert.Equal(t, tc.want.Status, resp.Status)
			assert.True(t, equality.Semantic.DeepEqual(tc.want, *resp), "want %+v\ngot  %+v", tc.want, *resp)
			if resp.Object != nil {
				resp.Object.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["name"] = "spoiled"
			}
			assert.Equal(t, before, req.Object, "the request was modified, or shares memory with the response")
		})
	}
}

func TestLibraryCharges(t *testing.T) {
	engine := newEngine(t, script.Limits{Memory: 1 << 20})
	ok := compile(t, engine, interpreter.InterpretHealth, `size(kube.allocate(1000)) == 1000 || true`)
	_, err := ok(t.Context(), request(interpreter.InterpretHealth))
	require.NoError(t, err)
	tooMuch := compile(t, engine, interpreter.InterpretHealth, `size(kube.allocate(2000000)) == 1 || true`)
	_, err = tooMuch(t.Context(), request(interpreter.InterpretHealth))
	var over *interpreter.BudgetError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, interpreter.BudgetMemory, over.Budget)
	assert.Equal(t, "1Mi", over.Limit)
}

// TestLibraryInALoop proves that a loop pays for what it hands to the library, which may copy it.
func TestLibraryInALoop(t *testing.T) {
	functions := []kube.Function{{
		Name: "copy", Params: []kube.Param{{Name: "value", Type: kube.Any}},
		Call: func(_ *kube.Call, args []any) (any, error) { return runtime.DeepCopyJSONValue(args[0]), nil },
	}}
	limits := script.Limits{Timeout: time.Minute}.WithDefaults()
	engine, err := cel.New(limits, functions)
	require.NoError(t, err)
	req := request(interpreter.InterpretStatus)
	big := make([]any, 2000)
	for i := range big {
		big[i] = map[string]any{"name": fmt.Sprint(i), "labels": map[string]any{"a": "b"}}
	}
	req.Object.Object["big"] = big
	rule := compile(t, engine, interpreter.InterpretStatus, `{"a": lists.range(1000).map(i, kube.copy(object))}`)
	allocated := allocation(func() { _, err = rule(t.Context(), req) })
	var over *interpreter.BudgetError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, interpreter.BudgetMemory, over.Budget)
	assert.Less(t, allocated, uint64(6*limits.Memory))
}

// TestNext asks the rest of the chain: only when it is used, once, in the shape of the operation's result.
func TestNext(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	asked := 0
	behind := func(resp *interpreter.Response, err error) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			asked++
			return resp, err
		}
	}
	gone := errors.New("gone")
	for _, tc := range []struct {
		reason string
		op     interpreter.Operation
		text   string
		next   interpreter.Rule
		want   interpreter.Response
		err    error
		asked  int
	}{
		{"unused", interpreter.InterpretHealth, `true || next.state == "Healthy"`, behind(nil, gone), interpreter.Response{Health: interpreter.Health{State: interpreter.Healthy}}, nil, 0},
		{
			"used twice", interpreter.InterpretHealth, `next.state == "Suspended" ? next : {"state": "Unknown"}`,
			behind(&interpreter.Response{Health: interpreter.Health{State: interpreter.Suspended, Message: "m"}}, nil),
			interpreter.Response{Health: interpreter.Health{State: interpreter.Suspended, Message: "m"}}, nil, 1,
		},
		{"nobody", interpreter.InterpretHealth, `next == null`, behind(nil, fmt.Errorf("x: %w", interpreter.ErrNotHandled)), interpreter.Response{Health: interpreter.Health{State: interpreter.Healthy}}, nil, 1},
		{"an error that || would absorb", interpreter.InterpretHealth, `next.state == "x" || true`, behind(nil, gone), interpreter.Response{}, gone, 1},
		{"replicas", interpreter.InterpretReplica, `next.replicas + 1`, behind(&interpreter.Response{Replicas: 2}, nil), interpreter.Response{Replicas: 3}, nil, 1},
		{
			"an object, changed", interpreter.ReviseReplica, `{"spec": {"text": string(next.spec.replicas)}}`,
			behind(&interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["replicas"] = int64(8) })}, nil),
			interpreter.Response{Object: changed(func(o map[string]any) { spec(o)["text"] = "8" })}, nil, 1,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			asked = 0
			rule := interpreter.First(compile(t, engine, tc.op, tc.text), tc.next)
			resp, err := rule(t.Context(), request(tc.op))
			assert.Equal(t, tc.asked, asked)
			if tc.err != nil {
				require.ErrorIs(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, *resp)
		})
	}
}

// TestConcurrent runs one program from many goroutines; with the race detector it proves that a program has no state.
func TestConcurrent(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	const text = `{"spec": {"replicas": replicas, "l": object.metadata.labels.map(k, k), "q": quantity("1Gi").add(quantity("1")).isGreaterThan(quantity("1.5Gi")), "m": object.spec.text.matches("^h")}}`
	rule := compile(t, engine, interpreter.ReviseReplica, text)
	failing := compile(t, engine, interpreter.InterpretHealth, `object.status.absent == 1`)
	want, err := rule(t.Context(), request(interpreter.ReviseReplica))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got, err := rule(t.Context(), request(interpreter.ReviseReplica))
				assert.Equal(t, want, got, err)
				_, err = failing(t.Context(), request(interpreter.InterpretHealth))
				assert.Contains(t, fmt.Sprint(err), "object.status.absent is absent")
				_, _, err = engine.Compile(source(interpreter.InterpretHealth, text))
				assert.Contains(t, fmt.Sprint(err), "there is no variable replicas")
			}
		})
	}
	wg.Wait()
}

func TestNew(t *testing.T) {
	for _, tc := range []struct {
		reason    string
		functions []kube.Function
		err       string
	}{
		{"none", nil, ""},
		{"two of one name", []kube.Function{{Name: "a"}, {Name: "b", Aliases: []string{"a"}}}, "kube.a: there are two functions of this name"},
		{"no name", []kube.Function{{}}, "a function has no name"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := cel.New(script.Limits{}, tc.functions)
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.err)
		})
	}
	engine := newEngine(t, script.Limits{})
	_, _, err := engine.Compile(source("Nothing", "1"))
	require.ErrorContains(t, err, "unknown operation")
}

// FuzzCompile proves that no text crashes the compiler or a run, and that what is wrong has a place in the text.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`object.spec.replicas`, `{"spec": {"replicas": replicas}}`, `[1, 2].map(x, x * 2).exists(y, y > 2)`, `object.?a[?"b"].optMap(x, x).orValue(1)`,
		"'\\u00e9' + r'\\' + \"\"\"a\n\"\"\" // comment\n", "`", "cel.bind(a, 1, a)", `kube.first(object, 1)`, `"%s".format([object])`, `next == null`,
		`[{"op": "add", "path": "/a/b", "value": 1}]`, `has(object.a) && object.b.c`, `object.a.b("x").c`, `1u + 2.0`, `b"x"`,
	} {
		f.Add(seed)
	}
	engine := newEngine(f, script.Limits{Steps: 20_000, Memory: 1 << 20})
	f.Fuzz(func(t *testing.T, text string) {
		for _, info := range interpreter.Operations() {
			rule, _, err := engine.Compile(source(info.Operation, text))
			if err != nil {
				var problems script.Problems
				require.ErrorAs(t, err, &problems)
				require.NotEmpty(t, problems)
				for _, p := range problems {
					require.NotEmpty(t, p.Message)
					_ = p.Error()
				}
				continue
			}
			req := request(info.Operation)
			before := req.Object.DeepCopy()
			if resp, err := rule(t.Context(), req); err == nil {
				require.NoError(t, interpreter.Validate(req, resp))
			}
			require.Equal(t, before, req.Object)
		}
	})
}
