package interpreter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

var deployment = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

func object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "default"},
	}}
}

// always returns an interpreter with the same rule for everything.
func always(rule interpreter.Rule) interpreter.Interpreter {
	return interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return rule })
}

func says(message string) interpreter.Rule {
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return &interpreter.Response{Health: interpreter.Health{State: interpreter.Healthy, Message: message}}, nil
	}
}

func fails(err error) interpreter.Rule {
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return nil, err }
}

// extends asks Next and puts its own name before the answer.
func extends(name string) interpreter.Rule {
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		resp, err := interpreter.Next(ctx, req)
		if errors.Is(err, interpreter.ErrNotHandled) {
			return says(name+">nobody")(ctx, req)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		resp.Health.Message = name + ">" + resp.Health.Message
		return resp, nil
	}
}

func TestChain(t *testing.T) {
	declines := fails(fmt.Errorf("not mine: %w", interpreter.ErrNotHandled))
	broken := errors.New("broken")
	nothing := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return nil })

	for _, tc := range []struct {
		reason string
		chain  interpreter.Chain
		want   string
		err    error
	}{
		{reason: "an empty chain answers nothing", chain: nil, err: interpreter.ErrNotHandled},
		{reason: "a link without a rule is passed over", chain: interpreter.Chain{nothing, always(says("a"))}, want: "a"},
		{reason: "the first rule decides", chain: interpreter.Chain{always(says("a")), always(says("b"))}, want: "a"},
		{reason: "a rule may decline", chain: interpreter.Chain{always(declines), always(says("b"))}, want: "b"},
		{reason: "all may decline", chain: interpreter.Chain{always(declines), always(declines)}, err: interpreter.ErrNotHandled},
		{reason: "an error is final", chain: interpreter.Chain{always(fails(broken)), always(says("b"))}, err: broken},
		{
			reason: "not ready is an error, not another link's answer",
			chain:  interpreter.Chain{always(fails(interpreter.ErrNotReady)), always(says("b"))}, err: interpreter.ErrNotReady,
		},
		{reason: "a rule may ask the next link", chain: interpreter.Chain{always(extends("a")), always(says("b"))}, want: "a>b"},
		{reason: "the last one has no next", chain: interpreter.Chain{always(extends("a"))}, want: "a>nobody"},
		{
			reason: "next passes over those that decline",
			chain:  interpreter.Chain{always(extends("a")), always(declines), always(says("c"))}, want: "a>c",
		},
		{
			reason: "next goes through every candidate of a link, then on to the next link",
			chain: interpreter.Chain{
				always(interpreter.First(extends("a1"), extends("a2"))), always(extends("b")), always(says("c")),
			},
			want: "a1>a2>b>c",
		},
		{
			reason: "a candidate that declines inside next does not end the chain",
			chain: interpreter.Chain{
				always(interpreter.First(extends("a1"), declines)), always(says("b")),
			},
			want: "a1>b",
		},
		{
			reason: "chains nest", want: "a>b>c",
			chain: interpreter.Chain{
				interpreter.Chain{always(extends("a")), always(extends("b"))}, interpreter.Chain{always(says("c"))},
			},
		},
		{reason: "an error behind next is final", chain: interpreter.Chain{always(extends("a")), always(fails(broken))}, err: broken},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			health, err := interpreter.Client{Interpreter: tc.chain}.InterpretHealth(t.Context(), object())
			if tc.err != nil {
				require.ErrorIs(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, health.Message)
		})
	}
}

func TestChainLookupIsNilWhenNobodyCanAnswer(t *testing.T) {
	nothing := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return nil })
	assert.Nil(t, interpreter.Chain{nothing, interpreter.Chain{}}.Lookup(deployment, interpreter.Retain))
	assert.Nil(t, interpreter.First())
}

// The clock of these tests is synctest's: it moves only when everybody waits.
func TestNextStopsTheAskersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			time.Sleep(time.Hour)
			return says("slow")(ctx, req)
		}
		asks := func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			resp, err := interpreter.Next(ctx, req)
			if ctx.Err() != nil {
				return nil, fmt.Errorf("the asker's time ran out while the next rule worked: %w", ctx.Err())
			}
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			if ctx.Err() != nil {
				return nil, fmt.Errorf("the asker's own time was shortened: %w", ctx.Err())
			}
			time.Sleep(60 * time.Millisecond)
			synctest.Wait()
			if ctx.Err() == nil {
				return nil, errors.New("the asker's clock never went on")
			}
			return resp, err
		}
		chain := interpreter.Chain{
			interpreter.Wrap(always(asks), interpreter.Timeout(100*time.Millisecond)), always(slow),
		}
		health, err := interpreter.Client{Interpreter: chain}.InterpretHealth(t.Context(), object())
		require.NoError(t, err)
		assert.Equal(t, "slow", health.Message)
	})
}

func TestTimeoutEndsARuleThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, _ *interpreter.Request) (*interpreter.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		i := interpreter.Wrap(always(waits), interpreter.Timeout(time.Hour))
		_, err := interpreter.Client{Interpreter: i}.InterpretHealth(t.Context(), object())
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestExplainNamesSourcesInTheOrderTheyAreAsked(t *testing.T) {
	chain := interpreter.Chain{
		explained{always(says("a")), interpreter.Source{Link: "customizations", Name: "mine", Field: "healthInterpretation", Language: "cel"}},
		interpreter.Wrap(explained{always(says("b")), interpreter.Source{Link: "builtin", Name: "Deployment", Language: "go"}}),
		always(says("c")),
	}
	var got []string
	for _, s := range chain.Explain(deployment, interpreter.InterpretHealth) {
		got = append(got, s.String())
	}
	assert.Equal(t, []string{"customizations mine.healthInterpretation (cel)", "builtin Deployment (go)", "interpreter.Func (go)"}, got)
}

type explained struct {
	interpreter.Interpreter
	source interpreter.Source
}

func (e explained) Explain(schema.GroupVersionKind, interpreter.Operation) []interpreter.Source {
	return []interpreter.Source{e.source}
}
