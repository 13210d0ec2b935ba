package observability

import (
	"context"
	"errors"
	"strings"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Failures returns the Middleware, for the link of customizations, that calls tell with the name of a customization whose
// rule has failed when it ran, and with how. tell is called each time, and must be safe for concurrent use.
func Failures(tell func(customization string, o interpreter.Observation)) interpreter.Middleware {
	return interpreter.Observed(func(_ context.Context, o interpreter.Observation) {
		if o.Err == nil || !o.Handled() || errors.Is(o.Err, interpreter.ErrNotReady) {
			return
		}
		if name, ok := ruleOf(o.Err); ok {
			tell(name[:strings.LastIndexByte(name, '.')], o)
		}
	})
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
