package lua_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// ask asks a chain of a script and, unless it is nil, a rule behind it.
func ask(t *testing.T, e *lua.Engine, op interpreter.Operation, text string, next interpreter.Rule) (*interpreter.Response, error) {
	t.Helper()
	chain := interpreter.Chain{
		interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
			return compiled(t, e, source(op, text))
		}),
		interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return next }),
	}
	req := &interpreter.Request{Operation: op, Object: object(t, "rollout"), ObservedObject: object(t, "rollout"), DesiredReplicas: 3,
		AggregatedStatus: []interpreter.StatusItem{{ClusterName: "m1", Status: map[string]any{"replicas": int64(1)}}}}
	return interpreter.Client{Interpreter: chain}.Do(t.Context(), req)
}

func answers(resp *interpreter.Response) interpreter.Rule {
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return resp, nil }
}

// TestNextReturnsWhatTheFunctionWould holds that "return kube.next()" hands on any answer as it is.
func TestNextReturnsWhatTheFunctionWould(t *testing.T) {
	requirements := workv1alpha2.ReplicaRequirements{
		ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1")},
		NodeClaim:       &workv1alpha2.NodeClaim{NodeSelector: map[string]string{"a": "b"}},
	}
	responses := map[interpreter.Operation]*interpreter.Response{
		interpreter.InterpretReplica:    {Replicas: 4, ReplicaRequirements: &requirements},
		interpreter.InterpretComponent:  {Components: []workv1alpha2.Component{{Name: "a", Replicas: 1}}},
		interpreter.ReviseReplica:       {Object: object(t, "rollout")},
		interpreter.Retain:              {Object: object(t, "rollout")},
		interpreter.AggregateStatus:     {Object: object(t, "rollout")},
		interpreter.InterpretStatus:     {Status: map[string]any{"big": int64(1<<60 + 1), "null": nil, "e": map[string]any{}}},
		interpreter.InterpretHealth:     {Health: interpreter.Health{State: interpreter.Progressing, Message: "soon"}},
		interpreter.InterpretDependency: {Dependencies: []configv1alpha1.DependentObjectReference{{APIVersion: "v1", Kind: "Secret", Name: "a"}}},
	}
	for _, info := range interpreter.Operations() {
		t.Run(string(info.Operation), func(t *testing.T) {
			want := responses[info.Operation]
			require.NotNil(t, want)
			text := `local kube = require("kube") function ` + info.Function + `(...) return kube.next() end`
			got, err := ask(t, newEngine(), info.Operation, text, answers(want))
			require.NoError(t, err)
			wantText, gotText := encoded(t, info.Operation, want), encoded(t, info.Operation, got)
			assert.JSONEq(t, wantText, gotText)
			if want.Object != nil {
				scribble(got.Object.Object)
				unchanged := object(t, "rollout")
				assert.Equal(t, want.Object, unchanged, "the answer shares memory with that of the next rule")
			}
		})
	}
}

func TestNextIsNilWhenNobodyAnswers(t *testing.T) {
	text := `local kube = require("kube") function InterpretHealth(obj) return kube.next() == nil and select("#", kube.next()) == 1 end`
	resp, err := ask(t, newEngine(), interpreter.InterpretHealth, text, nil)
	require.NoError(t, err)
	assert.True(t, resp.Health.Healthy())
}

func TestNextFails(t *testing.T) {
	cause := errors.New("the reason")
	fails := func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return nil, cause }
	_, err := ask(t, newEngine(), interpreter.InterpretHealth, "local kube = require('kube')\nfunction InterpretHealth(obj)\nreturn kube.next()\nend", fails)
	require.ErrorIs(t, err, cause)
	require.ErrorContains(t, err, "test.healthInterpretation:3: kube.next: the reason")
}

