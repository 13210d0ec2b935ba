package lua

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// FuzzScan holds that the scanner finds the words of a text where gopher-lua finds them, so that nothing can be hidden from
// the check that keeps hostile sources from the compiler.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"local x = 1 -- comment\r\nreturn x", "--[[ long\n]] x --[==[ ]] ]==] y", "'a\\'b' \"c\\\nd\" [[e]] [=[f]]]=]",
		"1 1.5 .5 1e5 1e-5 0x1F 1e\" 1e\n .5E+[ 1and 2or 0x1and", "a.b..c...d :: : ~= <= >= == = ...5 ..5", "--\rx\n\ry\r\nz", "1..2 1. .2 09 0e .0.0",
		"--[=x\n y", "a[[[x]]] --[[", "\"\\\r\n\"x", "'\\", "\x00 ~ ! \xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		theirs := parse.NewScanner(strings.NewReader(text), "")
		lexer := &parse.Lexer{}
		mine := &scanner{text: text, line: 1}
		for {
			token, err := theirs.Scan(lexer)
			if err != nil {
				return // The parser goes no further.
			}
			_, line, column, ok := mine.next()
			if token.Type == parse.EOF {
				require.False(t, ok, "%q: one word too many at %d:%d", text, line, column)
				return
			}
			require.True(t, ok, "%q: want a word at %d:%d", text, token.Pos.Line, token.Pos.Column)
			require.Equal(t, [2]int{token.Pos.Line, token.Pos.Column}, [2]int{line, column}, "%q", text)
		}
	})
}

// depth returns how deeply the compiler may have to recurse into expr or statements, roughly.
func depth(node any) int {
	deepest := 0
	in := func(nodes ...any) {
		for _, n := range nodes {
			deepest = max(deepest, depth(n))
		}
	}
	switch n := node.(type) {
	case []ast.Stmt:
		for _, s := range n {
			in(s)
		}
		return deepest
	case []ast.Expr:
		for _, e := range n {
			in(e)
		}
		return deepest
	case *ast.AssignStmt:
		in(n.Lhs, n.Rhs)
	case *ast.LocalAssignStmt:
		in(n.Exprs)
	case *ast.FuncCallStmt:
		in(n.Expr)
	case *ast.ReturnStmt:
		in(n.Exprs)
	case *ast.DoBlockStmt:
		in(n.Stmts)
	case *ast.WhileStmt:
		in(n.Condition, n.Stmts)
	case *ast.FuncDefStmt:
		in(n.Func.Stmts)
	case *ast.FunctionExpr:
		in(n.Stmts)
	case *ast.FuncCallExpr:
		in(n.Func, n.Receiver, n.Args)
	case *ast.AttrGetExpr:
		in(n.Object, n.Key)
	case *ast.TableExpr:
		for _, field := range n.Fields {
			in(field.Key, field.Value)
		}
	case *ast.ArithmeticOpExpr:
		in(n.Lhs, n.Rhs)
	case *ast.StringConcatOpExpr:
		in(n.Lhs, n.Rhs)
	case *ast.LogicalOpExpr:
		in(n.Lhs, n.Rhs)
	case *ast.RelationalOpExpr:
		in(n.Lhs, n.Rhs)
	case *ast.UnaryLenOpExpr:
		in(n.Expr)
	case *ast.UnaryMinusOpExpr:
		in(n.Expr)
	case *ast.UnaryNotOpExpr:
		in(n.Expr)
	default:
		return 0
	}
	return deepest + 1
}

// FuzzNesting holds that whatever the scanner lets pass is nested as little as it says.
func FuzzNesting(f *testing.F) {
	pieces := []string{
		"x", "1", "'s'", "-", "#", "not ", "^", "..", "+", " and ", " or ", "(", ")", "{", "}", "[", "]", ".", ":", ",", "=", ";", "\n",
		" function ", "()", " end ", " do ", " while ", " then ", " local ", " return ", "x=", "f()", "x.y", "==", "{x}", "(x)",
	}
	f.Add([]byte{31, 3, 3, 3, 0}, 100)
	f.Add([]byte{31, 0, 6, 0, 6}, 100)
	f.Add([]byte{32, 31, 35, 7}, 60)
	f.Add([]byte{31, 11, 0, 12, 8}, 60)
	f.Fuzz(func(t *testing.T, choice []byte, times int) {
		if len(choice) > 40 || times < 0 || times > 400 {
			return
		}
		var once strings.Builder
		for _, c := range choice {
			once.WriteString(pieces[int(c)%len(pieces)])
		}
		text := strings.Repeat(once.String(), times)
		if len(text) > script.MaxSource {
			return
		}
		_, problem := scan(&script.Source{Operation: interpreter.InterpretHealth, Text: text})
		if problem != nil {
			return
		}
		chunk, err := parse.Parse(strings.NewReader(text), "")
		if err != nil {
			return
		}
		// A statement, a block and an expression may each be a step of recursion beside what is counted.
		assert.LessOrEqual(t, depth(chunk), 3*maxNesting, "%q times %d", once.String(), times)
	})
}
