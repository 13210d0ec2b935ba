package customizations

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// errBoth is why a rule with scripts in both languages does not load.
var errBoth = errors.New("exactly one of luaScript and celExpression must be set, got both")

// Set is the compiled rules of any number of customizations. It is immutable and safe for concurrent use.
type Set struct {
	options *Options
	byName  shards[string, *compiled]
	// byTarget holds the candidates of each target, by the key of Target.Kind.
	byTarget shards[schema.GroupVersionKind, *candidates]
	count    int
	// patterns is how many customizations have a target that is not exact. Without any, byTarget alone answers.
	patterns int
	resolved *resolutions
}

var (
	_ interpreter.Interpreter = (*Set)(nil)
	_ interpreter.Explainer   = (*Set)(nil)
)

// New returns an empty Set whose successors compile as options say. Options.Engines must not be modified afterwards.
func New(options Options) *Set {
	return &Set{options: &options}
}

// candidates are customizations in the order in which they are asked, with the rule that asks them for each operation.
type candidates struct {
	members []*compiled
	rules   []interpreter.Rule // by operation; nil for none
}

func newCandidates(members []*compiled) *candidates {
	c := &candidates{members: members, rules: make([]interpreter.Rule, len(operations))}
	for i, info := range operations {
		var rules []*rule
		for _, m := range members {
			if m.rules[i] != nil {
				rules = append(rules, m.rules[i])
			}
		}
		switch {
		case len(rules) == 0:
		case info.Union && len(rules) > 1:
			c.rules[i] = union(rules)
		default:
			answers := make([]interpreter.Rule, len(rules))
			for i, r := range rules {
				answers[i] = r.answer
			}
			c.rules[i] = interpreter.First(answers...)
		}
	}
	return c
}

// union returns the rule that joins the references of all rules. Each runs in the context of the whole: what Next asks is
// what comes after all of them. It declines when all of them do; an error of one is the error of all.
func union(rules []*rule) interpreter.Rule {
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		refs := []configv1alpha1.DependentObjectReference{}
		handled := false
		for _, r := range rules {
			resp, err := r.answer(ctx, req)
			if errors.Is(err, interpreter.ErrNotHandled) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if err := interpreter.ValidateDependencies(resp.Dependencies); err != nil {
				return nil, fmt.Errorf("%s: %w", r.source.Name(), err)
			}
			handled = true
			refs = append(refs, resp.Dependencies...)
		}
		if !handled {
			return nil, interpreter.ErrNotHandled
		}
		return &interpreter.Response{Dependencies: interpreter.SortDependencies(refs)}, nil
	}
}

// Lookup returns the rule that asks every candidate for op on objects of kind gvk, in order, or nil when there is none.
func (s *Set) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	c := s.candidates(gvk)
	i := index(op)
	if c == nil || i < 0 {
		return nil
	}
	return c.rules[i]
}

// Explain returns the sources of the rules that Lookup's rule asks, in that order. A rule that did not load has its error.
func (s *Set) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	c := s.candidates(gvk)
	i := index(op)
	if c == nil || i < 0 {
		return nil
	}
	var out []interpreter.Source
	for _, m := range c.members {
		if m.rules[i] != nil {
			out = append(out, m.rules[i].explain())
		}
	}
	return out
}

// candidates returns the customizations that are about kind gvk; nil for none.
func (s *Set) candidates(gvk schema.GroupVersionKind) *candidates {
	if s.patterns == 0 {
		c, _ := s.byTarget.get(gvk)
		return c
	}
	return s.resolved.get(gvk, s.resolve)
}

// resolve finds the candidates for gvk by every key that can mean it.
func (s *Set) resolve(gvk schema.GroupVersionKind) *candidates {
	var members []*compiled
	sources := 0
	var only *candidates
	for _, keys := range precisions(gvk) {
		start := len(members)
		for _, key := range keys {
			if c, ok := s.byTarget.get(key); ok {
				sources++
				only = c
				members = append(members, c.members...)
			}
		}
		slices.SortFunc(members[start:], compareCandidates)
	}
	if sources == 1 {
		return only
	}
	return newCandidates(members)
}

// resolutions remembers the candidates of kinds that were asked, in a fixed number of slots: kinds that share a slot
// displace each other.
type resolutions struct {
	seed  maphash.Seed
	slots [1024]atomic.Pointer[resolution]
}

type resolution struct {
	gvk        schema.GroupVersionKind
	candidates *candidates
}

func (r *resolutions) get(gvk schema.GroupVersionKind, resolve func(schema.GroupVersionKind) *candidates) *candidates {
	slot := &r.slots[maphash.Comparable(r.seed, gvk)%uint64(len(r.slots))]
	if found := slot.Load(); found != nil && found.gvk == gvk {
		return found.candidates
	}
	c := resolve(gvk)
	slot.Store(&resolution{gvk: gvk, candidates: c})
	return c
}

