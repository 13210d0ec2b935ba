package customizations_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

type rics = []customizations.Customization

func TestCandidatesAreAskedInOrder(t *testing.T) {
	const gv, kind = "apps.example.com/v1", "Web"
	for _, tc := range []struct {
		reason string
		rics   rics
		labels []string
		want   int32
		err    error
	}{
		{reason: "an exact target answers", rics: rics{ric("a", gv, kind, "1")}, want: 1},
		{reason: "another version is another kind", rics: rics{ric("a", "apps.example.com/v2", kind, "1")}, err: interpreter.ErrNotHandled},
		{reason: "the first by name answers", rics: rics{ric("b", gv, kind, "2"), ric("a", gv, kind, "1")}, want: 1},
		{
			reason: "the first by name without a rule for the operation is passed over",
			rics:   rics{ric("a", gv, kind, "needs x"), ric("b", gv, kind, "2")}, want: 2,
		},
		{reason: "an empty script is an unset one", rics: rics{ric("a", gv, kind, ""), ric("b", gv, kind, "2")}, want: 2},
		{reason: "a selector goes before none", rics: rics{ric("a", gv, kind, "1"), ric("b", gv, kind, "2", "x")}, labels: []string{"x"}, want: 2},
		{reason: "a selector that does not match declines", rics: rics{ric("a", gv, kind, "1"), ric("b", gv, kind, "2", "x")}, labels: []string{"y"}, want: 1},
		{reason: "an object without labels matches no selector", rics: rics{ric("b", gv, kind, "2", "x")}, err: interpreter.ErrNotHandled},
		{reason: "the exact version goes before every version", rics: rics{ric("a", "apps.example.com/*", kind, "1"), ric("b", gv, kind, "2")}, want: 2},
		{reason: "every version goes before a suffix", rics: rics{ric("a", "*.example.com/*", kind, "1"), ric("b", "apps.example.com/*", kind, "2")}, want: 2},
		{reason: "a suffix answers", rics: rics{ric("a", "*.com/*", kind, "1")}, want: 1},
		{reason: "a suffix is not the group itself", rics: rics{ric("a", "*.apps.example.com/*", kind, "1")}, err: interpreter.ErrNotHandled},
		{reason: "a suffix ends at a dot", rics: rics{ric("a", "*.ample.com/*", kind, "1")}, err: interpreter.ErrNotHandled},
		{reason: "suffixes are equally precise: by name", rics: rics{ric("b", "*.example.com/*", kind, "2"), ric("a", "*.com/*", kind, "1")}, want: 1},
		{reason: "suffixes are equally precise: a selector first", rics: rics{ric("a", "*.example.com/*", kind, "1"), ric("b", "*.com/*", kind, "2", "x")}, labels: []string{"x"}, want: 2},
		{reason: "the kind goes before every kind, whatever the version", rics: rics{ric("a", gv, "*", "1"), ric("b", "*.com/*", kind, "2")}, want: 2},
		{reason: "a selector does not outdo a more precise kind", rics: rics{ric("a", gv, "*", "1", "x"), ric("b", gv, kind, "2")}, labels: []string{"x"}, want: 2},
		{reason: "every kind of every version", rics: rics{ric("a", "apps.example.com/*", "*", "1")}, want: 1},
		{reason: "a rule that declines passes the question on", rics: rics{ric("a", gv, kind, "decline"), ric("b", gv, kind, "2")}, want: 2},
		{reason: "next asks the following candidate", rics: rics{ric("a", gv, kind, "next"), ric("b", "apps.example.com/*", kind, "next"), ric("c", gv, "*", "3")}, want: 5},
		{reason: "next skips what does not match", rics: rics{ric("a", gv, kind, "next", "x"), ric("b", gv, kind, "9", "y"), ric("c", gv, kind, "3")}, labels: []string{"x"}, want: 4},
		{reason: "an error is final", rics: rics{ric("a", gv, kind, "fail"), ric("b", gv, kind, "2")}, err: errScript},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			for name, set := range map[string]*customizations.Set{
				"eager": customizations.New(options(&wordEngine{})).With(tc.rics...),
				"lazy":  customizations.New(customizations.Options{Lazy: true, Engines: options(&wordEngine{}).Engines}).With(tc.rics...),
			} {
				got, _, err := interpreter.Client{Interpreter: set}.InterpretReplica(t.Context(), object(gv, kind, tc.labels...))
				require.ErrorIs(t, err, tc.err, name)
				assert.Equal(t, tc.want, got, name)
			}
		})
	}
}

