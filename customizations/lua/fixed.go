package lua

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// fixed is what a script does with the library, to tell which of its functions it cannot have changed. Calls of those
// need no look-up: they are constants of the compiled script.
type fixed struct {
	// names are the uses of global names, and fields those of fields of library tables, "string.format".
	names  map[ast.Expr]string
	fields map[ast.Expr]string
	// requires are the statements local kube = require("kube"), and kubeFields the uses of fields of what they declare.
	requires   []*ast.LocalAssignStmt
	kubeFields map[*ast.AttrGetExpr]string
	// escaped are the names that are used other than for a field of theirs, or assigned to.
	escaped map[string]bool
}

func newFixed() fixed {
	return fixed{
		names: map[ast.Expr]string{}, fields: map[ast.Expr]string{}, kubeFields: map[*ast.AttrGetExpr]string{}, escaped: map[string]bool{},
	}
}

// isRequire tells whether s is local kube = require("kube"), under any name.
func (w *inspector) isRequire(s *ast.LocalAssignStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return false
	}
	call, ok := s.Exprs[0].(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	function, isName := call.Func.(*ast.IdentExpr)
	module, isText := call.Args[0].(*ast.StringExpr)
	return isName && isText && function.Value == "require" && module.Value == "kube" && !w.isLocal("require")
}

// isKube tells whether the local name stands for the library kube.
func (w *inspector) isKube(name string) bool {
	return slices.ContainsFunc(w.requires, func(s *ast.LocalAssignStmt) bool { return s.Names[0] == name })
}

// constants returns which expressions of the script are functions of the library, whatever the script does.
func (w *inspector) constants() map[ast.Expr]string {
	out := map[ast.Expr]string{}
	if w.globalTable || w.escaped["require"] || w.escaped["package"] || len(w.fieldsOf("package")) > 0 {
		return out // It may get at everything.
	}
	for expr, name := range w.names {
		if !w.globals[name] && w.lib.lookUp(name) != nil {
			out[expr] = name
		}
	}
	for expr, name := range w.fields {
		module, _, _ := strings.Cut(name, ".")
		if !w.globals[module] && !w.escaped[module] && w.lib.lookUp(name) != nil {
			out[expr] = name
		}
	}
	if w.globals["require"] || !w.kubeIsFixed() {
		return out
	}
	for expr, field := range w.kubeFields {
		if w.lib.lookUp("kube."+field) != nil {
			out[expr] = "kube." + field
		}
	}
	return out
}

// fieldsOf returns the uses of fields of a library table.
func (w *inspector) fieldsOf(module string) []ast.Expr {
	var out []ast.Expr
	for expr, name := range w.fields {
		if strings.HasPrefix(name, module+".") {
			out = append(out, expr)
		}
	}
	return out
}

// kubeIsFixed tells whether the library kube is only known under names that stand for nothing else, and only used for its
// fields.
func (w *inspector) kubeIsFixed() bool {
	for _, s := range w.requires {
		if name := s.Names[0]; w.escaped[name] || w.declarations[name] != len(w.requires) {
			return false
		}
	}
	return !w.escaped["kube"]
}
