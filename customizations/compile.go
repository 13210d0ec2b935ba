package customizations

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Options say how a Set compiles.
type Options struct {
	// Link is the link of the chain that the rules belong to, as explanations and errors name it.
	Link string
	// Engines compile the scripts of their languages.
	Engines map[script.Language]script.Engine
	// Lazy compiles each rule when it is first asked instead of when its customization arrives. It is for rules that are
	// known to be right: mistakes then surface late.
	Lazy bool
}

// compiled is a customization with its rules. It is immutable.
type compiled struct {
	Customization
	target    Target
	targetErr error
	rules     []*rule // by operation; nil for none
}

func (c *compiled) name() string { return c.Object.Name }

// same tells whether compiling d again would give c.
func (c *compiled) same(d Customization) bool {
	return c.File == d.File && c.Line == d.Line && maps.Equal(c.Lines, d.Lines) && maps.EqualFunc(c.Folded, d.Folded, slices.Equal) &&
		(c.Object == d.Object || equality.Semantic.DeepEqual(c.Object.Spec, d.Object.Spec))
}

// rule is one rule of a customization.
type rule struct {
	source *script.Source
	// load returns the rule as its engine compiled it, always the same; done is that once it was called.
	load func() loaded
	done atomic.Pointer[loaded]
	// answer is the rule as it is asked: it declines objects that the target does not select.
	answer interpreter.Rule
}

type loaded struct {
	rule     interpreter.Rule
	warnings script.Problems
	err      error
}

func (r *rule) explain() interpreter.Source {
	source := r.source.Source()
	source.Err = r.load().err
	return source
}

// compile compiles c, all of its rules unless o.Lazy.
func (o *Options) compile(c Customization) *compiled {
	out := &compiled{Customization: c, rules: make([]*rule, len(operations))}
	out.target, out.targetErr = ParseTarget(c.Object.Spec.Target)
	for i := range operations {
		source := c.source(i, o.Link, out.target.condition())
		if source == nil {
			continue
		}
		r := &rule{source: source}
		r.load = sync.OnceValue(func() loaded {
			l := o.load(out, i, source)
			r.done.Store(&l)
			return l
		})
		if !o.Lazy {
			r.load()
		}
		r.answer = r.answerer(out.target, o.Lazy)
		out.rules[i] = r
	}
	return out
}

func (o *Options) load(c *compiled, operation int, source *script.Source) loaded {
	fail := func(err error) loaded {
		problem := &script.Problem{Severity: script.Error, Source: source, Message: err.Error(), Err: err}
		return loaded{err: script.Problems{problem}}
	}
	s := *operations[operation].Script(&c.Object.Spec.Customizations)
	switch {
	case c.targetErr != nil:
		return fail(c.targetErr)
	case s.LuaScript != "" && s.CELExpression != "":
		return fail(errBoth)
	}
	engine, ok := o.Engines[source.Language]
	if !ok {
		return fail(fmt.Errorf("there is no engine for %s", source.Language))
	}
	rule, warnings, err := engine.Compile(source)
	return loaded{rule: rule, warnings: warnings, err: err}
}

// answerer returns the interpreter.Rule of r for objects that target selects.
func (r *rule) answerer(target Target, lazy bool) interpreter.Rule {
	answer := func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		l := r.load()
		if l.err != nil {
			return nil, r.fail(ctx, l.err)
		}
		return l.rule(ctx, req)
	}
	if !lazy {
		if l := r.load(); l.err == nil {
			answer = l.rule
		}
	}
	if target.Selector == nil {
		return answer
	}
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		if !target.matches(req.Object) {
			return nil, interpreter.ErrNotHandled
		}
		return answer(ctx, req)
	}
}

// fail tells the trace that r answers with its load error, and returns it.
func (r *rule) fail(ctx context.Context, err error) error {
	if t := interpreter.TraceOf(ctx); t != nil && t.Answered != nil {
		t.Answered(r.explain(), err)
	}
	return err
}

// problems returns everything that is wrong with c's rules, errors and warnings, in the order of the operations. It
// compiles what is not compiled yet.
func (c *compiled) problems() script.Problems {
	var out script.Problems
	for _, r := range c.rules {
		if r == nil {
			continue
		}
		l := r.load()
		if l.err != nil {
			out = append(out, asProblems(r.source, l.err)...)
			if c.targetErr != nil {
				return out
			}
		}
		out = append(out, l.warnings...)
	}
	return out
}

// asProblems returns err as problems of source's.
func asProblems(source *script.Source, err error) script.Problems {
	if problems, ok := err.(script.Problems); ok { //nolint:errorlint // engines return it unwrapped; anything else becomes a problem
		return slices.Clone(problems)
	}
	return script.Problems{{Severity: script.Error, Source: source, Message: err.Error(), Err: err}}
}
