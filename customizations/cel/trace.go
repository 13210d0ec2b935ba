package cel

import (
	"maps"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Node is a part of an expression that a Trace's Step names when it is evaluated.
type Node struct {
	// ID identifies the node in its expression, Step.Node, and Parent the node around it; 0 for the outermost.
	ID, Parent int64
	// Line and Column are its place, from 1: where the whole begins, or where its operator or its dot stands.
	Line, Column int
	// Text is the node as it could be written.
	Text string
	// Optional tells that an evaluation may leave the node out: a branch of ?:, the right side of && and ||, the body of a
	// loop, a fallback.
	Optional bool
	// Condition tells that its value is true or false, and both should be seen in a test.
	Condition bool
}

// Nodes returns the nodes of the expression as it is written, macros not expanded, in the order in which they stand
// there. Names alone and what is constant are not among them.
func (p *Program) Nodes() []Node {
	s, err := p.syntax()
	if err != nil {
		return nil
	}
	var out []Node
	s.walk(s.tree.Expr(), role{}, func(e ast.Expr, r role) {
		line, column := s.place(e.ID())
		t := s.tree.GetType(e.ID())
		out = append(out, Node{
			ID: e.ID(), Parent: r.parent, Line: line, Column: column, Text: s.text(e), Optional: r.optional,
			Condition: r.decides || t != nil && t.Kind() == types.BoolKind && !isChoice(e),
		})
	})
	return out
}

// text returns an expression as it could be written.
func (s *syntax) text(e ast.Expr) string {
	text, err := celgo.ExprToString(e, s.tree.SourceInfo())
	if err != nil {
		return ""
	}
	return tight(text)
}

// role is what a node is to the one around it.
type role struct {
	parent int64
	// optional tells that an evaluation may leave it out, decides that it is taken as true or false.
	optional, decides bool
}

// walk visits the nodes that somebody wrote: a macro and its arguments, not what it expands to. A choice that is itself a
// branch of a choice is evaluated as a part of that one: its parts are visited, it is not.
func (s *syntax) walk(e ast.Expr, r role, visit func(ast.Expr, role)) {
	if e.Kind() == ast.IdentKind || isConstant(e) {
		return
	}
	visit(e, r)
	s.inside(e, role{parent: e.ID()}, visit)
}

// inside visits what is in e. r is the role of its first part.
func (s *syntax) inside(e ast.Expr, r role, visit func(ast.Expr, role)) {
	written := e
	macro, expanded := s.tree.SourceInfo().GetMacroCall(e.ID())
	if expanded {
		written = macro
	}
	first := true
	for part := range parts(written) {
		inner := role{parent: r.parent, optional: r.optional, decides: isLogic(written) || isChoice(written)}
		if !first {
			inner.optional, inner.decides = s.skips(written, expanded), isLogic(written)
		}
		branch := !first && isChoice(written)
		first = false
		if expanded && s.tree.GetType(part.ID()) == nil {
			continue // the name of a macro's variable
		}
		if part = s.inTree(part); branch && isChoice(part) {
			s.inside(part, inner, visit)
		} else {
			s.walk(part, inner, visit)
		}
	}
}

// isChoice tells whether e is a ? b : c.
func isChoice(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional
}

// isLogic tells whether e is a && b or a || b.
func isLogic(e ast.Expr) bool {
	if e.Kind() != ast.CallKind {
		return false
	}
	name := e.AsCall().FunctionName()
	return name == operators.LogicalAnd || name == operators.LogicalOr
}

// isConstant tells whether e is made of literals alone, so that its value is known before it is evaluated.
func isConstant(e ast.Expr) bool {
	if e.Kind() == ast.IdentKind || e.Kind() == ast.CallKind && len(e.AsCall().Args()) == 0 {
		return false
	}
	for part := range parts(e) {
		if !isConstant(part) {
			return false
		}
	}
	return true
}

// skips tells whether an evaluation of e may leave out its parts other than the first.
func (s *syntax) skips(e ast.Expr, macro bool) bool {
	if macro {
		return true
	}
	if e.Kind() != ast.CallKind {
		return false
	}
	switch e.AsCall().FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.Conditional, "or", "orValue":
		return true
	}
	return false
}

// inTree returns the node of the tree that part, an argument of a macro, stands for.
func (s *syntax) inTree(part ast.Expr) ast.Expr {
	if part.Kind() != ast.UnspecifiedExprKind {
		return part
	}
	if found := nodeAt(s.tree.Expr(), part.ID()); found != nil {
		return found
	}
	return part
}

// observed returns a plan that tells trace each node that it evaluates. It is for one run.
func (p *Program) observed(trace *interpreter.Trace) (node, error) {
	s, err := p.syntax()
	if err != nil {
		return nil, err
	}
	o := &observer{program: p, trace: trace, nodes: p.steps()}
	return s.planBy(&decorator{library: p.library, cost: &s.cost, folds: true, watched: true}, o)
}

