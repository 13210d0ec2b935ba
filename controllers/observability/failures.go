package observability

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Failures tells about customizations whose rules fail when they run: once for each rule and error, and again when that
// is long ago.
type Failures struct {
	tell func(customization, note string)

	mu   sync.Mutex
	told map[string]failure
}

type failure struct {
	note string
	at   time.Time
}

// again is how long the same failure of a rule is not told again.
const again = 10 * time.Minute

// maxRules bounds what is remembered.
const maxRules = 10_000

// NewFailures returns Failures that call tell with the name of the customization, and what failed. tell must be safe
// for concurrent use.
func NewFailures(tell func(customization, note string)) *Failures {
	return &Failures{tell: tell, told: map[string]failure{}}
}

// Watch is the Middleware for the link of customizations.
func (f *Failures) Watch(rule interpreter.Rule) interpreter.Rule {
	return interpreter.Observed(func(ctx context.Context, o interpreter.Observation) {
		if o.Err == nil || !o.Handled() || errors.Is(o.Err, interpreter.ErrNotReady) {
			return
		}
		if name, ok := ruleOf(o.Err); ok && f.fresh(name, o.Err.Error(), interpreter.ClockOf(ctx).Now()) {
			customization := name[:strings.LastIndexByte(name, '.')]
			f.tell(customization, string(o.Request.Operation)+" "+o.Request.Kind.Kind+" "+o.Request.Namespace+"/"+o.Request.Name+": "+o.Err.Error())
		}
	})(rule)
}

// ruleOf returns the name of the rule, "customization.field", whose run an error ended.
func ruleOf(err error) (string, bool) {
	var budget *interpreter.BudgetError
	if errors.As(err, &budget) && strings.Contains(budget.Rule, ".") {
		return budget.Rule, true
	}
	var problem *script.Problem
	if errors.As(err, &problem) && problem.Source != nil {
		return problem.Source.Name(), true
	}
	return "", false
}

// fresh tells whether the failure of a rule is to be told, and remembers it.
func (f *Failures) fresh(rule, note string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last, ok := f.told[rule]; ok && last.note == note && now.Sub(last.at) < again {
		return false
	}
	if len(f.told) >= maxRules {
		clear(f.told)
	}
	f.told[rule] = failure{note: note, at: now}
	return true
}
