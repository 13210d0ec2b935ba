package lua

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Check tells what of the script cannot be right for objects of the schema, or is risky, in the order of the places.
//
// Errors are fields that no such object has, and values of types that do not go together. Warnings are uses of values
// that may be absent, where nil ends the run with an error, and nothing before says that they are there; paths for the
// library kube that lead nowhere; texts that are calculated with; and assignments to what the operation may not change or
// nobody reads.
//
// The script is followed from its function on: through local variables, branches, loops and calls of its own functions,
// each call by itself. What cannot be followed, and what the schema leaves open, is right.
func (p *Program) Check(object *script.Schema) script.Problems {
	chunk, at, ok := parsePositions(p.src)
	if !ok {
		return nil
	}
	f := &flow{
		program: p, object: object, at: at, found: map[string]bool{}, used: map[string]bool{}, looked: map[string]bool{}, now: newState(),
		globals: &names{variables: map[string]*binding{}},
	}
	f.scope = f.globals
	f.run(chunk)
	f.judgeWrites()
	slices.SortStableFunc(f.problems, func(a, b *script.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.problems
}

const (
	// maxFlow is how much of a script is looked at, in nodes and things known of it, calls of its own functions counted each.
	maxFlow = 300_000
	// maxCalls is how deeply calls of a script's functions are followed.
	maxCalls = 8
	// maxProblems is how many problems are reported of one script.
	maxProblems = 100
)

// flow follows what is known about the values of a script from statement to statement.
type flow struct {
	program  *Program
	object   *script.Schema
	at       positions
	problems script.Problems
	found    map[string]bool

	now       *state
	scope     *names
	globals   *names
	variables int
	spent     int
	// calls are the calls that are being followed, the innermost last.
	calls []*frame
	// mute is not 0 while nothing is reported, quiet while nothing is reported about nil.
	mute, quiet int

	// lenient makes fields that there are not a warning.
	lenient bool

	writes []write
	// used are the places whose values the script does something with, looked those of which only the value itself counts,
	// not what is in it.
	used, looked map[string]bool
}

// frame is a call of a function of the script.
type frame struct {
	function *ast.FunctionExpr
	exits    []exit
}

// exit is a return from a function.
type exit struct {
	at     *ast.ReturnStmt // nil at the end of the function
	state  *state
	values []knowledge
}

// run follows the script itself, and then its function, called with the inputs of the operation.
func (f *flow) run(chunk []ast.Stmt) {
	f.calls = []*frame{{}}
	f.block(chunk)
	f.calls = nil
	entry := f.globals.variables[f.program.info.Function]
	if entry == nil || f.now.variables[entry].function == nil {
		return
	}
	function := f.now.variables[entry].function
	f.now.over = false
	var args []knowledge
	for i, in := range f.program.info.Inputs {
		k := knowledge{schema: script.InputSchema(in, f.object), place: string(in), truth: isTrue}
		if in == interpreter.InputItems {
			k.absent, k.truth = true, unknown
		}
		if names := function.function.ParList.Names; i < len(names) {
			k.written = names[i]
		}
		args = append(args, k)
	}
	for _, e := range f.enter(function, args) {
		f.result(e)
	}
}

// exhausted counts n, and tells whether the script has been looked at enough.
func (f *flow) exhausted(n int) bool {
	f.spent += n
	return f.spent > maxFlow
}

func (f *flow) error(at ast.PositionHolder, format string, args ...any) {
	f.report(&script.Problem{Severity: script.Error, Message: fmt.Sprintf(format, args...)}, at)
}

func (f *flow) warn(at ast.PositionHolder, format string, args ...any) {
	f.report(&script.Problem{Severity: script.Warning, Message: fmt.Sprintf(format, args...)}, at)
}

func (f *flow) report(p *script.Problem, at ast.PositionHolder) {
	if f.mute > 0 || f.now.over || len(f.problems) == maxProblems || f.spent > maxFlow {
		return
	}
	p.Source = f.program.src
	p.Line, p.Column = f.at.of(at)
	key := fmt.Sprint(p.Line, p.Column, p.Message)
	if f.found[key] {
		return
	}
	f.found[key] = true
	f.problems = append(f.problems, p)
}

// noField reports a field that no value of the schema has.
func (f *flow) noField(severity script.Severity, at ast.PositionHolder, where, name string, of *script.Schema) {
	f.report(&script.Problem{Severity: severity, Message: of.NoField(where, name), Err: script.ErrOptional}, at)
}

// maxText is how long an expression may be in a message.
const maxText = 60

// show returns an expression as it would be written, or what it is where that is long.
func show(expr ast.Expr) string {
	written := written(expr)
	if written == "" || len(written) > maxText {
		return "the value"
	}
	return written
}

func written(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.IdentExpr:
		return e.Value
	case *ast.NilExpr:
		return "nil"
	case *ast.TrueExpr:
		return "true"
	case *ast.FalseExpr:
		return "false"
	case *ast.NumberExpr:
		return e.Value
	case *ast.StringExpr:
		return fmt.Sprintf("%q", e.Value)
	case *ast.AttrGetExpr:
		return writtenField(e)
	case *ast.FuncCallExpr:
		name := written(e.Func)
		if e.Receiver != nil {
			name = written(e.Receiver) + ":" + e.Method
		}
		args := make([]string, len(e.Args))
		for i, arg := range e.Args {
			if args[i] = written(arg); args[i] == "" {
				return name + "(...)"
			}
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	case *ast.LogicalOpExpr:
		left, right := written(e.Lhs), written(e.Rhs)
		if left != "" && right != "" {
			return "(" + left + " " + e.Operator + " " + right + ")"
		}
	case *ast.TableExpr:
		if len(e.Fields) == 0 {
			return "{}"
		}
	}
	return ""
}

func writtenField(e *ast.AttrGetExpr) string {
	object := written(e.Object)
	if object == "" {
		return ""
	}
	if key, ok := e.Key.(*ast.StringExpr); ok && isName(key.Value) {
		return object + "." + key.Value
	}
	if key := written(e.Key); key != "" {
		return object + "[" + key + "]"
	}
	return ""
}

// isName tells whether text can stand behind a dot.
func isName(text string) bool {
	if text == "" || !isIdentStart(text[0]) || isReserved(text) {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 || !isIdentStart(byte(r)) && !isDigit(byte(r)) }) < 0
}

// kubeFunction returns the function of the library kube with a name; nil for none.
func (b *library) kubeFunction(name string) *kube.Function {
	for i := range b.kube {
		if b.kube[i].Name == name || slices.Contains(b.kube[i].Aliases, name) {
			return &b.kube[i]
		}
	}
	return nil
}
