package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// inspector walks over a script, knows which names are local where, and remembers what warnings need.
type inspector struct {
	lib *library
	// scopes are the open scopes, each with its local names.
	scopes []map[string]bool
	depth  int // of functions

	// functions are the global functions that the script defines, localFunctions the local ones, and globals what it
	// assigns at all.
	functions, localFunctions, globals map[string]bool
	globalTable                        bool
	reads                              []read
	writes                             []read
	declarations                       map[string]int // how often a local name is declared

	fixed
}

// read is a place where a script uses a global name, perhaps with a field of it.
type read struct {
	name string
	line int
}

func inspect(lib *library, chunk []ast.Stmt) *inspector {
	w := &inspector{lib: lib, functions: map[string]bool{}, localFunctions: map[string]bool{}, globals: map[string]bool{}, declarations: map[string]int{}, fixed: newFixed()}
	w.block(chunk)
	return w
}

func (w *inspector) open()  { w.scopes = append(w.scopes, nil) }
func (w *inspector) close() { w.scopes = w.scopes[:len(w.scopes)-1] }
func (w *inspector) local(name string) {
	top := &w.scopes[len(w.scopes)-1]
	if *top == nil {
		*top = map[string]bool{}
	}
	(*top)[name] = true
	w.declarations[name]++
}

func (w *inspector) isLocal(name string) bool {
	return slices.ContainsFunc(w.scopes, func(scope map[string]bool) bool { return scope[name] })
}

func (w *inspector) block(stmts []ast.Stmt) {
	w.open()
	w.stmts(stmts)
	w.close()
}

func (w *inspector) stmts(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		w.stmt(stmt)
	}
}

func (w *inspector) stmt(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.LocalAssignStmt:
		w.localAssign(s)
	case *ast.AssignStmt:
		w.exprs(s.Rhs)
		for _, target := range s.Lhs {
			w.assign(target, s.Line())
		}
	case *ast.FuncCallStmt:
		w.expr(s.Expr)
	case *ast.DoBlockStmt:
		w.block(s.Stmts)
	case *ast.WhileStmt:
		w.expr(s.Condition)
		w.block(s.Stmts)
	case *ast.RepeatStmt:
		w.open()
		w.stmts(s.Stmts)
		w.expr(s.Condition)
		w.close()
	case *ast.IfStmt:
		w.expr(s.Condition)
		w.block(s.Then)
		w.block(s.Else)
	case *ast.NumberForStmt:
		w.exprs([]ast.Expr{s.Init, s.Limit, s.Step})
		w.loop([]string{s.Name}, s.Stmts)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		w.loop(s.Names, s.Stmts)
	case *ast.FuncDefStmt:
		w.define(s)
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	}
}

func (w *inspector) loop(names []string, stmts []ast.Stmt) {
	w.open()
	for _, name := range names {
		w.local(name)
	}
	w.stmts(stmts)
	w.close()
}

func (w *inspector) localAssign(s *ast.LocalAssignStmt) {
	if len(s.Exprs) == 1 && len(s.Names) == 1 {
		if _, isFunction := s.Exprs[0].(*ast.FunctionExpr); isFunction {
			w.local(s.Names[0]) // It can call itself.
			w.localFunctions[s.Names[0]] = true
		}
	}
	if w.isRequire(s) {
		w.requires = append(w.requires, s)
	} else {
		w.exprs(s.Exprs)
	}
	for _, name := range s.Names {
		w.local(name)
	}
}

func (w *inspector) define(s *ast.FuncDefStmt) {
	if s.Name.Func != nil {
		w.assign(s.Name.Func, s.Line())
		if ident, ok := s.Name.Func.(*ast.IdentExpr); ok && !w.isLocal(ident.Value) {
			w.functions[ident.Value] = true
		}
		w.function(s.Func)
		return
	}
	w.expr(s.Name.Receiver)
	w.function(s.Func, "self")
}

func (w *inspector) assign(target ast.Expr, line int) {
	if get, ok := target.(*ast.AttrGetExpr); ok {
		w.expr(get.Object)
		w.expr(get.Key)
		return
	}
	ident, ok := target.(*ast.IdentExpr)
	if !ok {
		return
	}
	if w.isLocal(ident.Value) {
		w.escaped[ident.Value] = true
		return
	}
	w.globals[ident.Value] = true
	if w.depth > 0 {
		w.writes = append(w.writes, read{ident.Value, line})
	}
}

