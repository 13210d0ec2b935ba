package laws

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Checker checks laws.
type Checker struct {
	// Rules says which interpreter answers a case; it must not be nil.
	Rules cases.Rules
	// Fresh returns the rules anew, as if nothing had been asked yet; nil leaves out the law isolated.
	Fresh func() (cases.Rules, error)
	// Schema returns what is known about the objects of a kind, nil for nothing; it may be nil itself. Fields that are
	// required are never absent in an API server, so they are left alone.
	Schema func(schema.GroupVersionKind) *script.Schema
	// Seed makes the inputs: the same seed, the same inputs.
	Seed uint64
	// Inputs is how many inputs are made at random of those of each case; 0 means 8.
	Inputs int
	// Parallel is how many cases are checked at once; 0 means one for each processor.
	Parallel int
}

const defaultInputs = 8

// Report is what a Checker found.
type Report struct {
	// Seed is that of the Checker.
	Seed uint64
	// Cases is how many cases were checked, and Questions how many questions were asked for it.
	Cases     int
	Questions int64
	// Breaches are the laws that were broken, in the order of the cases. What is the same defect of the same rule is
	// there once.
	Breaches []Breach
	// Unneeded are the exemptions from laws that hold all the same for every case that has them, in the order of the cases.
	Unneeded []Exemption
}

// Exemption is a law that cases of a file are exempt from, for one reason.
type Exemption struct {
	// Law is the law, and Reason why it is said not to hold.
	Law    *Law
	Reason string
	// Case is the first case that has the exemption.
	Case *cases.Case
}

// String returns the exemption in one line, as file, line and what to do.
func (e Exemption) String() string {
	return fmt.Sprintf("%s:%d: exempt.%s: the law holds: want no exemption", e.Case.File, e.Case.Line, e.Law.Name)
}

// Breach is a law that a rule breaks.
type Breach struct {
	// Law is the law.
	Law *Law
	// Case is the case whose inputs it was found with, and Others how many more show the same.
	Case   *cases.Case
	Others int
	// Rule is the rule that breaks the law; zero when nobody said so.
	Rule interpreter.Source
	// Wrong says how the law is broken.
	Wrong string
	// Changed says how the inputs were made of those of the case; empty when they are the case's own.
	Changed string
	// Inputs are the smallest inputs that break the law, by the names of interpreter.Input.
	Inputs map[string]any
	// Before is a case that must be asked before, for the law isolated; nil for others.
	Before *cases.Case
}

// trial is the check of one case.
type trial struct {
	asker
	op     interpreter.Operation
	c      *cases.Case
	group  *group
	random *rand.Rand
	asked  *atomic.Int64
	// allowed are the errors that cases of the same rule expect: they are meant.
	allowed []*cases.ErrorMatch
	// schema is that of the case's object; nil when nothing is known.
	schema *script.Schema
	// needed are the laws that the case is exempt from, and that are broken.
	needed map[string]bool
}

func (t *trial) ask(op interpreter.Operation, in inputs) *answer {
	t.asked.Add(1)
	return t.asker.ask(op, in)
}

// finding is a breach that has not been made small.
type finding struct {
	law     *Law
	rule    interpreter.Source
	wrong   string
	changed string
	in      inputs
	// defect tells breaches of the same law by the same rule apart.
	defect string
}

// Check checks every law on every case's inputs, and on inputs made of them. The error is about the cases: an exemption
// from a law that there is not, or rules that do not load.
func (c Checker) Check(ctx context.Context, found []*cases.Case) (*Report, error) {
	if err := checkExemptions(found); err != nil {
		return nil, err
	}
	trials, asked, err := c.trials(ctx, found)
	if err != nil {
		return nil, err
	}
	report := &Report{Seed: c.Seed, Cases: len(found)}
	findings := make([][]finding, len(trials))
	var leaks []Breach
	var leakErr error
	var checks sync.WaitGroup
	if c.Fresh != nil {
		checks.Go(func() { leaks, leakErr = c.leaks(ctx, found) })
	}
	c.each(len(trials), func(i int) { findings[i] = trials[i].run(ctx, c.inputs()) })
	checks.Wait()
	if err := errors.Join(ctx.Err(), leakErr); err != nil {
		return nil, err
	}
	report.Breaches = c.distinct(trials, findings)
	for i := range leaks {
		if leaks[i].Case.Exempt[isolated] == "" {
			report.Breaches = append(report.Breaches, leaks[i])
		}
	}
	report.Unneeded = c.unneeded(trials, leaks)
	report.Questions = asked.Load()
	return report, nil
}

func (c Checker) inputs() int {
	if c.Inputs > 0 {
		return c.Inputs
	}
	return defaultInputs
}

