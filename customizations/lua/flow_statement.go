package lua

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// block follows the statements of a block.
func (f *flow) block(stmts []ast.Stmt) {
	defer f.open()()
	f.statements(stmts)
}

// open opens a block, which the returned function closes.
func (f *flow) open() (closeBlock func()) {
	outer := f.scope
	f.scope = &names{outer: outer}
	return func() { f.scope = outer }
}

func (f *flow) statements(stmts []ast.Stmt) {
	for _, stmt := range stmts {
		if f.exhausted(1) {
			return
		}
		f.statement(stmt)
	}
}

func (f *flow) statement(stmt ast.Stmt) {
	switch s := stmt.(type) {
	case *ast.LocalAssignStmt:
		f.localAssign(s)
	case *ast.AssignStmt:
		f.assignment(s)
	case *ast.FuncCallStmt:
		f.expr(s.Expr)
	case *ast.DoBlockStmt:
		f.block(s.Stmts)
	case *ast.WhileStmt:
		f.whileLoop(s)
	case *ast.RepeatStmt:
		f.repeatLoop(s)
	case *ast.IfStmt:
		f.choice(s)
	case *ast.NumberForStmt:
		f.numberLoop(s)
	case *ast.GenericForStmt:
		f.genericLoop(s)
	case *ast.FuncDefStmt:
		f.define(s)
	case *ast.ReturnStmt:
		f.leave(s)
	case *ast.BreakStmt, *ast.GotoStmt:
		f.now.over = true
	case *ast.LabelStmt:
		f.now.over = false
	}
}

// declare makes a new local variable.
func (f *flow) declare(name string, k knowledge) *binding {
	f.variables++
	v := &binding{id: f.variables}
	if f.scope.variables == nil {
		f.scope.variables = map[string]*binding{}
	}
	f.scope.variables[name] = v
	f.setVariable(v, k)
	return v
}

func (f *flow) setVariable(v *binding, k knowledge) {
	if k.schema != nil && k.place == "" {
		k.place = v.place()
		f.exhausted(f.now.size())
		f.now.forget(k.place)
	}
	f.now.variables[v] = k
}

func (f *flow) localAssign(s *ast.LocalAssignStmt) {
	if function, ok := only(s.Exprs).(*ast.FunctionExpr); ok && len(s.Names) == 1 {
		v := f.declare(s.Names[0], knowledge{}) // It can call itself.
		f.setVariable(v, f.function(function))
		return
	}
	values := f.values(s.Exprs, len(s.Names))
	for i, name := range s.Names {
		f.declare(name, values[i])
	}
}

func only(exprs []ast.Expr) ast.Expr {
	if len(exprs) != 1 {
		return nil
	}
	return exprs[0]
}

// values returns what is known about n values that exprs give.
func (f *flow) values(exprs []ast.Expr, n int) []knowledge {
	var out []knowledge
	for i, expr := range exprs {
		if i == len(exprs)-1 && spreads(expr) && n > i+1 {
			if call, ok := expr.(*ast.FuncCallExpr); ok {
				out = append(out, f.call(call)...)
			}
			for len(out) < n {
				out = append(out, knowledge{})
			}
			break
		}
		out = append(out, f.expr(expr))
	}
	for len(out) < n {
		out = append(out, nothing)
	}
	return out
}

func (f *flow) assignment(s *ast.AssignStmt) {
	values := f.values(s.Rhs, len(s.Lhs))
	for i, target := range s.Lhs {
		var from ast.Expr
		if len(s.Lhs) == len(s.Rhs) {
			from = s.Rhs[i]
		}
		switch t := target.(type) {
		case *ast.IdentExpr:
			f.assignName(t.Value, values[i])
		case *ast.AttrGetExpr:
			f.assignField(t, values[i], from)
		}
	}
}

func (f *flow) assignName(name string, k knowledge) {
	v := f.scope.find(name)
	if v == nil {
		f.variables++
		v = &binding{id: f.variables}
		f.globals.variables[name] = v
	}
	f.setVariable(v, k)
}

func (f *flow) define(s *ast.FuncDefStmt) {
	k := f.function(s.Func)
	switch name := s.Name.Func.(type) {
	case *ast.IdentExpr:
		f.assignName(name.Value, k)
	case *ast.AttrGetExpr:
		f.assignField(name, k, s.Func)
	}
}

func (f *flow) choice(s *ast.IfStmt) {
	yes, no := f.branch(s.Condition)
	f.now = yes
	f.block(s.Then)
	yes, f.now = f.now, no
	f.block(s.Else)
	f.now = join(yes, f.now)
}

func (f *flow) whileLoop(s *ast.WhileStmt) {
	f.widen(s.Stmts)
	yes, no := f.branch(s.Condition)
	f.now = yes
	f.block(s.Stmts)
	no.over = false // There may be a break.
	f.now = no
}