// TestNextTakesOtherInputs holds that arguments take the place of the request's inputs, and that those that the script did
// not change are handed on as they are.
func TestNextTakesOtherInputs(t *testing.T) {
	var asked *interpreter.Request
	next := func(_ context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		asked = req
		return &interpreter.Response{Object: req.Object.DeepCopy()}, nil
	}
	resp, err := ask(t, newEngine(), interpreter.ReviseReplica, `local kube = require("kube")
		function ReviseReplica(obj, n)
		  obj.spec.paused = true
		  return kube.next(obj, n + 1, {cluster = "m1", targets = {{name = "m1", replicas = 4}}})
		end`, next)
	require.NoError(t, err)
	assert.EqualValues(t, 4, asked.DesiredReplicas)
	assert.Equal(t, "m1", asked.Cluster)
	assert.Equal(t, []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 4}}, asked.Targets)
	paused, _, _ := unstructured.NestedBool(resp.Object.Object, "spec", "paused")
	assert.True(t, paused)

	_, err = ask(t, newEngine(), interpreter.AggregateStatus, `local kube = require("kube")
		function AggregateStatus(obj, items)
		  table.insert(items, {clusterName = "m2", applied = true, status = {replicas = 2}})
		  return kube.next(nil, items)
		end`, next)
	require.NoError(t, err)
	require.Len(t, asked.AggregatedStatus, 2)
	assert.Equal(t, interpreter.StatusItem{ClusterName: "m2", Applied: true, Status: map[string]any{"replicas": int64(2)}}, asked.AggregatedStatus[1])

	for text, want := range map[string]string{
		`kube.next(1)`:                    "kube.next: object: want an object, got 1",
		`kube.next(obj, 2.5)`:             "kube.next: replicas: want a whole number, got 2.5",
		`kube.next(obj, -1)`:              "kube.next: replicas: want at least 0, got -1",
		`kube.next(obj, 1, {}, 4)`:        "kube.next: want at most 3 arguments, got 4",
		`kube.next({kind = "K"})`:         "kube.next: object.apiVersion: want a group and version, got none",
		`kube.next(obj, 1, {clusters=1})`: "kube.next: context.clusters: unknown field",
	} {
		_, err := ask(t, newEngine(), interpreter.ReviseReplica, `local kube = require("kube") function ReviseReplica(obj) return `+text+` end`, next)
		assert.ErrorContains(t, err, want)
	}
}

// TestNextIsNotCharged holds that neither time nor instructions of the next rule are the asker's.
func TestNextIsNotCharged(t *testing.T) {
	clock := time.Unix(0, 0)
	e := lua.NewTimed(script.Limits{Steps: 1000, Timeout: time.Second}, kube.Functions(), func() time.Time { return clock })
	inner := compiled(t, e, source(interpreter.InterpretHealth, inHealth(`for i = 1, 900 do end`)))
	slow := func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		_, deadline := ctx.Deadline()
		assert.False(t, deadline, "the next rule has the caller's context")
		clock = clock.Add(time.Hour)
		return inner(ctx, req)
	}
	text := `local kube = require("kube") function InterpretHealth(obj) local state = kube.next() for i = 1, 900 do end return state end`
	resp, err := ask(t, e, interpreter.InterpretHealth, text, slow)
	require.NoError(t, err)
	assert.True(t, resp.Health.Healthy())
}

func TestContextOfPlacement(t *testing.T) {
	text := `function ReviseReplica(obj, n, context)
		obj.spec.replicas = n
		obj.spec.cluster = context.cluster
		obj.spec.share = context.targets[2].replicas
		return obj
	end`
	req := &interpreter.Request{
		Operation: interpreter.ReviseReplica, Object: object(t, "rollout"), DesiredReplicas: 5, Cluster: "m2",
		Targets: []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 1}, {Name: "m2", Replicas: 5}},
	}
	require.NoError(t, req.Complete())
	resp, err := compiled(t, shared, source(interpreter.ReviseReplica, text))(t.Context(), req)
	require.NoError(t, err)
	spec, _, _ := unstructured.NestedMap(resp.Object.Object, "spec")
	assert.Equal(t, "m2", spec["cluster"])
	assert.EqualValues(t, 5, spec["share"])
}
