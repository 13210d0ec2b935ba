package cel

import (
	"maps"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// names is what the names in an expression mean.
type names struct {
	// variables are the identifiers that name an input or what cel.bind has bound, by their nodes. Those that name a
	// variable of a loop are not among them.
	variables map[int64]variable
	// bindings are the loops that only bind a name, by their nodes.
	bindings map[int64]binding
	// fields are the names that .x, .?x, ["x"] and [?"x"] select, by their nodes.
	fields map[int64]string
}

// variable is an input, by its name, or what is bound to a slot of the run.
type variable struct {
	input string // empty for a slot
	slot  int
}

// binding is one cel.bind and the slot of what it binds. A run is in a binding at most once at a time.
type binding struct {
	loop ast.ComprehensionExpr
	slot int
}

func namesOf(e ast.Expr) *names {
	n := &names{variables: map[int64]variable{}, bindings: map[int64]binding{}, fields: map[int64]string{}}
	n.resolve(e, map[string]variable{})
	return n
}

// forget forgets everything: a plan that is made needs no names.
func (n *names) forget() { *n = names{} }

// ofLoop is the variable that a loop sets.
var ofLoop = variable{slot: -1}

// resolve resolves the names in e. local are the variables that there are beside the inputs.
func (n *names) resolve(e ast.Expr, local map[string]variable) {
	switch e.Kind() {
	case ast.IdentKind:
		n.resolveVariable(e, local)
	case ast.SelectKind:
		if !e.AsSelect().IsTestOnly() {
			n.fields[e.ID()] = e.AsSelect().FieldName()
		}
	case ast.CallKind:
		switch call := e.AsCall(); call.FunctionName() {
		case operators.OptSelect, operators.Index, operators.OptIndex:
			if name, ok := constantText(call.Args()[1]); ok {
				n.fields[e.ID()] = name
			}
		}
	case ast.ComprehensionKind:
		n.resolveLoop(e, local)
		return
	}
	for part := range parts(e) {
		n.resolve(part, local)
	}
}

func (n *names) resolveVariable(e ast.Expr, local map[string]variable) {
	name := e.AsIdent()
	v, ok := local[name]
	switch {
	case strings.HasPrefix(name, "."):
		// .x is the input x whatever x is otherwise: there is no need to be fast.
	case !ok:
		n.variables[e.ID()] = variable{input: name}
	case v != ofLoop:
		n.variables[e.ID()] = v
	}
}

func (n *names) resolveLoop(e ast.Expr, local map[string]variable) {
	loop := e.AsComprehension()
	n.resolve(loop.IterRange(), local)
	n.resolve(loop.AccuInit(), local)
	result := maps.Clone(local)
	if isBind(e) {
		b, ok := n.bindings[e.ID()]
		if !ok {
			b = binding{loop: loop, slot: len(n.bindings)}
			n.bindings[e.ID()] = b
		}
		result[loop.AccuVar()] = variable{slot: b.slot}
		n.resolve(loop.Result(), result)
		return
	}
	result[loop.AccuVar()] = ofLoop
	n.resolve(loop.Result(), result)
	round := maps.Clone(result)
	for _, name := range []string{loop.IterVar(), loop.IterVar2()} {
		round[name] = ofLoop
	}
	n.resolve(loop.LoopCondition(), round)
	n.resolve(loop.LoopStep(), round)
}
