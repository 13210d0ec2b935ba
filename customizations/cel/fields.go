package cel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Check tells what of the expression cannot be right for objects of the schema: fields that it reads or writes and that
// no such object has, and values of types that do not go together. What the schema leaves open is right. The problems
// are in the order of their places.
//
// At run time objects are dynamic whatever their schema says, so that a new version of it breaks no rule.
func (p *Program) Check(object *script.Schema) script.Problems {
	s, err := p.syntax()
	if err != nil {
		return script.Problems{p.problem(0, err.Error(), err)}
	}
	return s.checkFields(p.library, object, script.Error)
}

// checkFields is Check, with the severity of the problems.
func (s *syntax) checkFields(l *library, object *script.Schema, severity script.Severity) script.Problems {
	c := fieldCheck{syntax: s, library: l, object: object, severity: severity, found: map[string]bool{},
		inferred: map[int64]*script.Schema{},
	}
	root := s.tree.Expr()
	c.infer(root, c.inputs())
	c.checkWritten(root, c.inputs())
	slices.SortStableFunc(c.problems, func(a, b *script.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.problems
}

// scope is the schemas of the variables; one that is not known is nil.
type scope map[string]*script.Schema

func (s scope) with(name string, schema *script.Schema) scope {
	if name == "" {
		return s
	}
	out := maps.Clone(s)
	out[name] = schema
	return out
}

type fieldCheck struct {
	*syntax
	library  *library
	object   *script.Schema
	severity script.Severity
	problems script.Problems
	found    map[string]bool
	// inferred are the schemas of the nodes that have been looked at: some are asked for more than once.
	inferred map[int64]*script.Schema
}

// maxProblems is how many problems are reported of one expression.
const maxProblems = 100

// name returns an expression as it is written, cut where it is long.
func (c *fieldCheck) name(e ast.Expr) string { return shorten(c.text(e)) }

// problem reports what is wrong at a node.
func (c *fieldCheck) problem(id int64, format string, args ...any) {
	c.report(id, nil, fmt.Sprintf(format, args...))
}

func (c *fieldCheck) report(id int64, cause error, message string) {
	line, column := c.place(id)
	key := fmt.Sprint(line, column, message)
	if len(c.problems) == maxProblems || c.found[key] {
		return
	}
	c.found[key] = true
	c.problems = append(c.problems, &script.Problem{
		Severity: c.severity, Source: c.source, Line: line, Column: column, Message: message, Err: cause,
	})
}

// inputs returns the schemas of the operation's inputs.
func (c *fieldCheck) inputs() scope {
	out := scope{}
	for _, in := range c.info.Inputs {
		out[string(in)] = script.InputSchema(in, c.object)
	}
	switch c.info.Result {
	case interpreter.ResultObject:
		out[nextVariable] = c.object
	case interpreter.ResultStatus:
		out[nextVariable] = c.object.Reported()
	}
	return out
}

// infer returns the schema of the value of e, nil when it is not known, and reports what is wrong in e.
func (c *fieldCheck) infer(e ast.Expr, in scope) *script.Schema {
	if known, ok := c.inferred[e.ID()]; ok {
		return known
	}
	s := c.inferNew(e, in)
	c.inferred[e.ID()] = s
	return s
}

func (c *fieldCheck) inferNew(e ast.Expr, in scope) *script.Schema {
	switch e.Kind() {
	case ast.IdentKind:
		return in[e.AsIdent()]
	case ast.LiteralKind:
		return literalSchema(e)
	case ast.SelectKind:
		field := c.selected(e, e.AsSelect().Operand(), e.AsSelect().FieldName(), in)
		if e.AsSelect().IsTestOnly() {
			return script.BooleanSchema
		}
		return field
	case ast.CallKind:
		return c.inferCall(e, in)
	case ast.ListKind:
		var element *script.Schema
		for i, part := range e.AsList().Elements() {
			inferred := c.infer(part, in)
			if i == 0 {
				element = inferred
			} else if !element.Same(inferred) {
				element = nil
			}
		}
		return script.ListOf(element)
	case ast.MapKind:
		for part := range parts(e) {
			c.infer(part, in)
		}
		return script.ObjectOf(nil)
	case ast.ComprehensionKind:
		return c.inferLoop(e, in)
	}
	for part := range parts(e) {
		c.infer(part, in)
	}
	return nil
}

func literalSchema(e ast.Expr) *script.Schema {
	switch e.AsLiteral().(type) {
	case types.String:
		return script.TextSchema
	case types.Int, types.Uint, types.Double:
		return script.NumberSchema
	case types.Bool:
		return script.BooleanSchema
	}
	return nil
}

// selected returns the schema of a field.
func (c *fieldCheck) selected(at, operand ast.Expr, name string, in scope) *script.Schema {
	of := c.infer(operand, in)
	switch f := of.Form(); f {
	case script.FormAny:
		return nil
	case script.FormObject:
		field, ok := of.Field(name)
		if !ok {
			optional := at.Kind() == ast.CallKind && at.AsCall().FunctionName() != operators.Index
			c.noField(at.ID(), c.name(operand), name, of, optional)
		}
		return field
	default:
		c.problem(at.ID(), "%s is %s: it has no field %s", c.name(operand), f, name)
		return nil
	}
}

func (c *fieldCheck) noField(id int64, where, name string, of *script.Schema, optional bool) {
	var cause error
	if optional {
		cause = script.ErrOptional
	}
	c.report(id, cause, of.NoField(where, name))
}

func (c *fieldCheck) inferCall(e ast.Expr, in scope) *script.Schema {
	call := e.AsCall()
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	switch name := call.FunctionName(); name {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		if field, ok := constantText(args[1]); ok {
			return c.selected(e, args[0], field, in)
		}
		of, key := c.infer(args[0], in), c.infer(args[1], in)
		if of.Form() == script.FormList && key.Form() == script.FormText {
			c.problem(e.ID(), "%s is a list: want a number in []", c.name(args[0]))
		}
		return of.Element()
	case operators.Conditional:
		c.want(args[0], script.FormBoolean, in)
		a, b := c.infer(args[1], in), c.infer(args[2], in)
		switch {
		case isNull(args[1]):
			return b
		case isNull(args[2]), a.Same(b):
			return a
		}
		return nil
	case "orValue", "or":
		value := c.infer(args[0], in)
		c.infer(args[1], in)
		return value
	case "value", "optional.of", "optional.ofNonZeroValue", "dyn":
		return c.infer(args[0], in)
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot:
		for _, arg := range args {
			c.want(arg, script.FormBoolean, in)
		}
		return script.BooleanSchema
	case operators.Equals, operators.NotEquals:
		c.comparable(e, args, in)
		return script.BooleanSchema
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		c.matching(e, args, in, script.FormNumber, script.FormText, script.FormBoolean)
		return script.BooleanSchema
	case operators.Add:
		return c.matching(e, args, in, script.FormNumber, script.FormText, script.FormList)
	case operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo:
		return c.matching(e, args, in, script.FormNumber)
	default:
		if f := c.library.kube[name]; f != nil {
			c.checkPaths(f, args, in)
		}
		for _, arg := range args {
			c.infer(arg, in)
		}
	}
	return nil
}

// want reports an operand that surely is something else than wanted.
func (c *fieldCheck) want(e ast.Expr, wanted script.Form, in scope) {
	if f := c.infer(e, in).Form(); f != script.FormAny && f != wanted {
		c.problem(e.ID(), "%s is %s: want %s", c.name(e), f, wanted)
	}
}

// comparable reports a comparison of two values that are never equal.
func (c *fieldCheck) comparable(e ast.Expr, args []ast.Expr, in scope) {
	a, b := c.infer(args[0], in).Form(), c.infer(args[1], in).Form()
	if a != script.FormAny && b != script.FormAny && a != b {
		c.problem(e.ID(), "%s is %s, %s is %s: they are never equal", c.name(args[0]), a, c.name(args[1]), b)
	}
}

// matching reports operands that an operator does not take, or not together.
func (c *fieldCheck) matching(e ast.Expr, args []ast.Expr, in scope, takes ...script.Form) *script.Schema {
	schemas := make([]*script.Schema, len(args))
	operator := displayName(e.AsCall().FunctionName())
	for i, arg := range args {
		schemas[i] = c.infer(arg, in)
		t := c.tree.GetType(arg.ID())
		if t != nil && t.Kind() != types.DynKind {
			continue // the type-checker has looked at it
		}
		if f := schemas[i].Form(); f != script.FormAny && !slices.Contains(takes, f) {
			c.problem(e.ID(), "%s is %s: %s is not defined for it", c.name(arg), f, operator)
			return nil
		}
	}
	a, b := schemas[0].Form(), schemas[1].Form()
	if a != script.FormAny && b != script.FormAny && a != b {
		c.problem(e.ID(), "%s is %s, %s is %s: %s is not defined for them", c.name(args[0]), a, c.name(args[1]), b, operator)
		return nil
	}
	if schemas[0].Same(schemas[1]) {
		return schemas[0]
	}
	return nil
}

func (c *fieldCheck) inferLoop(e ast.Expr, in scope) *script.Schema {
	loop := e.AsComprehension()
	if isBind(e) {
		return c.infer(loop.Result(), in.with(loop.AccuVar(), c.infer(loop.AccuInit(), in)))
	}
	over := c.infer(loop.IterRange(), in)
	switch f := over.Form(); f {
	case script.FormText, script.FormNumber, script.FormBoolean:
		c.problem(loop.IterRange().ID(), "%s is %s: want a list or a map to go through", c.name(loop.IterRange()), f)
	}
	first, second := over.Element(), over.Element()
	switch {
	case over.Form() == script.FormObject:
		first = script.TextSchema
	case over.Form() == script.FormList && loop.HasIterVar2():
		first = script.NumberSchema
	}
	accumulated := c.infer(loop.AccuInit(), in)
	inner := in.with(loop.AccuVar(), nil).with(loop.IterVar(), first).with(loop.IterVar2(), second)
	c.infer(loop.LoopCondition(), inner)
	c.infer(loop.LoopStep(), inner)
	if accumulated.Form() == script.FormBoolean {
		return script.BooleanSchema
	}
	if element := collected(loop.LoopStep()); element != nil {
		return script.ListOf(c.infer(element, inner))
	}
	return nil
}

// collected returns what a round of a loop adds to a list; nil for loops of another kind.
func collected(step ast.Expr) ast.Expr {
	if step.Kind() != ast.CallKind {
		return nil
	}
	args := step.AsCall().Args()
	switch step.AsCall().FunctionName() {
	case operators.Conditional:
		return collected(args[1])
	case operators.Add:
		if args[1].Kind() == ast.ListKind && len(args[1].AsList().Elements()) == 1 {
			return args[1].AsList().Elements()[0]
		}
	}
	return nil
}

func constantText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// isNull tells whether e is null, or dyn(null).
func isNull(e ast.Expr) bool {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == overloads.TypeConvertDyn && len(e.AsCall().Args()) == 1 {
		e = e.AsCall().Args()[0]
	}
	if e.Kind() != ast.LiteralKind {
		return false
	}
	_, ok := e.AsLiteral().(types.Null)
	return ok
}
