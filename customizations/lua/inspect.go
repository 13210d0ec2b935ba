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
	in := &inspector{lib: lib, functions: map[string]bool{}, localFunctions: map[string]bool{}, globals: map[string]bool{}, declarations: map[string]int{}, fixed: newFixed()}
	in.block(chunk)
	return in
}

func (in *inspector) open()  { in.scopes = append(in.scopes, nil) }
func (in *inspector) close() { in.scopes = in.scopes[:len(in.scopes)-1] }
func (in *inspector) local(name string) {
	top := &in.scopes[len(in.scopes)-1]
	if *top == nil {
		*top = map[string]bool{}
	}
	(*top)[name] = true
	in.declarations[name]++
}

func (in *inspector) isLocal(name string) bool {
	return slices.ContainsFunc(in.scopes, func(scope map[string]bool) bool { return scope[name] })
}

func (in *inspector) block(stmts []ast.Stmt) {
	in.open()
	in.stmts(stmts)
	in.close()
}

func (in *inspector) stmts(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		in.stmt(stmt)
	}
}

func (in *inspector) stmt(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.LocalAssignStmt:
		in.localAssign(s)
	case *ast.AssignStmt:
		in.exprs(s.Rhs)
		for _, target := range s.Lhs {
			in.assign(target, s.Line())
		}
	case *ast.FuncCallStmt:
		in.expr(s.Expr)
	case *ast.DoBlockStmt:
		in.block(s.Stmts)
	case *ast.WhileStmt:
		in.expr(s.Condition)
		in.block(s.Stmts)
	case *ast.RepeatStmt:
		in.open()
		in.stmts(s.Stmts)
		in.expr(s.Condition)
		in.close()
	case *ast.IfStmt:
		in.expr(s.Condition)
		in.block(s.Then)
		in.block(s.Else)
	case *ast.NumberForStmt:
		in.exprs([]ast.Expr{s.Init, s.Limit, s.Step})
		in.loop([]string{s.Name}, s.Stmts)
	case *ast.GenericForStmt:
		in.exprs(s.Exprs)
		in.loop(s.Names, s.Stmts)
	case *ast.FuncDefStmt:
		in.define(s)
	case *ast.ReturnStmt:
		in.exprs(s.Exprs)
	}
}

func (in *inspector) loop(names []string, stmts []ast.Stmt) {
	in.open()
	for _, name := range names {
		in.local(name)
	}
	in.stmts(stmts)
	in.close()
}

func (in *inspector) localAssign(s *ast.LocalAssignStmt) {
	if len(s.Exprs) == 1 && len(s.Names) == 1 {
		if _, isFunction := s.Exprs[0].(*ast.FunctionExpr); isFunction {
			in.local(s.Names[0]) // It can call itself.
			in.localFunctions[s.Names[0]] = true
		}
	}
	if in.isRequire(s) {
		in.requires = append(in.requires, s)
	} else {
		in.exprs(s.Exprs)
	}
	for _, name := range s.Names {
		in.local(name)
	}
}

func (in *inspector) define(s *ast.FuncDefStmt) {
	if s.Name.Func != nil {
		in.assign(s.Name.Func, s.Line())
		if ident, ok := s.Name.Func.(*ast.IdentExpr); ok && !in.isLocal(ident.Value) {
			in.functions[ident.Value] = true
		}
		in.function(s.Func)
		return
	}
	in.expr(s.Name.Receiver)
	in.function(s.Func, "self")
}

func (in *inspector) assign(target ast.Expr, line int) {
	if get, ok := target.(*ast.AttrGetExpr); ok {
		in.expr(get.Object)
		in.expr(get.Key)
		return
	}
	ident, ok := target.(*ast.IdentExpr)
	if !ok {
		return
	}
	if in.isLocal(ident.Value) {
		in.escaped[ident.Value] = true
		return
	}
	in.globals[ident.Value] = true
	if in.depth > 0 {
		in.writes = append(in.writes, read{ident.Value, line})
	}
}

func (in *inspector) function(f *ast.FunctionExpr, self ...string) {
	in.depth++
	in.open()
	for _, name := range append(self, f.ParList.Names...) {
		in.local(name)
	}
	if f.ParList.HasVargs {
		in.local("arg")
	}
	in.stmts(f.Stmts)
	in.close()
	in.depth--
}

func (in *inspector) exprs(exprs []ast.Expr) {
	for _, expr := range exprs {
		in.expr(expr)
	}
}

func (in *inspector) expr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.IdentExpr:
		in.use(e)
	case *ast.AttrGetExpr:
		if !in.useField(e) {
			in.expr(e.Object)
			in.expr(e.Key)
		}
	case *ast.TableExpr:
		for _, field := range e.Fields {
			in.expr(field.Key)
			in.expr(field.Value)
		}
	case *ast.FuncCallExpr:
		in.expr(e.Func)
		in.expr(e.Receiver)
		in.exprs(e.Args)
	case *ast.FunctionExpr:
		in.function(e)
	default:
		in.operands(expr)
	}
}

func (in *inspector) operands(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.LogicalOpExpr:
		in.expr(e.Lhs)
		in.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		in.expr(e.Lhs)
		in.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		in.expr(e.Lhs)
		in.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		in.expr(e.Lhs)
		in.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		in.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		in.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		in.expr(e.Expr)
	}
}

func (in *inspector) use(e *ast.IdentExpr) {
	name := e.Value
	in.escaped[name] = true
	if in.isLocal(name) {
		return
	}
	in.globalTable = in.globalTable || name == "_G"
	in.reads = append(in.reads, read{name, e.Line()})
	in.names[e] = name
}

// useField remembers the use of a field of a library table, string.format.
func (in *inspector) useField(e *ast.AttrGetExpr) bool {
	ident, isName := e.Object.(*ast.IdentExpr)
	key, isField := e.Key.(*ast.StringExpr)
	if !isName || !isField {
		return false
	}
	switch local := in.isLocal(ident.Value); {
	case local && in.isKube(ident.Value):
		in.kubeFields[e] = key.Value
		in.reads = append(in.reads, read{"kube." + key.Value, e.Line()})
	case local || in.lib.modules[ident.Value] == nil:
		return false
	default:
		in.fields[e] = ident.Value + "." + key.Value
		in.reads = append(in.reads, read{ident.Value + "." + key.Value, e.Line()})
	}
	return true
}

// warnings returns what is probably a mistake, in the order of the lines.
func (in *inspector) warnings(src *script.Source, idents []token) script.Problems {
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
	for _, w := range in.writes {
		warn(w, fmt.Sprintf("assignment to the global %s in a function: write local %s", w.name, w.name))
	}
	for _, r := range in.reads {
		if message := in.complain(r.name); message != "" {
			warn(r, message)
		}
	}
	slices.SortStableFunc(out, func(a, b *script.Problem) int { return a.Line - b.Line })
	return out
}

// complain returns what is wrong with the use of a global name or of a field of a library table; "" for nothing.
func (in *inspector) complain(name string) string {
	module, _, isField := strings.Cut(name, ".")
	switch {
	case in.globals[module] || in.globals[name]:
		return ""
	case slices.Contains(forbiddenNames, name), name == "string.dump", name == "package.loadlib":
		return "function " + name + " is not supported: it raises an error when it is called"
	case isField:
		if in.lib.has(name) || module == "package" {
			return ""
		}
		return "there is no " + name
	case in.lib.has(name) || in.lib.modules[name] != nil || name == "_G":
		return ""
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