// stepOf is what there is to tell when a node is evaluated.
type stepOf struct {
	interpreter.Step
	// path is the field of the inputs that the node is; empty when it is something else.
	path string
}

// stepsOf returns what there is to tell about each node of s.
func stepsOf(s *syntax, source interpreter.Source) map[int64]stepOf {
	out := map[int64]stepOf{}
	paths := pathsOf(s)
	s.walk(s.tree.Expr(), role{}, func(e ast.Expr, r role) {
		line, column := s.place(e.ID())
		out[e.ID()] = stepOf{path: paths[e.ID()], Step: interpreter.Step{
			Source: source, Line: line, Column: column, Node: e.ID(), Parent: r.parent, Text: s.text(e),
		}}
	})
	return out
}

// pathsOf returns the fields of the inputs that nodes of s are: object.spec.replicas, items[].status.
func pathsOf(s *syntax) map[int64]string {
	paths := map[int64]string{}
	variables := map[string]string{}
	for _, in := range s.info.Inputs {
		variables[string(in)] = string(in)
	}
	fieldPaths(s.tree.Expr(), variables, paths)
	return paths
}

// fieldPaths fills paths for e and what is in it, and returns that of e. variables are the paths of those in scope.
func fieldPaths(e ast.Expr, variables map[string]string, paths map[int64]string) string {
	switch e.Kind() {
	case ast.IdentKind:
		return variables[e.AsIdent()]
	case ast.SelectKind:
		if path := fieldPaths(e.AsSelect().Operand(), variables, paths); path != "" {
			paths[e.ID()] = path + "." + e.AsSelect().FieldName()
		}
		return paths[e.ID()]
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		inner := maps.Clone(variables)
		for _, name := range []string{c.IterVar(), c.IterVar2(), c.AccuVar()} {
			delete(inner, name)
		}
		if path := fieldPaths(c.IterRange(), variables, paths); path != "" {
			last := c.IterVar()
			if c.HasIterVar2() {
				last = c.IterVar2()
			}
			inner[last] = path + "[]"
		}
		if path := fieldPaths(c.AccuInit(), variables, paths); path != "" {
			inner[c.AccuVar()] = path // cel.bind
		}
		for _, part := range []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
			fieldPaths(part, inner, paths)
		}
		return ""
	}
	var all []ast.Expr
	var first string
	for part := range parts(e) {
		path := fieldPaths(part, variables, paths)
		if all = append(all, part); len(all) == 1 {
			first = path
		}
	}
	if e.Kind() != ast.CallKind || first == "" {
		return ""
	}
	switch e.AsCall().FunctionName() {
	case operators.OptSelect, operators.Index, operators.OptIndex:
		step := "[]"
		if all[1].Kind() == ast.LiteralKind {
			if name, ok := all[1].AsLiteral().Value().(string); ok {
				step = "." + name
			}
		}
		paths[e.ID()] = first + step
		return paths[e.ID()]
	case "kube.get":
		if name, ok := constantText(all[1]); ok { // not a list of paths, nor one that is computed
			paths[e.ID()] = first + "." + name
		}
		return paths[e.ID()]
	case "or", "orValue", "kube.orElse":
		return first
	}
	return ""
}

// observer is an EvalState that remembers nothing and passes everything on.
type observer struct {
	program *Program
	trace   *interpreter.Trace
	nodes   map[int64]stepOf
	// last is the node that was passed on last: a field is passed on twice.
	last int64
}

func (o *observer) IDs() []int64                { return nil }
func (o *observer) Value(int64) (ref.Val, bool) { return nil, false }
func (o *observer) Reset()                      {}

// SetValue is called for each node that has been evaluated.
func (o *observer) SetValue(id int64, value ref.Val) {
	again := id == o.last
	o.last = id
	step, ok := o.nodes[id]
	if !ok || again {
		return
	}
	if step.path != "" && o.trace.Read != nil {
		o.trace.Read(step.Source, step.path)
	}
	if o.trace.Step != nil {
		step.Values = func() map[string]any { return map[string]any{"": o.program.show(value)} }
		o.trace.Step(step.Step)
	}
}

// show returns a value for people to look at: an error as its text, an optional value as what it holds.
func (p *Program) show(value ref.Val) (out any) {
	switch v := value.(type) {
	case *types.Err:
		return "error: " + v.String()
	case *types.Optional:
		if !v.HasValue() {
			return nil
		}
		value = v.GetValue()
	}
	defer func() {
		if recover() != nil {
			out = describe(value)
		}
	}()
	out, err := (&run{program: p, steps: 1 << 20, bytes: 1 << 20, glance: 1 << 30}).plain(value)
	if err != nil {
		return describe(value)
	}
	return out
}
