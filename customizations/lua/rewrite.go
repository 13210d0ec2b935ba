package lua

import (
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// rewriter changes a script so that what it allocates is taken from its memory budget before, and what takes long inside
// one instruction is counted. Lines and messages stay those of the original.
//
//   - a chain of .. becomes one call with all operands; the last is cut to one value, or it would spread
//   - #x and t[k] = v become calls
//   - the body of a function or loop begins with a call that takes what its table constructors, functions and assignments
//     to fields need at most, each counted once
//   - {} becomes a call that makes a table with less room than the Lua machine gives it
//   - a table constructor that ends in a call or in ... is measured when it is there
//   - a.b.c becomes one call with all keys, where reading them has no effect
//   - functions of the library that the script cannot have changed become constants
//   - a loop over next, t becomes one over next, t, nil
type rewriter struct {
	// constants are the expressions that are functions of the library.
	constants map[ast.Expr]string
	// bytes is what one pass through the body that is being rewritten allocates at most.
	bytes int
	// longest is the most elements that a table constructor has.
	longest int
}

func (w *rewriter) chunk(stmts []ast.Stmt) []ast.Stmt {
	if len(stmts) == 0 {
		return stmts
	}
	return w.body(stmts[0], stmts, nil)
}

// body rewrites the statements of a function or loop that stands at node. condition is evaluated with every pass;
// variable is the name of the table of variable arguments. Both may be nil.
func (w *rewriter) body(node ast.PositionHolder, stmts []ast.Stmt, condition *ast.Expr, variable ...ast.Expr) []ast.Stmt {
	outer := w.bytes
	w.bytes = 0
	if condition != nil {
		*condition = w.expr(*condition)
	}
	stmts = w.stmts(stmts)
	bytes := w.bytes
	w.bytes = outer
	if bytes == 0 && len(variable) == 0 {
		return stmts
	}
	if len(stmts) > 0 {
		node = stmts[0]
	}
	return append([]ast.Stmt{w.charge(node, bytes, variable...)}, stmts...)
}

// call returns a call of a hidden function at the place of node.
func call(node ast.PositionHolder, name string, args ...ast.Expr) *ast.FuncCallExpr {
	for _, arg := range args {
		at(node, arg)
	}
	return at(node, &ast.FuncCallExpr{Func: at(node, &ast.IdentExpr{Value: name}), Args: args})
}

// at puts a new expression at the place of node.
func at[E ast.Expr](node ast.PositionHolder, expr E) E {
	if expr.Line() == 0 {
		expr.SetLine(node.Line())
		expr.SetLastLine(node.LastLine())
	}
	return expr
}

// stmts rewrites statements. What stands behind a label may be run again by a goto, so it is charged there.
func (w *rewriter) stmts(stmts []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(stmts)+1)
	label, outer := -1, w.bytes
	closeLabel := func() {
		if label >= 0 && w.bytes > 0 && label < len(out) {
			out = slices.Insert(out, label, w.charge(out[label], w.bytes))
		}
	}
	for _, stmt := range stmts {
		if _, isLabel := stmt.(*ast.LabelStmt); !isLabel {
			out = append(out, w.stmt(stmt))
			continue
		}
		if closeLabel(); label < 0 {
			outer = w.bytes
		}
		out = append(out, stmt)
		label, w.bytes = len(out), 0
	}
	if closeLabel(); label >= 0 {
		w.bytes = outer
	}
	return out
}

// charge returns the statement that takes bytes from the memory budget, at the place of node.
func (w *rewriter) charge(node ast.PositionHolder, bytes int, variable ...ast.Expr) ast.Stmt {
	args := append([]ast.Expr{&ast.NumberExpr{Value: strconv.Itoa(bytes)}}, variable...)
	out := &ast.FuncCallStmt{Expr: call(node, hiddenCharge, args...)}
	out.SetLine(node.Line())
	out.SetLastLine(node.Line())
	return out
}

