package cel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Check tells what of the expression cannot be right for objects of the schema: fields that it reads or writes and that
// no such object has, and values of types that do not go together. What the schema leaves open is right. The problems
// are in the order of their places.
//
// At run time objects are dynamic whatever their schema says, so that a new version of it breaks no rule.
func (p *Program) Check(object *Schema) script.Problems {
	s, err := p.syntax()
	if err != nil {
		return script.Problems{p.problem(0, err.Error(), err)}
	}
	return s.checkFields(p.library, object, script.Error)
}

// checkFields is Check, with the severity of the problems.
func (s *syntax) checkFields(l *library, object *Schema, severity script.Severity) script.Problems {
	c := fieldCheck{syntax: s, library: l, object: object, severity: severity, found: map[string]bool{},
		inferred: map[int64]*Schema{},
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
type scope map[string]*Schema

func (s scope) with(name string, schema *Schema) scope {
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
	object   *Schema
	severity script.Severity
	problems script.Problems
	found    map[string]bool
	// inferred are the schemas of the nodes that have been looked at: some are asked for more than once.
	inferred map[int64]*Schema
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
		switch in {
		case interpreter.InputObject, interpreter.InputObserved:
			out[string(in)] = c.object
		case interpreter.InputItems:
			out[string(in)] = itemsOf(c.object)
		case interpreter.InputContext:
			out[string(in)] = placementSchema
		case interpreter.InputReplicas:
			out[string(in)] = numberSchema
		}
	}
	switch c.info.Result {
	case interpreter.ResultObject:
		out[nextVariable] = c.object
	case interpreter.ResultStatus:
		out[nextVariable], _ = c.object.field("status")
	}
	return out
}

// infer returns the schema of the value of e, nil when it is not known, and reports what is wrong in e.
func (c *fieldCheck) infer(e ast.Expr, in scope) *Schema {
	if known, ok := c.inferred[e.ID()]; ok {
		return known
	}
	s := c.inferNew(e, in)
	c.inferred[e.ID()] = s
	return s
}

func (c *fieldCheck) inferNew(e ast.Expr, in scope) *Schema {
	switch e.Kind() {
	case ast.IdentKind:
		return in[e.AsIdent()]
	case ast.LiteralKind:
		return literalSchema(e)
	case ast.SelectKind:
		field := c.selected(e, e.AsSelect().Operand(), e.AsSelect().FieldName(), in)
		if e.AsSelect().IsTestOnly() {
			return booleanSchema
		}
		return field
	case ast.CallKind:
		return c.inferCall(e, in)
	case ast.ListKind:
		var element *Schema
		for i, part := range e.AsList().Elements() {
			inferred := c.infer(part, in)
			if i == 0 {
				element = inferred
			} else if !same(element, inferred) {
				element = nil
			}
		}
		return listOf(element)
	case ast.MapKind:
		for part := range parts(e) {
			c.infer(part, in)
		}
		return &Schema{raw: map[string]any{"type": "object"}}
	case ast.ComprehensionKind:
		return c.inferLoop(e, in)
	}
	for part := range parts(e) {
		c.infer(part, in)
	}
	return nil
}

func literalSchema(e ast.Expr) *Schema {
	switch e.AsLiteral().(type) {
	case types.String:
		return textSchema
	case types.Int, types.Uint, types.Double:
		return numberSchema
	case types.Bool:
		return booleanSchema
	}
	return nil
}

// ErrOptional is the cause of a problem with a field that is read as one that may be absent: another version of the kind
// may have it.
var ErrOptional = errors.New("the field is read as one that may be absent")

// selected returns the schema of a field.
func (c *fieldCheck) selected(at, operand ast.Expr, name string, in scope) *Schema {
	of := c.infer(operand, in)
	switch f := of.form(); f {
	case formAny:
		return nil
	case formObject:
		field, ok := of.field(name)
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

func (c *fieldCheck) noField(id int64, where, name string, of *Schema, optional bool) {
	message := fmt.Sprintf("%s has no field %s", where, name)
	names := of.fields()
	if near := nearest(name, names); near != "" {
		message += fmt.Sprintf(": did you mean %s?", near)
	} else if len(names) <= 12 {
		message += ": want one of " + strings.Join(names, ", ")
	}
	var cause error
	if optional {
		cause = ErrOptional
	}
	c.report(id, cause, message)
}

func (c *fieldCheck) inferCall(e ast.Expr, in scope) *Schema {
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
		if of.form() == formList && key.form() == formText {
			c.problem(e.ID(), "%s is a list: want a number in []", c.name(args[0]))
		}
		return of.element()
	case operators.Conditional:
		c.want(args[0], formBoolean, in)
		a, b := c.infer(args[1], in), c.infer(args[2], in)
		switch {
		case isNull(args[1]):
			return b
		case isNull(args[2]), same(a, b):
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
			c.want(arg, formBoolean, in)
		}
		return booleanSchema
	case operators.Equals, operators.NotEquals:
		c.comparable(e, args, in)
		return booleanSchema
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		c.matching(e, args, in, formNumber, formText, formBoolean)
		return booleanSchema
	case operators.Add:
		return c.matching(e, args, in, formNumber, formText, formList)
	case operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo:
		return c.matching(e, args, in, formNumber)
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
func (c *fieldCheck) want(e ast.Expr, wanted form, in scope) {
	if f := c.infer(e, in).form(); f != formAny && f != wanted {
		c.problem(e.ID(), "%s is %s: want %s", c.name(e), f, wanted)
	}
}

// comparable reports a comparison of two values that are never equal.
func (c *fieldCheck) comparable(e ast.Expr, args []ast.Expr, in scope) {
	a, b := c.infer(args[0], in).form(), c.infer(args[1], in).form()
	if a != formAny && b != formAny && a != b {
		c.problem(e.ID(), "%s is %s, %s is %s: they are never equal", c.name(args[0]), a, c.name(args[1]), b)
	}
}

// matching reports operands that an operator does not take, or not together.
func (c *fieldCheck) matching(e ast.Expr, args []ast.Expr, in scope, takes ...form) *Schema {
	schemas := make([]*Schema, len(args))
	operator := displayName(e.AsCall().FunctionName())
	for i, arg := range args {
		schemas[i] = c.infer(arg, in)
		t := c.tree.GetType(arg.ID())
		if t != nil && t.Kind() != types.DynKind {
			continue // the type-checker has looked at it
		}
		if f := schemas[i].form(); f != formAny && !slices.Contains(takes, f) {
			c.problem(e.ID(), "%s is %s: %s is not defined for it", c.name(arg), f, operator)
			return nil
		}
	}
	a, b := schemas[0].form(), schemas[1].form()
	if a != formAny && b != formAny && a != b {
		c.problem(e.ID(), "%s is %s, %s is %s: %s is not defined for them", c.name(args[0]), a, c.name(args[1]), b, operator)
		return nil
	}
	if same(schemas[0], schemas[1]) {
		return schemas[0]
	}
	return nil
}

func (c *fieldCheck) inferLoop(e ast.Expr, in scope) *Schema {
	loop := e.AsComprehension()
	if isBind(e) {
		return c.infer(loop.Result(), in.with(loop.AccuVar(), c.infer(loop.AccuInit(), in)))
	}
	over := c.infer(loop.IterRange(), in)
	switch f := over.form(); f {
	case formText, formNumber, formBoolean:
		c.problem(loop.IterRange().ID(), "%s is %s: want a list or a map to go through", c.name(loop.IterRange()), f)
	}
	first, second := over.element(), over.element()
	if over.form() == formObject {
		first = textSchema
	} else if loop.HasIterVar2() {
		first = numberSchema
	}
	accumulated := c.infer(loop.AccuInit(), in)
	inner := in.with(loop.AccuVar(), nil).with(loop.IterVar(), first).with(loop.IterVar2(), second)
	c.infer(loop.LoopCondition(), inner)
	c.infer(loop.LoopStep(), inner)
	if accumulated.form() == formBoolean {
		return booleanSchema
	}
	if element := collected(loop.LoopStep()); element != nil {
		return listOf(c.infer(element, inner))
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

func isNull(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	_, ok := e.AsLiteral().(types.Null)
	return ok
}

// same tells whether two schemas surely are of the same values.
func same(a, b *Schema) bool {
	if a == nil || b == nil {
		return false
	}
	if f := a.form(); f != formObject && f != formList && f != formAny {
		return f == b.form()
	}
	return a == b || reflect.ValueOf(a.raw).Pointer() == reflect.ValueOf(b.raw).Pointer()
}
