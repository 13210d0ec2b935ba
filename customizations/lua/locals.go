package lua

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// extent is where a function stands.
type extent struct{ first, last int }

// variable is a local variable: its name, its register, from 1, and the lines between which it has a value. gopher-lua's
// own records of them are wrong after the first block of a function.
type variable struct {
	name     string
	register int
	from, to int
}

// variables returns the local variables of every function of the script; those of the script itself are under the extent
// 0. It parses the script again: few ask.
func (p *Program) variables() map[extent][]variable {
	out := map[extent][]variable{}
	chunk, err := parse.Parse(strings.NewReader(p.src.Text), chunkName)
	if err != nil {
		return out
	}
	s := &scopes{all: out}
	s.block(chunk, lastLine(chunk, 0))
	out[extent{}] = s.variables
	return out
}

// scopes are those of one function, while they are being walked through.
type scopes struct {
	all       map[extent][]variable
	variables []variable
	active    int // registers in use
}

func (s *scopes) declare(name string, from, to int) {
	s.active++
	s.variables = append(s.variables, variable{name, s.active, from, to})
}

// hide takes registers for what the compiler keeps in a loop.
func (s *scopes) hide(n int) { s.active += n }

func (s *scopes) block(stmts []ast.Stmt, to int) {
	active := s.active
	for _, stmt := range stmts {
		s.stmt(stmt, to)
	}
	s.active = active
}

func (s *scopes) stmt(stmt ast.Stmt, to int) {
	switch st := stmt.(type) {
	case *ast.LocalAssignStmt:
		s.exprs(st.Exprs)
		for _, name := range st.Names {
			s.declare(name, lastLine(stmt, st.Line())+1, to)
		}
	case *ast.AssignStmt:
		s.exprs(st.Lhs)
		s.exprs(st.Rhs)
	case *ast.FuncCallStmt:
		s.expr(st.Expr)
	case *ast.ReturnStmt:
		s.exprs(st.Exprs)
	case *ast.FuncDefStmt:
		s.function(st.Func, st.Name.Func == nil)
	case *ast.DoBlockStmt:
		s.block(st.Stmts, lastLine(stmt, to))
	case *ast.WhileStmt:
		s.expr(st.Condition)
		s.block(st.Stmts, lastLine(stmt, to))
	case *ast.RepeatStmt:
		s.block(st.Stmts, lastLine(stmt, to))
	case *ast.IfStmt:
		s.expr(st.Condition)
		s.block(st.Then, lastLine(st.Then, to))
		s.block(st.Else, lastLine(st.Else, to))
	case *ast.NumberForStmt:
		s.loop([]string{st.Name}, st.Stmts, st.Line(), lastLine(stmt, to))
	case *ast.GenericForStmt:
		s.exprs(st.Exprs)
		s.loop(st.Names, st.Stmts, st.Line(), lastLine(stmt, to))
	}
}

func (s *scopes) loop(names []string, stmts []ast.Stmt, line, to int) {
	active := s.active
	s.hide(3)
	for _, name := range names {
		s.declare(name, line+1, to)
	}
	s.block(stmts, to)
	s.active = active
}

func (s *scopes) exprs(exprs []ast.Expr) {
	for _, expr := range exprs {
		s.expr(expr)
	}
}

// expr looks for functions in an expression, where scripts write them: as values, fields and arguments.
func (s *scopes) expr(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.FunctionExpr:
		s.function(e, false)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			s.expr(field.Value)
		}
	case *ast.FuncCallExpr:
		s.expr(e.Func)
		s.exprs(e.Args)
	}
}

func (s *scopes) function(f *ast.FunctionExpr, method bool) {
	inner := &scopes{all: s.all}
	names := f.ParList.Names
	if method {
		names = append([]string{"self"}, names...)
	}
	for _, name := range names {
		inner.declare(name, f.Line(), f.LastLine())
	}
	if f.ParList.HasVargs {
		inner.declare("arg", f.Line(), f.LastLine())
	}
	inner.block(f.Stmts, f.LastLine())
	s.all[extent{f.Line(), f.LastLine()}] = inner.variables
}

// lastLine returns the last line of a statement or of statements, or otherwise when it is not known.
func lastLine(node any, otherwise int) int {
	switch n := node.(type) {
	case []ast.Stmt:
		if len(n) > 0 {
			return max(lastLine(n[len(n)-1], otherwise), n[len(n)-1].Line())
		}
	case ast.PositionHolder:
		if n.LastLine() > 0 {
			return n.LastLine()
		}
	}
	return otherwise
}