// Len returns how many customizations s has.
func (s *Set) Len() int { return s.count }

// Names returns the names of the customizations, sorted.
func (s *Set) Names() []string {
	names := make([]string, 0, s.count)
	for name := range s.byName.all() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Get returns the customization called name.
func (s *Set) Get(name string) (Customization, bool) {
	c, ok := s.byName.get(name)
	if !ok {
		return Customization{}, false
	}
	return c.Customization, true
}

// Problems returns what is wrong with the rules of the customization called name, errors and warnings; nil when nothing
// is, or when there is no such customization. The rules that have errors answer with them; the others work.
func (s *Set) Problems(name string) script.Problems {
	c, ok := s.byName.get(name)
	if !ok {
		return nil
	}
	return c.problems()
}

// With returns the set with cs as well, each in place of the one with the same name. Those that are in s already, with
// the same spec, are not compiled again. s does not change.
func (s *Set) With(cs ...Customization) *Set {
	if len(cs) == 0 {
		return s
	}
	e := s.edit()
	for _, c := range s.compileAll(cs) {
		e.put(c)
	}
	return e.set()
}

// Without returns the set without the customizations called names. s does not change.
func (s *Set) Without(names ...string) *Set {
	e := s.edit()
	for _, name := range names {
		e.remove(name)
	}
	return e.set()
}

// Replaced returns the set that has exactly cs: those of s with the same spec as they are, no others. s does not change.
func (s *Set) Replaced(cs ...Customization) *Set {
	e := New(*s.options).edit()
	for _, c := range s.compileAll(cs) {
		e.put(c)
	}
	return e.set()
}

// compileAll compiles cs, on every processor, except those that s has already.
func (s *Set) compileAll(cs []Customization) []*compiled {
	out := make([]*compiled, len(cs))
	var todo []int
	for i, c := range cs {
		if old, ok := s.byName.get(c.Object.Name); ok && old.same(c) {
			out[i] = old
		} else {
			todo = append(todo, i)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(todo))
	if s.options.Lazy || workers < 2 {
		for _, i := range todo {
			out[i] = s.options.compile(cs[i])
		}
		return out
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(todo)); n = next.Add(1) - 1 {
				out[todo[n]] = s.options.compile(cs[todo[n]])
			}
		})
	}
	wg.Wait()
	return out
}

// setEdit makes a successor of a Set.
type setEdit struct {
	from     *Set
	byName   *shardsEdit[string, *compiled]
	count    int
	patterns int
	// touched are the names that came to or went from each target.
	touched map[schema.GroupVersionKind]map[string]bool
}

func (s *Set) edit() *setEdit {
	return &setEdit{
		from: s, byName: s.byName.edit(), count: s.count, patterns: s.patterns,
		touched: map[schema.GroupVersionKind]map[string]bool{},
	}
}

// put puts c in place of the customization of its name.
func (e *setEdit) put(c *compiled) {
	if old, ok := e.byName.get(c.name()); ok {
		if old == c {
			return
		}
		e.drop(old)
	}
	e.byName.set(c.name(), c)
	e.count++
	if !c.target.exact() {
		e.patterns++
	}
	e.touch(c)
}

func (e *setEdit) remove(name string) {
	if c, ok := e.byName.get(name); ok {
		e.byName.remove(name)
		e.drop(c)
	}
}

// drop takes c out of everything but byName.
func (e *setEdit) drop(c *compiled) {
	e.count--
	if !c.target.exact() {
		e.patterns--
	}
	e.touch(c)
}

func (e *setEdit) touch(c *compiled) {
	names := e.touched[c.target.Kind]
	if names == nil {
		names = map[string]bool{}
		e.touched[c.target.Kind] = names
	}
	names[c.name()] = true
}

// set returns the successor: the candidates of touched targets are made anew, everything else is shared.
func (e *setEdit) set() *Set {
	byTarget := e.from.byTarget.edit()
	for key, names := range e.touched {
		var members []*compiled
		if old, ok := byTarget.get(key); ok {
			members = slices.DeleteFunc(slices.Clone(old.members), func(c *compiled) bool { return names[c.name()] })
		}
		for name := range names {
			if c, ok := e.byName.get(name); ok && c.target.Kind == key {
				members = append(members, c)
			}
		}
		if len(members) == 0 {
			byTarget.remove(key)
			continue
		}
		slices.SortFunc(members, compareCandidates)
		byTarget.set(key, newCandidates(members))
	}
	out := &Set{
		options: e.from.options, byName: e.byName.shards, byTarget: byTarget.shards, count: e.count, patterns: e.patterns,
	}
	if out.patterns > 0 {
		out.resolved = &resolutions{seed: maphash.MakeSeed()}
	}
	return out
}