// threeValues returns the expressions of a loop with those that are missing: the compiler takes what happens to be in the
// registers for the first key.
func threeValues(loop ast.PositionHolder, exprs []ast.Expr) []ast.Expr {
	if spreads(exprs[len(exprs)-1]) {
		return exprs
	}
	for len(exprs) < 3 {
		exprs = append(exprs, at(loop, &ast.NilExpr{}))
	}
	return exprs
}

func (w *rewriter) stmt(stmt ast.Stmt) ast.Stmt {
	switch s := stmt.(type) {
	case *ast.LocalAssignStmt:
		w.exprs(s.Exprs)
	case *ast.AssignStmt:
		return w.assign(s)
	case *ast.FuncCallStmt:
		s.Expr = w.expr(s.Expr)
	case *ast.DoBlockStmt:
		s.Stmts = w.stmts(s.Stmts)
	case *ast.WhileStmt:
		s.Stmts = w.body(s, s.Stmts, &s.Condition)
	case *ast.RepeatStmt:
		s.Stmts = w.body(s, s.Stmts, &s.Condition)
	case *ast.IfStmt:
		s.Condition = w.expr(s.Condition)
		s.Then, s.Else = w.stmts(s.Then), w.stmts(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit, s.Step = w.expr(s.Init), w.expr(s.Limit), w.expr(s.Step)
		s.Stmts = w.body(s, s.Stmts, nil)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		s.Exprs = threeValues(s, s.Exprs)
		s.Stmts = w.body(s, s.Stmts, nil)
	case *ast.FuncDefStmt:
		w.function(s.Func)
		w.bytes += entrySize
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	}
	return stmt
}

func (w *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	w.exprs(s.Rhs)
	for _, target := range s.Lhs {
		get, ok := target.(*ast.AttrGetExpr)
		if !ok {
			continue
		}
		get.Object, get.Key = w.expr(get.Object), w.expr(get.Key)
		w.bytes += entrySize
		if _, isName := get.Key.(*ast.StringExpr); isName {
			continue
		}
		if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			w.bytes -= entrySize
			set := &ast.FuncCallStmt{Expr: call(get, hiddenSet, get.Object, get.Key, one(s.Rhs[0]))}
			set.SetLine(s.Line())
			set.SetLastLine(s.LastLine())
			return set
		}
		get.Key = w.key(get.Key)
	}
	return s
}

// key returns a key of an assignment that is not a call, with what the table may grow to hold it charged for.
func (w *rewriter) key(expr ast.Expr) ast.Expr {
	return call(expr, hiddenKey, one(expr))
}

func (w *rewriter) exprs(exprs []ast.Expr) {
	for i, expr := range exprs {
		exprs[i] = w.expr(expr)
	}
}

func (w *rewriter) function(f *ast.FunctionExpr) {
	w.bytes += functionSize
	if f.ParList.HasVargs {
		f.Stmts = w.body(f, f.Stmts, nil, &ast.IdentExpr{Value: "arg"})
	} else {
		f.Stmts = w.body(f, f.Stmts, nil)
	}
}

func (w *rewriter) expr(expr ast.Expr) ast.Expr {
	if name, ok := w.constants[expr]; ok {
		return at(expr, &ast.IdentExpr{Value: "(" + name + ")"})
	}
	switch e := expr.(type) {
	case nil:
		return nil
	case *ast.AttrGetExpr:
		return w.get(e)
	case *ast.TableExpr:
		return w.table(e)
	case *ast.FuncCallExpr:
		e.Func, e.Receiver = w.expr(e.Func), w.expr(e.Receiver)
		w.exprs(e.Args)
	case *ast.FunctionExpr:
		w.function(e)
	case *ast.StringConcatOpExpr:
		return w.concat(e)
	case *ast.UnaryLenOpExpr:
		return call(e, hiddenLength, one(w.expr(e.Expr)))
	default:
		w.operands(expr)
	}
	return expr
}

