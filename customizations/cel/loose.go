package cel

import (
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// looseFunctions are functions that return elements of a list of any one type. Of a list whose type nobody knows their
// result would have the first type that fits to what is done with it: in object.names.distinct().sort().join(",") that of
// a list of numbers, which cannot be joined. So expressions are made to call them under another name, under which they
// take lists of anything and return anything.
var looseFunctions = []string{"distinct", "first", "flatten", "last", "slice"}

// loose is what the other names begin with.
const loose = "@"

// loosely declares the functions under their other names.
func loosely(declared map[string]*decls.FunctionDecl) []celgo.EnvOption {
	var out []celgo.EnvOption
	for _, name := range looseFunctions {
		var overloads []celgo.FunctionOpt
		for _, o := range declared[name].OverloadDecls() {
			args := make([]*types.Type, len(o.ArgTypes()))
			for i, arg := range o.ArgTypes() {
				args[i] = anyOf(arg)
			}
			overloads = append(overloads, celgo.MemberOverload(o.ID(), args, anyOf(o.ResultType())))
		}
		out = append(out, celgo.Function(loose+name, overloads...))
	}
	return out
}

// anyOf returns a type with dynamic ones in place of its parameters.
func anyOf(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.TypeParamKind:
		return types.DynType
	case types.ListKind:
		return types.NewListType(anyOf(t.Parameters()[0]))
	case types.OpaqueKind:
		if optional(t) {
			return types.NewOptionalType(anyOf(t.Parameters()[0]))
		}
	}
	return t
}

// loosening makes an expression call the functions by their other names. And it makes a null that a choice may end with
// one of any type: condition ? {"a": 1} : null is what a rule says that may have no answer.
type loosening struct {
	factory ast.ExprFactory
	source  *ast.SourceInfo
	last    int64 // the highest id in use
}

func loosen(tree *ast.AST) {
	l := loosening{factory: ast.NewExprFactory(), source: tree.SourceInfo(), last: ast.MaxID(tree)}
	l.expr(tree.Expr())
}

func (l *loosening) expr(e ast.Expr) {
	for part := range parts(e) {
		l.expr(part)
	}
	if e.Kind() != ast.CallKind {
		return
	}
	switch call := e.AsCall(); {
	case isChoice(e) && isNull(call.Args()[1]) != isNull(call.Args()[2]):
		args := slices.Clone(call.Args())
		for i, arg := range args {
			if i > 0 && arg.Kind() == ast.LiteralKind && isNull(arg) {
				args[i] = l.anyType(arg)
			}
		}
		e.SetKindCase(l.factory.NewCall(e.ID(), call.FunctionName(), args...))
	case call.IsMemberFunction() && call.Target().Kind() == ast.IdentKind && call.Target().AsIdent() == "kube":
		// kube.first
	case call.IsMemberFunction() && slices.Contains(looseFunctions, call.FunctionName()):
		e.SetKindCase(l.factory.NewMemberCall(e.ID(), loose+call.FunctionName(), call.Target(), call.Args()...))
	}
}

// anyType returns dyn(e), at the place of e.
func (l *loosening) anyType(e ast.Expr) ast.Expr {
	l.last++
	if at, ok := l.source.GetOffsetRange(e.ID()); ok {
		l.source.SetOffsetRange(l.last, at)
	}
	return l.factory.NewCall(l.last, overloads.TypeConvertDyn, e)
}

// tight returns the text of an expression as it was written.
func tight(text string) string {
	return strings.NewReplacer("."+loose, ".", "dyn(null)", "null").Replace(text)
}
