package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// operation is expr for operators that have no branches.
func (f *flow) operation(e ast.Expr) knowledge {
	switch e := e.(type) {
	case *ast.ArithmeticOpExpr:
		for _, operand := range []ast.Expr{e.Lhs, e.Rhs} {
			f.number(f.operand(operand), operand, e.Operator)
		}
		return knowledge{schema: script.NumberSchema, truth: isTrue}
	case *ast.UnaryMinusOpExpr:
		f.number(f.operand(e.Expr), e.Expr, "-")
		return knowledge{schema: script.NumberSchema, truth: isTrue}
	case *ast.StringConcatOpExpr:
		for _, operand := range []ast.Expr{e.Lhs, e.Rhs} {
			f.concatenated(f.operand(operand), operand)
		}
		return knowledge{schema: script.TextSchema, truth: isTrue}
	case *ast.UnaryLenOpExpr:
		k := f.operand(e.Expr)
		f.length(k, e.Expr)
		return knowledge{schema: script.NumberSchema, truth: isTrue, counts: k.place}
	}
	return knowledge{}
}

// number reports a value that cannot be calculated with.
func (f *flow) number(k knowledge, e ast.Expr, operator string) {
	f.need(k, e, operator+" with nil", fmt.Sprintf("(%s or 0)", show(e)))
	switch form := k.schema.Form(); form {
	case script.FormObject, script.FormList, script.FormBoolean:
		f.error(e, "%s is %s: %s wants a number", f.title(k, e), form, operator)
	case script.FormText:
		if k.text == nil {
			f.warn(e, "%s is a string, and %s wants a number: write tonumber(%s), which is nil when it is none",
				f.title(k, e), operator, show(e))
		}
	}
}

func (f *flow) concatenated(k knowledge, e ast.Expr) {
	f.need(k, e, ".. with nil", fmt.Sprintf(`(%s or "")`, show(e)))
	switch form := k.schema.Form(); form {
	case script.FormObject, script.FormList, script.FormBoolean:
		f.error(e, "%s is %s: .. wants a string or a number", f.title(k, e), form)
	}
}

func (f *flow) length(k knowledge, e ast.Expr) {
	f.need(k, e, "# of nil", fmt.Sprintf("#(%s or {})", show(e)))
	switch form := k.schema.Form(); form {
	case script.FormNumber, script.FormBoolean:
		f.error(e, "%s is %s: # wants a list or a string", f.title(k, e), form)
	case script.FormObject:
		f.error(e, "%s is an object: # of it is always 0, want next(%s) ~= nil", f.title(k, e), strings.Trim(show(e), "()"))
	}
}

// ordered returns what is known where an operator that orders its operands holds, and where not.
func (f *flow) ordered(e *ast.RelationalOpExpr) (yes, no *state) {
	left, right := f.comparison(e)
	yes, no = f.split()
	switch e.Operator { // What has a length is there, whatever the number: nobody asks for #x > -1.
	case ">", ">=":
		yes.has(left)
		no.has(right)
	case "<", "<=":
		yes.has(right)
		no.has(left)
	}
	return yes, no
}

// has remembers that what a value counts is there.
func (s *state) has(k knowledge) {
	if k.counts != "" {
		s.set(k.counts)
	}
}

// comparison looks at the operands of an operator that orders them.
func (f *flow) comparison(e *ast.RelationalOpExpr) (left, right knowledge) {
	left, right = f.look(e.Lhs), f.look(e.Rhs)
	for _, side := range []struct {
		k, other knowledge
		e        ast.Expr
	}{{left, right, e.Lhs}, {right, left, e.Rhs}} {
		instead := fmt.Sprintf("(%s or 0)", show(side.e))
		if side.k.schema.Form() == script.FormText || side.other.schema.Form() == script.FormText {
			instead = fmt.Sprintf(`(%s or "")`, show(side.e))
		}
		f.need(side.k, side.e, e.Operator+" with nil", instead)
		switch form := side.k.schema.Form(); form {
		case script.FormObject, script.FormList, script.FormBoolean:
			f.error(side.e, "%s is %s: %s wants two numbers or two strings", f.title(side.k, side.e), form, e.Operator)
			return left, right
		}
	}
	a, b := left.schema.Form(), right.schema.Form()
	if a != script.FormAny && b != script.FormAny && a != b {
		f.error(e.Lhs, "%s is %s, %s is %s: %s wants two numbers or two strings", f.title(left, e.Lhs), a, f.title(right, e.Rhs), b, e.Operator)
	}
	return left, right
}