func (f *flow) repeatLoop(s *ast.RepeatStmt) {
	f.widen(s.Stmts)
	before := f.now.clone()
	closeBlock := f.open()
	f.statements(s.Stmts)
	yes, _ := f.branch(s.Condition)
	closeBlock()
	f.now = join(before, yes)
}

func (f *flow) numberLoop(s *ast.NumberForStmt) {
	var limits []knowledge
	for _, limit := range []ast.Expr{s.Init, s.Limit, s.Step} {
		if limit != nil {
			limits = append(limits, f.operand(limit))
			f.number(limits[len(limits)-1], limit, "for")
		}
	}
	f.loop(s.Stmts, func() {
		f.declare(s.Name, knowledge{schema: script.NumberSchema, truth: isTrue})
		for _, limit := range limits {
			f.now.has(limit)
		}
	})
}

func (f *flow) genericLoop(s *ast.GenericForStmt) {
	over, key, element := f.iterated(s.Exprs)
	f.loop(s.Stmts, func() {
		if over.place != "" {
			f.now.set(over.place)
		}
		for i, name := range s.Names {
			switch i {
			case 0:
				v := f.declare(name, key)
				if over.place != "" {
					element.place = over.place + v.index()
				}
			case 1:
				element.written = name
				f.declare(name, element)
			default:
				f.declare(name, knowledge{})
			}
		}
	})
}

// loop follows the body of a loop that may be run any number of times.
func (f *flow) loop(stmts []ast.Stmt, declare func()) {
	f.widen(stmts)
	before := f.now.clone()
	f.exhausted(before.size())
	closeBlock := f.open()
	declare()
	f.statements(stmts)
	closeBlock()
	f.now = join(before, f.now)
}

// widen forgets what is known about what the body of a loop changes, since a round may begin where another ended.
func (f *flow) widen(stmts []ast.Stmt) {
	for target := range targets(stmts) {
		if f.exhausted(1) {
			return
		}
		switch t := target.(type) {
		case *ast.IdentExpr:
			if v := f.scope.find(t.Value); v != nil {
				f.now.variables[v] = widened(f.now.variables[v])
			}
		case *ast.AttrGetExpr:
			if place := f.placeOf(t); place != "" {
				f.exhausted(f.now.size())
				f.now.assign(place)
			}
		}
	}
}

// widened returns what stays known about a variable that is assigned to again and again: the table of a script stays one.
func widened(k knowledge) knowledge { return knowledge{made: k.made} }

// targets yields what the statements of a loop assign to, functions that they define apart.
func targets(stmts []ast.Stmt) func(yield func(ast.Expr) bool) {
	return func(yield func(ast.Expr) bool) { yieldTargets(stmts, yield) }
}

func yieldTargets(stmts []ast.Stmt, yield func(ast.Expr) bool) bool {
	for _, stmt := range stmts {
		var inner [][]ast.Stmt
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(s.Lhs, func(target ast.Expr) bool { return !yield(target) }) {
				return false
			}
		case *ast.DoBlockStmt:
			inner = append(inner, s.Stmts)
		case *ast.WhileStmt:
			inner = append(inner, s.Stmts)
		case *ast.RepeatStmt:
			inner = append(inner, s.Stmts)
		case *ast.IfStmt:
			inner = append(inner, s.Then, s.Else)
		case *ast.NumberForStmt:
			inner = append(inner, s.Stmts)
		case *ast.GenericForStmt:
			inner = append(inner, s.Stmts)
		}
		for _, stmts := range inner {
			if !yieldTargets(stmts, yield) {
				return false
			}
		}
	}
	return true
}

// placeOf returns the place of a field without looking at how it is read; "" when it is not known.
func (f *flow) placeOf(e *ast.AttrGetExpr) string {
	defer f.aside()()
	return f.field(f.expr(e.Object), e).place
}

// aside begins a look at an expression that nothing is known from and nothing is said about; the returned function ends it.
func (f *flow) aside() (end func()) {
	now := f.now
	f.now = now.clone()
	f.exhausted(now.size())
	f.mute++
	return func() { f.now, f.mute = now, f.mute-1 }
}

func (f *flow) leave(s *ast.ReturnStmt) {
	out := exit{at: s}
	if call, ok := only(s.Exprs).(*ast.FuncCallExpr); ok && spreads(call) {
		out.values = f.call(call)
	} else {
		for _, expr := range s.Exprs {
			out.values = append(out.values, f.expr(expr))
		}
	}
	out.state = f.now.clone()
	f.exhausted(f.now.size())
	if top := f.calls[len(f.calls)-1]; !f.now.over {
		top.exits = append(top.exits, out)
	}
	f.now.over = true
}