// each calls do with the numbers below n, some at once.
func (c Checker) each(n int, do func(int)) {
	parallel := c.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(parallel, n) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

func checkExemptions(found []*cases.Case) error {
	var errs []error
	for _, c := range found {
		for _, name := range slices.Sorted(maps.Keys(c.Exempt)) {
			if Named(name) == nil {
				all := make([]string, len(laws))
				for i := range laws {
					all[i] = laws[i].Name
				}
				errs = append(errs, fmt.Errorf("%s:%d: case %q: exempt: unknown law %q: want one of %s", c.File, c.Line, c.Name, name, strings.Join(all, ", ")))
			}
		}
	}
	return errors.Join(errs...)
}

// trials returns the checks of the cases, those about the same kind in one group.
func (c Checker) trials(ctx context.Context, found []*cases.Case) ([]*trial, *atomic.Int64, error) {
	asked := &atomic.Int64{}
	groups := map[string]*group{}
	allowed := map[string][]*cases.ErrorMatch{}
	trials := make([]*trial, len(found))
	for i, one := range found {
		rules, err := c.Rules(one)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: case %q: %w", one.File, one.Line, one.Name, err)
		}
		kind := one.Request().Object.GroupVersionKind().GroupKind().String()
		if groups[kind] == nil {
			groups[kind] = newGroup()
		}
		if e := one.Expect.Error; e != nil {
			// Its values may be wrong on purpose.
			allowed[kind+string(one.Operation)] = append(allowed[kind+string(one.Operation)], e)
		} else {
			groups[kind].learn(one)
		}
		var known *script.Schema
		if c.Schema != nil {
			known = c.Schema(one.Request().Object.GroupVersionKind())
		}
		trials[i] = &trial{
			schema: known,
			asker:  asker{ctx: one.Context(ctx), rules: rules}, op: one.Operation, c: one, group: groups[kind], asked: asked,
			random: rand.New(rand.NewPCG(c.Seed, hash(one.Name))), //nolint:gosec // it makes test inputs
		}
	}
	for _, t := range trials {
		kind := t.c.Request().Object.GroupVersionKind().GroupKind().String()
		t.allowed = allowed[kind+string(t.op)]
	}
	return trials, asked, nil
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// unneeded returns the exemptions that no trial and no leak makes use of.
func (c Checker) unneeded(trials []*trial, leaks []Breach) []Exemption {
	type key struct{ file, law, reason string }
	used := map[key]bool{}
	for i := range leaks {
		used[key{leaks[i].Case.File, isolated, leaks[i].Case.Exempt[isolated]}] = true
	}
	for _, t := range trials {
		for law := range t.needed {
			used[key{t.c.File, law, t.c.Exempt[law]}] = true
		}
	}
	var out []Exemption
	for _, t := range trials {
		for _, law := range slices.Sorted(maps.Keys(t.c.Exempt)) {
			k := key{t.c.File, law, t.c.Exempt[law]}
			if !used[k] && (law != isolated || c.Fresh != nil) {
				used[k] = true
				out = append(out, Exemption{Law: Named(law), Reason: k.reason, Case: t.c})
			}
		}
	}
	return out
}

// run checks every law but isolated.
func (t *trial) run(ctx context.Context, generated int) []finding {
	in := inputsOf(t.c)
	base := t.ask(t.op, in)
	if !base.handled() {
		return nil
	}
	t.needed = map[string]bool{}
	var out []finding
	broken := map[string]bool{}
	check := func(in inputs, a *answer, changed string) {
		for i := range laws {
			law := &laws[i]
			if law.breaks == nil || broken[law.Name] || !law.appliesTo(t.op) {
				continue
			}
			if wrong := law.breaks(t, in, a); wrong != "" {
				broken[law.Name] = true
				if t.c.Exempt[law.Name] != "" {
					t.needed[law.Name] = true
					continue
				}
				out = append(out, finding{law: law, rule: a.source, wrong: wrong, changed: changed, in: in})
			}
		}
	}
	check(in, base, "")
	if base.ok() {
		crashes := t.damage(in, base)
		if t.c.Exempt[absentFields] == "" {
			out = append(out, crashes...)
		} else if len(crashes) > 0 {
			t.needed[absentFields] = true
		}
	}
	for range generated {
		if ctx.Err() != nil {
			return nil
		}
		other, changed := t.generate(in)
		check(other, t.ask(t.op, other), changed)
	}
	return out
}

// distinct returns a breach for each defect, with the smallest inputs that show it.
func (c Checker) distinct(trials []*trial, findings [][]finding) []Breach {
	type found struct {
		finding
		trial  *trial
		others int
	}
	known := map[string]*found{}
	var order []*found
	for i := range findings {
		for _, f := range findings[i] {
			key := strings.Join([]string{f.law.Name, f.rule.Link, f.rule.Name, f.rule.Field, f.defect}, "\x00")
			if known[key] != nil {
				known[key].others++
				continue
			}
			known[key] = &found{finding: f, trial: trials[i]}
			order = append(order, known[key])
		}
	}
	breaches := make([]Breach, len(order))
	c.each(len(order), func(i int) {
		f := order[i]
		small, wrong := f.trial.shrink(f.finding)
		breaches[i] = Breach{
			Law: f.law, Case: f.trial.c, Others: f.others, Rule: f.rule, Wrong: wrong, Changed: f.changed, Inputs: small,
		}
	})
	return breaches
}