func TestDependenciesAreTheUnion(t *testing.T) {
	const gv, kind = "apps/v1", "Web"
	names := func(resp *interpreter.Response) (out []string) {
		for _, ref := range resp.Dependencies {
			out = append(out, ref.Name)
		}
		return out
	}
	for _, tc := range []struct {
		reason string
		rics   rics
		want   []string
		err    string
	}{
		{reason: "one", rics: rics{ric("a", gv, kind, "needs y,x")}, want: []string{"y", "x"}},
		{reason: "all candidates, each reference once, sorted", rics: rics{ric("a", gv, kind, "needs y,x"), ric("b", gv, "*", "needs z,x"), ric("c", gv, kind, "needs q", "other")}, want: []string{"x", "y", "z"}},
		{reason: "one error is the error of all", rics: rics{ric("a", gv, kind, "needs x"), ric("b", gv, kind, "needs nameless")}, err: "b.dependencyInterpretation: dependencies[0]: want a name or a labelSelector of the ConfigMap, got neither"},
		{reason: "nobody matches", rics: rics{ric("a", gv, kind, "needs x", "other"), ric("b", gv, kind, "needs x", "another")}, err: interpreter.ErrNotHandled.Error()},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			set := customizations.New(options(&wordEngine{})).With(tc.rics...)
			req := &interpreter.Request{Operation: interpreter.InterpretDependency, Object: object(gv, kind)}
			resp, err := set.Lookup(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind}, interpreter.InterpretDependency)(t.Context(), req)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, names(resp))
		})
	}
}

func TestRuleThatDoesNotLoadAnswersItsError(t *testing.T) {
	const gv, kind = "apps/v1", "Web"
	both := ric("a", gv, kind, "1")
	both.Object.Spec.Customizations.ReplicaResource.CELExpression = "2"
	selector := ric("a", gv, kind, "1")
	selector.Object.Spec.Target.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Near"}}}
	for _, tc := range []struct {
		reason string
		a      customizations.Customization
		want   string
	}{
		{"a script that does not compile", ric("a", gv, kind, "broken"), "broken"},
		{"both languages", both, "exactly one of luaScript and celExpression must be set, got both"},
		{"a selector that is none", selector, "spec.target.labelSelector"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			set := customizations.New(options(&wordEngine{})).With(ric("a", gv, kind, "7"), ric("b", gv, kind, "2"))
			set = set.With(tc.a)
			client := interpreter.Client{Interpreter: interpreter.Chain{set, set}}
			_, _, err := client.InterpretReplica(t.Context(), object(gv, kind))
			require.ErrorContains(t, err, tc.want, "neither the next rule, nor the previous version, nor the next link")

			problems := set.Problems("a")
			require.Len(t, problems, 1)
			assert.Equal(t, script.Error, problems[0].Severity)
			assert.Contains(t, problems.Error(), tc.want)
			assert.Empty(t, set.Problems("b"))

			sources := set.Explain(object(gv, kind).GroupVersionKind(), interpreter.InterpretReplica)
			require.Len(t, sources, 2)
			require.ErrorContains(t, sources[0].Err, tc.want)
			require.NoError(t, sources[1].Err)

			var traced error
			ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Answered: func(_ interpreter.Source, err error) { traced = err }})
			_, _, err = client.InterpretReplica(ctx, object(gv, kind))
			require.EqualError(t, errors.Unwrap(err), traced.Error())
		})
	}
}

func TestLabelledRuleThatDoesNotLoadDeclinesOtherObjects(t *testing.T) {
	set := customizations.New(options(&wordEngine{})).With(ric("a", "apps/v1", "Web", "broken", "x"), ric("b", "apps/v1", "Web", "2"))
	client := interpreter.Client{Interpreter: set}
	got, _, err := client.InterpretReplica(t.Context(), object("apps/v1", "Web", "y"))
	require.NoError(t, err)
	assert.EqualValues(t, 2, got)
	_, _, err = client.InterpretReplica(t.Context(), object("apps/v1", "Web", "x"))
	require.ErrorContains(t, err, "broken")
}

func TestProblemsHaveWarnings(t *testing.T) {
	set := customizations.New(options(&wordEngine{})).With(ric("a", "apps/v1", "Web", "warn"))
	require.Len(t, set.Problems("a"), 1)
	assert.Equal(t, script.Warning, set.Problems("a")[0].Severity)
	assert.Empty(t, set.Problems("nobody"))
}