// equality returns what is known where == or ~= holds, and where not.
func (f *flow) equality(e *ast.RelationalOpExpr) (yes, no *state) {
	asked, isType := f.typeAsked(e.Lhs)
	left, right := f.look(e.Lhs), f.look(e.Rhs)
	if isConstant(e.Lhs) {
		f.comparable(right, e.Rhs, left, e.Lhs)
	} else {
		f.comparable(left, e.Lhs, right, e.Rhs)
	}
	equal, different := f.split()
	switch {
	case isType && right.text != nil:
		equal.hasType(asked, *right.text)
		if *right.text == "nil" {
			different.know(asked)
		}
	case right.isNil():
		different.know(left)
		equal.lack(left)
		if left.truth == isTrue {
			equal.over = true
		}
	case left.isNil():
		different.know(right)
		equal.lack(right)
	default:
		different.has(left)
		different.has(right)
		if right.isSure() {
			equal.equals(left, right)
		}
		if left.isSure() {
			equal.equals(right, left)
		}
	}
	if e.Operator == "~=" {
		return different, equal
	}
	return equal, different
}

// hasType remembers the answer of type(x).
func (s *state) hasType(k knowledge, name string) {
	if name == "nil" {
		s.lack(k)
		return
	}
	s.know(k)
	types := map[script.Form]string{
		script.FormObject: "table", script.FormList: "table", script.FormText: "string", script.FormNumber: "number",
		script.FormBoolean: "boolean",
	}
	if of := types[k.schema.Form()]; of != "" && of != name {
		s.over = true
	}
}

// isSure tells that a value is a constant that is not nil.
func (k knowledge) isSure() bool { return k.truth != unknown && !k.isNil() }

// equals remembers that a value is equal to a constant.
func (s *state) equals(k, constant knowledge) {
	s.know(k)
	facts := k.yes
	if constant.truth == isFalse {
		facts = k.no
	}
	for _, place := range facts {
		s.set(place)
	}
}

// typeAsked returns what is known about x in type(x).
func (f *flow) typeAsked(e ast.Expr) (knowledge, bool) {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 1 || call.Receiver != nil {
		return knowledge{}, false
	}
	if name, ok := call.Func.(*ast.IdentExpr); !ok || f.name(name.Value).library != "type" {
		return knowledge{}, false
	}
	defer f.aside()()
	return f.expr(call.Args[0]), true
}

func isVariable(e ast.Expr) bool {
	_, ok := e.(*ast.IdentExpr)
	return ok
}

func isConstant(e ast.Expr) bool {
	_, ok := e.(ast.ConstExpr)
	return ok
}

// comparable reports a value that is never equal to another.
func (f *flow) comparable(k knowledge, e ast.Expr, other knowledge, otherExpr ast.Expr) {
	a, b := k.schema.Form(), other.schema.Form()
	switch {
	case len(f.calls) > 1 && isVariable(e): // A function of the script that takes many things.
	case k.isNil() || other.isNil() || a == script.FormAny:
	case b != script.FormAny && a != b:
		which := ""
		if !isConstant(otherExpr) {
			which = ", which is " + string(b)
		}
		f.error(e, "%s is %s: it is never equal to %s%s", f.title(k, e), a, show(otherExpr), which)
	case other.text != nil && a == script.FormText:
		values := k.schema.Values()
		if len(values) == 0 || slices.Contains(values, *other.text) {
			return
		}
		f.error(e, "%s is never %q%s", f.title(k, e), *other.text, meant(*other.text, values))
	}
}

// meant returns what to write instead of a text that is none of values.
func meant(text string, values []string) string {
	if near := script.Nearest(text, values); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	if len(values) <= 12 {
		return ": want one of " + strings.Join(values, ", ")
	}
	return ""
}
