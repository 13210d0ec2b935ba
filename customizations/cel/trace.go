package cel

import (
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Node is a part of an expression that a Trace's Step names when it is evaluated.
type Node struct {
	// ID identifies the node in its expression: Step.Node.
	ID int64
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
// there. Literals are not among them.
func (p *Program) Nodes() []Node {
	s, err := p.syntax()
	if err != nil {
		return nil
	}
	var out []Node
	s.walk(s.tree.Expr(), false, func(e ast.Expr, optional bool) {
		line, column := s.place(e.ID())
		t := s.tree.GetType(e.ID())
		out = append(out, Node{
			ID: e.ID(), Line: line, Column: column, Text: s.text(e), Optional: optional,
			Condition: t != nil && t.Kind() == types.BoolKind,
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
	return text
}

// walk visits the nodes that somebody wrote: a macro and its arguments, not what it expands to.
func (s *syntax) walk(e ast.Expr, optional bool, visit func(e ast.Expr, optional bool)) {
	if e.Kind() == ast.LiteralKind {
		return
	}
	visit(e, optional)
	written := e
	macro, expanded := s.tree.SourceInfo().GetMacroCall(e.ID())
	if expanded {
		written = macro
	}
	first := true
	for part := range parts(written) {
		skippable := !first && s.skips(written, expanded)
		first = false
		if expanded && s.tree.GetType(part.ID()) == nil {
			continue // the name of a macro's variable
		}
		s.walk(s.inTree(part), skippable, visit)
	}
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

// observed returns a plan that tells step each node that it evaluates. It is for one run.
func (p *Program) observed(step func(interpreter.Step)) (node, error) {
	s, err := p.syntax()
	if err != nil {
		return nil, err
	}
	o := &observer{program: p, syntax: s, step: step, nodes: map[int64]interpreter.Step{}}
	s.walk(s.tree.Expr(), false, func(e ast.Expr, _ bool) {
		line, column := s.place(e.ID())
		o.nodes[e.ID()] = interpreter.Step{
			Source: p.explained, Line: line, Column: column, Node: e.ID(), Text: s.text(e),
		}
	})
	return s.plan(p.library, celinterpreter.EvalStateObserver(
		celinterpreter.EvalStateFactory(func() celinterpreter.EvalState { return o }),
	))
}

// observer is an EvalState that remembers nothing and passes everything on.
type observer struct {
	program *Program
	syntax  *syntax
	step    func(interpreter.Step)
	nodes   map[int64]interpreter.Step
}

func (o *observer) IDs() []int64                { return nil }
func (o *observer) Value(int64) (ref.Val, bool) { return nil, false }
func (o *observer) Reset()                      {}

// SetValue is called for each node that has been evaluated.
func (o *observer) SetValue(id int64, value ref.Val) {
	step, ok := o.nodes[id]
	if !ok {
		return
	}
	step.Values = func() map[string]any { return map[string]any{"": o.program.show(value)} }
	o.step(step)
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