func TestExplainNamesSourcesInOrder(t *testing.T) {
	set := customizations.New(options(&wordEngine{})).With(
		ric("plain", "apps/v1", "Web", "1"), ric("labelled", "apps/v1", "Web", "1", "x"), ric("wild", "apps/*", "*", "1"), ric("other", "apps/v1", "Other", "1"))
	var got []string
	for _, s := range set.Explain(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Web"}, interpreter.InterpretReplica) {
		got = append(got, s.String()+" "+s.Condition)
	}
	assert.Equal(t, []string{
		"customizations labelled.replicaResource (lua) unless the object's labels match app=x",
		"customizations plain.replicaResource (lua) ",
		"customizations wild.replicaResource (lua) ",
	}, got)
	assert.Nil(t, set.Explain(schema.GroupVersionKind{Kind: "Web"}, "Nothing"))
	assert.Nil(t, set.Lookup(schema.GroupVersionKind{Kind: "Web"}, "Nothing"))
}

// Whatever changes are made in whatever order, a set answers as one that was made of the same customizations at once.
func TestSuccessorsAnswerAsSetsMadeAnew(t *testing.T) {
	versions := []string{"apps.example.com/v1", "apps.example.com/*", "*.example.com/*", "*.com/*"}
	kinds := []string{"Web", "*"}
	set := customizations.New(options(&wordEngine{}))
	have := map[string]customizations.Customization{}
	for step := range 300 {
		name := fmt.Sprint("r", step*7%23)
		before, names := set, set.Names()
		if step%5 == 4 {
			set = set.Without(name, "nobody")
			delete(have, name)
		} else {
			c := ric(name, versions[step*3%len(versions)], kinds[step/2%2], fmt.Sprint(step))
			set = set.With(c)
			have[name] = c
		}
		assert.Equal(t, names, before.Names(), "the set that it came from does not change")
		var all rics
		for _, c := range have {
			all = append(all, c)
		}
		anew := customizations.New(options(&wordEngine{})).With(all...)
		require.Equal(t, anew.Names(), set.Names())
		require.Equal(t, anew.Len(), set.Len())
		want, _, wantErr := interpreter.Client{Interpreter: anew}.InterpretReplica(t.Context(), object(versions[0], "Web"))
		got, _, err := interpreter.Client{Interpreter: set}.InterpretReplica(t.Context(), object(versions[0], "Web"))
		require.Equal(t, want, got)
		require.Equal(t, wantErr == nil, err == nil)
	}
}

func TestOnlyWhatChangedIsCompiled(t *testing.T) {
	engine := &wordEngine{}
	var all rics
	for i := range 1000 {
		all = append(all, ric(fmt.Sprint("r", i), fmt.Sprintf("g%d.example.com/v1", i%100), "Web", "1"))
	}
	set := customizations.New(options(engine)).With(all...)
	require.EqualValues(t, 1000, engine.compiled.Load())
	for _, step := range []struct {
		reason string
		change func(*customizations.Set) *customizations.Set
		want   int64
	}{
		{"one changed", func(s *customizations.Set) *customizations.Set {
			return s.With(ric("r5", "g5.example.com/v1", "Web", "2"))
		}, 1},
		{"one added", func(s *customizations.Set) *customizations.Set {
			return s.With(ric("new", "g5.example.com/v1", "Web", "2"))
		}, 1},
		{"one removed", func(s *customizations.Set) *customizations.Set { return s.Without("r6") }, 0},
		{"the same again, as a resync brings it", func(s *customizations.Set) *customizations.Set {
			return s.With(ric("r7", "g7.example.com/v1", "Web", "1"))
		}, 0},
		{"the whole list again", func(s *customizations.Set) *customizations.Set { return s.Replaced(all...) }, 0},
		{"the same twice", func(s *customizations.Set) *customizations.Set { return s.With(all[7], all[7]) }, 0},
		{"nothing", func(s *customizations.Set) *customizations.Set { return s.With() }, 0},
	} {
		before := engine.compiled.Load()
		next := step.change(set)
		assert.Equal(t, step.want, engine.compiled.Load()-before, step.reason)
		assert.InDelta(t, 1000, next.Len(), 1, step.reason)
	}
	require.Len(t, set.Replaced(all[1:]...).Names(), 999, "what is not in the list goes")
}

