package builtin_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

// scramble changes everything in v that can be changed in place, so that whoever shares memory with it shows.
func scramble(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			scramble(inner)
			v[key] = "scrambled"
		}
		v["scrambled"] = true
	case []any:
		for i, inner := range v {
			scramble(inner)
			v[i] = "scrambled"
		}
	}
}

// copyOf returns a copy of req that shares no memory with it.
func copyOf(req *interpreter.Request) *interpreter.Request {
	out := *req
	out.Object = req.Object.DeepCopy()
	if req.ObservedObject != nil {
		out.ObservedObject = req.ObservedObject.DeepCopy()
	}
	out.AggregatedStatus = slices.Clone(req.AggregatedStatus)
	for i, item := range out.AggregatedStatus {
		out.AggregatedStatus[i].Status = runtime.DeepCopyJSON(item.Status)
	}
	out.Targets = slices.Clone(req.Targets)
	return &out
}

// ask asks the chain, and holds it to what every answer must be: the request unchanged, the response valid, without memory
// of the request's, the same when asked again; nil beside an error.
func ask(t testing.TB, req *interpreter.Request) (*interpreter.Response, error) {
	t.Helper()
	before := copyOf(req)
	client := interpreter.Client{Interpreter: chain}
	resp, err := client.Do(t.Context(), req)
	again, errAgain := client.Do(t.Context(), copyOf(req))
	require.Equal(t, err, errAgain, "another error for the same request")
	if err != nil {
		require.Nil(t, resp, "an answer beside an error")
		require.NotEmpty(t, err.Error())
		return nil, err
	}
	require.Equal(t, again, resp, "another answer to the same request")
	require.NoError(t, interpreter.Validate(req, resp))
	if again.Object != nil {
		again, _ = client.Do(t.Context(), req)
		scramble(again.Object.Object)
	}
	if again.Status != nil {
		again, _ = client.Do(t.Context(), req)
		scramble(again.Status)
	}
	before.Kind, before.Name, before.Namespace = req.Kind, req.Name, req.Namespace
	require.Equal(t, before, req, "the request was modified, or the response shares memory with it")
	return resp, nil
}

// hold asks req, and holds the answer to the laws of its operation.
func hold(t testing.TB, req *interpreter.Request) {
	t.Helper()
	resp, err := ask(t, req)
	if err != nil {
		return
	}
	follow := func(change func(*interpreter.Request)) *interpreter.Response {
		next := copyOf(req)
		change(next)
		answer, err := ask(t, next)
		require.NoError(t, err)
		return answer
	}
	switch req.Operation {
	case interpreter.Retain:
		again := follow(func(r *interpreter.Request) { r.Object = resp.Object })
		require.Equal(t, resp.Object, again.Object, "retaining twice is not retaining once")
	case interpreter.AggregateStatus:
		again := follow(func(r *interpreter.Request) { r.Object = resp.Object })
		require.Equal(t, resp.Object, again.Object, "aggregating twice is not aggregating once")
		reversed := follow(func(r *interpreter.Request) { slices.Reverse(r.AggregatedStatus) })
		require.Equal(t, resp.Object, reversed.Object, "the order of the members matters")
	case interpreter.InterpretReplica:
		components := follow(func(r *interpreter.Request) { r.Operation = interpreter.InterpretComponent }).Components
		require.Len(t, components, 1)
		require.Equal(t, resp.Replicas, components[0].Replicas)
		require.Equal(t, resp.ReplicaRequirements == nil, components[0].ReplicaRequirements == nil)
	case interpreter.ReviseReplica:
		holdRevision(t, req, resp.Object)
	case interpreter.InterpretStatus:
		if _, err := ask(t, &interpreter.Request{
			Operation: interpreter.AggregateStatus, Object: template(req.Object),
			AggregatedStatus: []interpreter.StatusItem{{ClusterName: "member1", Status: resp.Status}},
		}); err != nil {
			// What is wrong in the member was collected as it was; the error must say whose it is.
			if !errors.Is(err, interpreter.ErrNotHandled) {
				require.ErrorContains(t, err, "member1: status.")
			}
		}
	default:
	}
}

// template returns the object that observed could have been made from.
func template(observed *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetAPIVersion(observed.GetAPIVersion())
	out.SetKind(observed.GetKind())
	if kind, ok := observed.Object["spec"].(map[string]any); ok {
		out.Object["spec"] = map[string]any{"type": kind["type"]}
	}
	return out
}

// holdRevision wants the revised object to have the number of replicas that was asked for, unless it has no place for one,
// or, a Job, needs fewer.
func holdRevision(t testing.TB, req *interpreter.Request, revised *unstructured.Unstructured) {
	t.Helper()
	answer, err := ask(t, &interpreter.Request{Operation: interpreter.InterpretReplica, Object: revised})
	if err != nil {
		return // something else in the object is wrong, which revising does not read
	}
	field := "replicas"
	if revised.GetKind() == "Job" {
		field = "parallelism"
	}
	if was, ok, _ := unstructured.NestedFieldNoCopy(req.Object.Object, "spec", field); !ok || was == nil {
		return
	}
	want := req.DesiredReplicas
	if completions, ok, _ := unstructured.NestedInt64(revised.Object, "spec", "completions"); ok && revised.GetKind() == "Job" {
		want = min(want, int32(completions))
	}
	require.Equal(t, want, answer.Replicas)
}

// questions returns every question of the cases, and the same objects asked about with every other operation.
func questions(t testing.TB) []*interpreter.Request {
	t.Helper()
	var out []*interpreter.Request
	for _, c := range loadCases(t) {
		req := c.Request()
		for _, op := range interpreter.Operations() {
			other := *req
			other.Operation = op.Operation
			if op.Takes(interpreter.InputObserved) && other.ObservedObject == nil {
				other.ObservedObject = req.Object
			}
			out = append(out, &other)
		}
	}
	return out
}

