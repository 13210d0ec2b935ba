package lua

import (
	"fmt"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// result reports what the operation's function must not return.
func (f *flow) result(e exit) {
	f.now = e.state
	for _, value := range e.values {
		f.use(value)
	}
	if e.at == nil || len(e.at.Exprs) == 0 || len(e.values) == 0 {
		return
	}
	first, expr := e.values[0], e.at.Exprs[0]
	op := f.program.info
	wants, instead := "a table", ""
	switch op.Result {
	case interpreter.ResultReplicas:
		wants, instead = "a number", fmt.Sprintf("(%s or 1)", show(expr))
		if len(e.values) > 1 && e.values[1].made != nil {
			f.answered(e.values[1].made, requirementsSchema, "replicaRequirements")
		}
	case interpreter.ResultHealth:
		wants = "true or false, or a state"
		f.state(first, expr)
	case interpreter.ResultStatus:
		instead = fmt.Sprintf("(%s or {})", show(expr))
		if first.made != nil {
			f.put(first.made, f.object.Reported(), "status")
		}
	case interpreter.ResultComponents:
		if first.made != nil {
			f.answered(first.made, componentsSchema, "components")
		}
		return // Nothing is no components.
	case interpreter.ResultDependencies:
		if first.made != nil {
			f.answered(first.made, dependenciesSchema, "dependencies")
		}
	}
	f.need(first, expr, fmt.Sprintf("nil as the answer of %s, which wants %s,", op.Function, wants), instead)
}

// answered tells that a table is an answer, or a part of one. What is not known in it is passed over, as the peer does, so
// that it is only a warning.
func (f *flow) answered(m *made, schema *script.Schema, where string) {
	f.lenient = true
	f.put(m, schema, where)
	f.lenient = false
}

// state reports a text that is no state of health.
func (f *flow) state(k knowledge, e ast.Expr) {
	if k.text == nil {
		return
	}
	var names []string
	for _, state := range interpreter.HealthStates() {
		names = append(names, string(state))
	}
	if slices.Contains(names, *k.text) {
		return
	}
	f.error(e, "%q is no state of health%s", *k.text, meant(*k.text, names))
}

// The schemas of answers.
var (
	mapSchema = script.ObjectOf(nil)

	claimSchema = script.ObjectOf(map[string]*script.Schema{
		"hardNodeAffinity": mapSchema, "nodeSelector": mapSchema, "tolerations": script.ListOf(nil),
	})
	requirementsSchema = script.ObjectOf(map[string]*script.Schema{
		"nodeClaim": claimSchema, "resourceRequest": mapSchema, "namespace": script.TextSchema, "priorityClassName": script.TextSchema,
	})
	componentsSchema = script.ListOf(script.ObjectOf(map[string]*script.Schema{
		"name": script.TextSchema, "replicas": script.NumberSchema,
		"replicaRequirements": script.ObjectOf(map[string]*script.Schema{
			"nodeClaim": claimSchema, "resourceRequest": mapSchema, "priorityClassName": script.TextSchema,
		}),
	}))
	dependenciesSchema = script.ListOf(script.ObjectOf(map[string]*script.Schema{
		"apiVersion": script.TextSchema, "kind": script.TextSchema, "namespace": script.TextSchema, "name": script.TextSchema,
		"labelSelector": script.ObjectOf(map[string]*script.Schema{"matchLabels": mapSchema, "matchExpressions": script.ListOf(nil)}),
	}))
)