func TestLazySetCompilesOnFirstUse(t *testing.T) {
	engine := &wordEngine{}
	set := customizations.New(customizations.Options{Lazy: true, Engines: options(engine).Engines}).With(ric("a", "apps/v1", "Web", "1"), ric("b", "apps/v1", "Other", "broken"))
	assert.Zero(t, engine.compiled.Load())
	for range 2 {
		_, _, err := interpreter.Client{Interpreter: set}.InterpretReplica(t.Context(), object("apps/v1", "Web"))
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, engine.compiled.Load())
	_, _, err := interpreter.Client{Interpreter: set}.InterpretReplica(t.Context(), object("apps/v1", "Other"))
	require.ErrorContains(t, err, "broken")
	assert.Len(t, set.Problems("b"), 1)
}

func TestLookupAllocatesNothing(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "g1.example.com", Version: "v1", Kind: "Web"}
	for name, set := range map[string]*customizations.Set{
		"exact targets": customizations.New(options(&wordEngine{})).With(ric("a", "g1.example.com/v1", "Web", "1")),
		"patterns":      customizations.New(options(&wordEngine{})).With(ric("a", "*.example.com/*", "*", "1")),
	} {
		require.NotNil(t, set.Lookup(gvk, interpreter.InterpretReplica), name)
		assert.Zero(t, testing.AllocsPerRun(100, func() { set.Lookup(gvk, interpreter.InterpretReplica) }), name)
	}
}

func TestLiveAnswersNotReadyUntilItHasASet(t *testing.T) {
	var live customizations.Live
	fallback := customizations.New(options(&wordEngine{})).With(ric("b", "apps/v1", "Web", "9"))
	client := interpreter.Client{Interpreter: interpreter.Chain{&live, fallback}}
	_, _, err := client.InterpretReplica(t.Context(), object("apps/v1", "Web"))
	require.ErrorIs(t, err, interpreter.ErrNotReady, "the next link must not answer instead")
	sources := live.Explain(schema.GroupVersionKind{}, interpreter.Retain)
	require.Len(t, sources, 1)
	require.ErrorIs(t, sources[0].Err, interpreter.ErrNotReady)
	assert.Nil(t, live.Load())

	set := customizations.New(options(&wordEngine{}))
	live.Store(set)
	got, _, err := client.InterpretReplica(t.Context(), object("apps/v1", "Web"))
	require.NoError(t, err)
	assert.EqualValues(t, 9, got, "an empty set has no rules")

	live.Store(set.With(ric("a", "apps/v1", "Web", "1")))
	got, _, err = client.InterpretReplica(t.Context(), object("apps/v1", "Web"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, got)
	assert.Len(t, live.Explain(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Web"}, interpreter.InterpretReplica), 1)
}

func TestTargetsThatAreNone(t *testing.T) {
	for _, tc := range []struct{ apiVersion, kind, want string }{
		{"", "Web", "spec.target.apiVersion"},
		{"*", "Web", "spec.target.apiVersion"},
		{"*/v1", "Web", "spec.target.apiVersion"},
		{"apps/v1/x", "Web", "spec.target.apiVersion"},
		{"*.com/v1", "Web", "spec.target.apiVersion"},
		{"Apps/v1", "Web", "spec.target.apiVersion"},
		{"v1", "", "spec.target.kind"},
		{"v1", "Web*", "spec.target.kind"},
	} {
		_, err := customizations.ParseTarget(configv1alpha1.CustomizationTarget{APIVersion: tc.apiVersion, Kind: tc.kind})
		require.ErrorContains(t, err, tc.want)
		c := ric("a", tc.apiVersion, tc.kind, "1")
		set := customizations.New(options(&wordEngine{})).With(c)
		require.ErrorContains(t, set.Problems("a"), tc.want)
		assert.Empty(t, set.Without("a").Names())
	}
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	set := customizations.New(options(&wordEngine{})).With(ric("a", "*.example.com/*", "*", "1"))
	done := make(chan error)
	for w := range 4 {
		go func() {
			var errs []error
			for i := range 200 {
				next := set.With(ric(fmt.Sprint("w", w), "g.example.com/v1", "Web", "2"))
				want := []int32{1, 2}
				for j, s := range []*customizations.Set{set, next} {
					got, _, err := interpreter.Client{Interpreter: s}.InterpretReplica(t.Context(), object("g.example.com/v1", "Web"))
					if err != nil || got != want[j] {
						errs = append(errs, fmt.Errorf("%d.%d: got %d, %w", w, i, got, err))
					}
				}
			}
			done <- errors.Join(errs...)
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	assert.Equal(t, []string{"a"}, slices.Clone(set.Names()))
}
