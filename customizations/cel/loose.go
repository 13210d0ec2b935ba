package cel

import (
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
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

// loosen makes e call the functions by their other names.
func loosen(e ast.Expr, factory ast.ExprFactory) {
	for part := range parts(e) {
		loosen(part, factory)
	}
	if e.Kind() != ast.CallKind {
		return
	}
	call := e.AsCall()
	if call.IsMemberFunction() && call.Target().Kind() == ast.IdentKind && call.Target().AsIdent() == "kube" {
		return // kube.first
	}
	if call.IsMemberFunction() && slices.Contains(looseFunctions, call.FunctionName()) {
		e.SetKindCase(factory.NewMemberCall(e.ID(), loose+call.FunctionName(), call.Target(), call.Args()...))
	}
}

// tight returns the text of an expression with the names that were written.
func tight(text string) string { return strings.ReplaceAll(text, "."+loose, ".") }