// get makes one call of a chain of fields, a.b[i].c, whose keys are texts, numbers and names, all on one line.
func (w *rewriter) get(e *ast.AttrGetExpr) ast.Expr {
	var keys []ast.Expr
	var object ast.Expr = e
	for {
		link, ok := object.(*ast.AttrGetExpr)
		if !ok || !isSimple(link.Key) || link.Line() != e.Line() || w.constants[object] != "" {
			break
		}
		keys = append(keys, w.expr(link.Key))
		object = link.Object
	}
	if len(keys) < 2 {
		e.Object, e.Key = w.expr(e.Object), w.expr(e.Key)
		return e
	}
	slices.Reverse(keys)
	return call(e, hiddenGet, append([]ast.Expr{one(w.expr(object))}, keys...)...)
}

// isSimple tells whether reading expr has no effect.
func isSimple(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.IdentExpr:
		return true
	}
	return false
}

func (w *rewriter) operands(expr ast.Expr) {
	switch e := expr.(type) {
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = w.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = w.expr(e.Expr)
	}
}

func (w *rewriter) table(e *ast.TableExpr) ast.Expr {
	w.bytes += tableSize
	if len(e.Fields) == 0 {
		return call(e, hiddenNew)
	}
	w.longest = max(w.longest, len(e.Fields))
	for _, field := range e.Fields {
		if field.Key == nil {
			w.bytes += slotSize
		} else {
			w.bytes += entrySize
		}
		field.Key, field.Value = w.expr(field.Key), w.expr(field.Value)
		if _, isName := field.Key.(*ast.StringExpr); field.Key != nil && !isName {
			field.Key = w.key(field.Key)
		}
	}
	if n := len(e.Fields); n > 0 && e.Fields[n-1].Key == nil && spreads(e.Fields[n-1].Value) {
		return call(e, hiddenTable, e)
	}
	return e
}

// concat makes one call of a chain of .. .
func (w *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var expr ast.Expr = e
	for {
		chain, ok := expr.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, w.expr(chain.Lhs))
		expr = chain.Rhs
	}
	return call(e, hiddenConcat, append(operands, one(w.expr(expr)))...)
}

// spreads tells whether expr can stand for any number of values.
func spreads(expr ast.Expr) bool {
	switch e := expr.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// one cuts expr to one value.
func one(expr ast.Expr) ast.Expr {
	switch e := expr.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return expr
}

// functionSize is what a function and the variables that it captures take.
const functionSize = 1024

// link makes hidden names of proto constants: what the compiler takes for a global is the function itself. Nothing that a
// script can do gets at it, or costs a look-up.
func (b *library) link(proto *lua.FunctionProto) {
	constants := map[int]int{}
	for pc, inst := range proto.Code {
		if int(inst>>26) != lua.OP_GETGLOBAL {
			continue
		}
		from := int(inst & 0x3ffff)
		name, _ := proto.Constants[from].(lua.LString)
		function := b.hiddenFunction(string(name))
		if function == nil {
			continue
		}
		to, known := constants[from]
		if !known {
			to = len(proto.Constants)
			constants[from] = to
			proto.Constants = append(proto.Constants, function)
		}
		proto.Code[pc] = uint32(lua.OP_LOADK)<<26 | inst&0x3fc0000 | uint32(to)
	}
	for i, c := range proto.DbgCalls {
		// Errors name the function as the script does.
		if inner, ok := strings.CutPrefix(c.Name, "("); ok {
			inner = strings.TrimSuffix(inner, ")")
			proto.DbgCalls[i].Name = inner[strings.LastIndexByte(inner, '.')+1:]
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		b.link(inner)
	}
}

// hiddenFunction returns the function that a name stands for that cannot be written in Lua: "(concat)", "(string.format)".
func (b *library) hiddenFunction(name string) *lua.LFunction {
	if function := b.hidden[name]; function != nil || !strings.HasPrefix(name, "(") {
		return function
	}
	return b.lookUp(strings.Trim(name, "()"))
}