func TestLaws(t *testing.T) {
	for _, req := range questions(t) {
		hold(t, copyOf(req))
	}
}

// TestLawsOnDamagedObjects damages one value after the other of every question's objects, at random: whatever happens, it is
// an answer that keeps the laws or an error.
func TestLawsOnDamagedObjects(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	for i, req := range questions(t) {
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(i), uint64(round)))
			damaged := copyOf(req)
			for range 1 + r.IntN(3) {
				damageOne(r, damaged)
			}
			hold(t, damaged)
		}
	}
}

func damageOne(r *rand.Rand, req *interpreter.Request) {
	parts := []map[string]any{req.Object.Object}
	if req.ObservedObject != nil {
		parts = append(parts, req.ObservedObject.Object)
	}
	for _, item := range req.AggregatedStatus {
		parts = append(parts, item.Status)
	}
	damage(r, parts[r.IntN(len(parts))])
}

// damage replaces or removes one value of m or below; the identity of an object stays.
func damage(r *rand.Rand, m map[string]any) {
	keys := make([]string, 0, len(m))
	for key := range m {
		if key != "apiVersion" && key != "kind" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return
	}
	slices.Sort(keys)
	key := keys[r.IntN(len(keys))]
	switch inner := m[key].(type) {
	case map[string]any:
		if len(inner) > 0 && r.IntN(4) > 0 {
			damage(r, inner)
			return
		}
	case []any:
		if len(inner) > 0 && r.IntN(4) > 0 {
			i := r.IntN(len(inner))
			if element, ok := inner[i].(map[string]any); ok && r.IntN(3) > 0 {
				damage(r, element)
			} else {
				inner[i] = anything(r)
			}
			return
		}
	}
	if r.IntN(8) == 0 {
		delete(m, key)
		return
	}
	m[key] = anything(r)
}

func anything(r *rand.Rand) any {
	return []any{
		nil, true, int64(-1), int64(0), int64(7), int64(1) << 40, 1.5, "", "x", "12", "2026-01-01T00:00:00Z",
		[]any{}, []any{nil}, []any{"x"}, map[string]any{}, map[string]any{"x": nil},
	}[r.IntN(16)]
}

// FuzzOperations asks every operation of every kind about an arbitrary object.
func FuzzOperations(f *testing.F) {
	for i, c := range loadCases(f) {
		req := c.Request()
		data, err := utiljson.Marshal(req.Object.Object)
		require.NoError(f, err)
		other := []byte(`{"spec":{}}`)
		if len(req.AggregatedStatus) > 0 {
			other, err = utiljson.Marshal(map[string]any{"status": req.AggregatedStatus[0].Status})
			require.NoError(f, err)
		}
		f.Add(uint8(i%len(builtin.Kinds())), data, other)
	}
	f.Fuzz(func(t *testing.T, index uint8, data, otherData []byte) {
		var object, other map[string]any
		if utiljson.Unmarshal(data, &object) != nil || utiljson.Unmarshal(otherData, &other) != nil || object == nil || other == nil {
			return
		}
		gvk := builtin.Kinds()[int(index)%len(builtin.Kinds())]
		for _, o := range []map[string]any{object, other} {
			o["apiVersion"], o["kind"] = gvk.GroupVersion().String(), gvk.Kind
		}
		status, _ := other["status"].(map[string]any)
		for _, op := range interpreter.Operations() {
			req := copyOf(&interpreter.Request{
				Operation: op.Operation, Object: &unstructured.Unstructured{Object: object}, DesiredReplicas: 3,
				ObservedObject:   &unstructured.Unstructured{Object: other},
				AggregatedStatus: []interpreter.StatusItem{{ClusterName: "member1", Status: status}, {ClusterName: "member2"}},
			})
			hold(t, req)
		}
		builtin.Prune(&unstructured.Unstructured{Object: object})
	})
}

func TestDuplicateClusters(t *testing.T) {
	_, err := ask(t, &interpreter.Request{
		Operation: interpreter.AggregateStatus,
		Object:    object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}`),
		AggregatedStatus: []interpreter.StatusItem{
			{ClusterName: "member1", Status: map[string]any{}}, {ClusterName: "member1", Status: map[string]any{}},
		},
	})
	require.EqualError(t, err, `AggregateStatus apps/v1 Deployment web: aggregatedStatus: cluster "member1" appears twice: want one item for each cluster`)
}

func TestExplain(t *testing.T) {
	for _, gvk := range builtin.Kinds() {
		for _, op := range interpreter.Operations() {
			sources := builtin.Interpreter{}.Explain(gvk, op.Operation)
			if (builtin.Interpreter{}).Lookup(gvk, op.Operation) == nil {
				assert.Empty(t, sources)
				continue
			}
			assert.Equal(t, []interpreter.Source{{Link: "builtin", Name: gvk.Kind, Language: "go"}}, sources)
		}
	}
	gvk := builtin.Kinds()[0]
	sources := interpreter.Explain(chain, gvk, interpreter.InterpretHealth)
	assert.Equal(t, "builtin Deployment (go), generic (go)", fmt.Sprintf("%s, %s", sources[0], sources[1]))

	var told []interpreter.Source
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Answered: func(s interpreter.Source, _ error) { told = append(told, s) }})
	_, err := interpreter.Client{Interpreter: chain}.InterpretHealth(ctx, object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}`))
	require.NoError(t, err)
	assert.Equal(t, sources[:1], told)
}