func (w *inspector) function(f *ast.FunctionExpr, self ...string) {
	w.depth++
	w.open()
	for _, name := range append(self, f.ParList.Names...) {
		w.local(name)
	}
	if f.ParList.HasVargs {
		w.local("arg")
	}
	w.stmts(f.Stmts)
	w.close()
	w.depth--
}

func (w *inspector) exprs(exprs []ast.Expr) {
	for _, expr := range exprs {
		w.expr(expr)
	}
}

func (w *inspector) expr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.IdentExpr:
		w.use(e)
	case *ast.AttrGetExpr:
		if !w.useField(e) {
			w.expr(e.Object)
			w.expr(e.Key)
		}
	case *ast.TableExpr:
		for _, field := range e.Fields {
			w.expr(field.Key)
			w.expr(field.Value)
		}
	case *ast.FuncCallExpr:
		w.expr(e.Func)
		w.expr(e.Receiver)
		w.exprs(e.Args)
	case *ast.FunctionExpr:
		w.function(e)
	default:
		w.operands(expr)
	}
}

func (w *inspector) operands(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.LogicalOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		w.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		w.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		w.expr(e.Expr)
	}
}

func (w *inspector) use(e *ast.IdentExpr) {
	name := e.Value
	w.escaped[name] = true
	if w.isLocal(name) {
		return
	}
	w.globalTable = w.globalTable || name == "_G"
	w.reads = append(w.reads, read{name, e.Line()})
	w.names[e] = name
}

// useField remembers the use of a field of a library table, string.format.
func (w *inspector) useField(e *ast.AttrGetExpr) bool {
	ident, isName := e.Object.(*ast.IdentExpr)
	key, isField := e.Key.(*ast.StringExpr)
	if !isName || !isField {
		return false
	}
	switch local := w.isLocal(ident.Value); {
	case local && w.isKube(ident.Value):
		w.kubeFields[e] = key.Value
		w.reads = append(w.reads, read{"kube." + key.Value, e.Line()})
	case local || !w.lib.isGlobal(ident.Value):
		return false
	default:
		w.fields[e] = ident.Value + "." + key.Value
		w.reads = append(w.reads, read{ident.Value + "." + key.Value, e.Line()})
	}
	return true
}

// warnings returns what is probably a mistake, in the order of the lines.
func (w *inspector) warnings(src *script.Source, idents []token) script.Problems {
	var out script.Problems
	warn := func(at read, message string) {
		name := at.name
		if _, field, ok := strings.Cut(name, "."); ok {
			name = field
		}
		out = append(out, &script.Problem{
			Severity: script.Warning, Source: src, Line: at.line, Column: columnOf(idents, name, at.line), Message: message,
		})
	}
	for _, write := range w.writes {
		warn(write, fmt.Sprintf("assignment to the global %s in a function: write local %s", write.name, write.name))
	}
	for _, r := range w.reads {
		if message := w.complain(r.name); message != "" {
			warn(r, message)
		}
	}
	slices.SortStableFunc(out, func(a, b *script.Problem) int { return a.Line - b.Line })
	return out
}

// complain returns what is wrong with the use of a global name or of a field of a library table; "" for nothing.
func (w *inspector) complain(name string) string {
	module, _, isField := strings.Cut(name, ".")
	switch {
	case w.globals[module] || w.globals[name]:
		return ""
	case slices.Contains(forbiddenNames, name), name == "string.dump", name == "package.loadlib":
		return "function " + name + " is not supported: it raises an error when it is called"
	case isField:
		if w.lib.has(name) || module == "package" {
			return ""
		}
		return "there is no " + name
	case w.lib.has(name) || w.lib.isGlobal(name) || name == "_G":
		return ""
	case name == "kube":
		return `there is no global kube: write local kube = require("kube")`
	}
	return "there is no global " + name + ": it is always nil"
}

func columnOf(idents []token, name string, line int) int {
	for _, ident := range idents {
		if ident.line == line && ident.text == name {
			return ident.column
		}
	}
	return 0
}

// places returns where names first stand.
func places(idents []token, names map[string]bool) map[string]token {
	out := map[string]token{}
	for _, ident := range idents {
		if _, known := out[ident.text]; !known && names[ident.text] {
			out[ident.text] = ident
		}
	}
	return out
}
