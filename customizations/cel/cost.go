package cel

import (
	"math"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// block is a piece of an expression that is evaluated as a whole: the expression without the bodies of its loops, or one
// round of a loop.
type block struct {
	// steps are the cost units of all its nodes, those of branches that may not be taken included.
	steps int64
	// bytes bounds the memory that evaluating its nodes allocates, apart from what calls charge.
	bytes int64
}

func (b *block) add(steps, bytes int64) {
	b.steps += steps
	b.bytes += bytes
}

// What the nodes allocate on the average, in bytes; the attacks of the tests, taken together, allocate no more than twice
// what they are charged for.
const (
	bytesValue   = 16  // a variable or a field, wrapped
	bytesCall    = 8   // the arguments and the result of a call
	bytesRound   = 32  // the variables of a loop
	bytesLoop    = 128 // a loop
	bytesList    = 96  // an empty list
	bytesElement = 32  // an element of a list, while it grows
	bytesMap     = 256 // an empty map
	bytesEntry   = 64  // an entry of a map
)

// costs is what an expression costs apart from what its calls charge.
type costs struct {
	root block
	// loops are the rounds of the loops, by the id of the node that is the loop's condition.
	loops map[int64]block
	// ranges are the nodes that loops run over.
	ranges map[int64]bool
}

func (l *library) costs(tree *ast.AST) costs {
	c := costs{loops: map[int64]block{}, ranges: map[int64]bool{}}
	c.count(tree.Expr(), &c.root)
	return c
}

func (c *costs) count(e ast.Expr, b *block) {
	switch e.Kind() {
	case ast.IdentKind:
		b.add(common.SelectAndIdentCost, bytesValue)
	case ast.SelectKind:
		b.add(common.SelectAndIdentCost, 0)
	case ast.CallKind:
		b.add(1, bytesCall)
	case ast.ListKind:
		n := int64(len(e.AsList().Elements()))
		b.add(common.ListCreateBaseCost, bytesList+bytesElement*n)
	case ast.MapKind:
		n := int64(len(e.AsMap().Entries()))
		b.add(common.MapCreateBaseCost, bytesMap+bytesEntry*n)
	case ast.StructKind:
		b.add(common.StructCreateBaseCost, bytesMap)
	case ast.ComprehensionKind:
		loop := e.AsComprehension()
		b.add(1, bytesLoop)
		round := &block{}
		round.add(1, bytesRound)
		c.count(loop.LoopCondition(), round)
		c.count(loop.LoopStep(), round)
		if !isBind(e) {
			c.loops[loop.LoopCondition().ID()] = *round
			c.ranges[loop.IterRange().ID()] = true
		}
		c.count(loop.IterRange(), b)
		c.count(loop.AccuInit(), b)
		c.count(loop.Result(), b)
		return
	}
	for part := range parts(e) {
		c.count(part, b)
	}
}

// Estimate returns how many cost units a run takes at most if every list and map that it goes through has size entries
// and every string size bytes. What a run makes out of them, and hands to another function, is taken to be no larger
// than they are.
func (p *Program) Estimate(size int64) int64 {
	s, err := p.syntax()
	if err != nil {
		return 0
	}
	e := estimate{library: p.library, tree: s.tree, size: max(size, 1)}
	return e.of(s.tree.Expr())
}

type estimate struct {
	library *library
	tree    *ast.AST
	size    int64
}

func (e *estimate) of(expr ast.Expr) int64 {
	var b block
	switch expr.Kind() {
	case ast.IdentKind, ast.SelectKind:
		b.steps = common.SelectAndIdentCost
	case ast.CallKind:
		b.steps = 1
		if m := e.library.meters[expr.AsCall().FunctionName()]; m.growth != nil {
			b.steps = saturate(b.steps, m.growth(e.argumentSize(expr.AsCall())))
		}
	case ast.ListKind:
		b.steps = common.ListCreateBaseCost
	case ast.MapKind:
		b.steps = common.MapCreateBaseCost
	case ast.StructKind:
		b.steps = common.StructCreateBaseCost
	case ast.ComprehensionKind:
		loop := expr.AsComprehension()
		rounds := e.rounds(loop.IterRange())
		round := saturate(1, saturate(e.of(loop.LoopCondition()), e.of(loop.LoopStep())))
		total := saturate(1, multiply(rounds, round))
		for _, part := range []ast.Expr{loop.IterRange(), loop.AccuInit(), loop.Result()} {
			total = saturate(total, e.of(part))
		}
		return total
	}
	for part := range parts(expr) {
		b.steps = saturate(b.steps, e.of(part))
	}
	return b.steps
}

// rounds returns how many elements a range has at most.
func (e *estimate) rounds(r ast.Expr) int64 {
	switch r.Kind() {
	case ast.ListKind:
		return int64(len(r.AsList().Elements()))
	case ast.CallKind:
		if call := r.AsCall(); call.FunctionName() == rangeFunction {
			return e.argumentSize(call)
		}
	}
	return e.size
}

// argumentSize returns how large the arguments of a call are at most; 0 when they are of types that have no size.
func (e *estimate) argumentSize(call ast.CallExpr) int64 {
	args := call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	least, most := e.size, int64(0)
	for _, arg := range args {
		n := e.sizeOf(arg)
		least, most = min(least, n), max(most, n)
	}
	switch call.FunctionName() {
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals:
		return least // nobody compares more than the smaller one has
	case rangeFunction:
		if n, ok := constantInt(args[0]); ok {
			return n
		}
		return e.size
	case operators.Add:
		if least == 0 {
			return least // numbers
		}
	}
	return most
}

func (e *estimate) sizeOf(arg ast.Expr) int64 {
	switch arg.Kind() {
	case ast.LiteralKind:
		switch text := arg.AsLiteral().(type) {
		case types.String, types.Bytes:
			return max(length(text), 1)
		}
		return 0
	case ast.IdentKind, ast.SelectKind, ast.CallKind, ast.ComprehensionKind:
		if t := e.tree.GetType(arg.ID()); t != nil {
			switch t.Kind() {
			case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.NullTypeKind, types.DurationKind,
				types.TimestampKind:
				return 0
			}
		}
	}
	return e.size
}

func constantInt(e ast.Expr) (int64, bool) {
	if e.Kind() != ast.LiteralKind {
		return 0, false
	}
	n, ok := e.AsLiteral().(types.Int)
	return max(int64(n), 0), ok
}

// saturate returns a+b, at most the greatest int64. Both are at least 0.
func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// multiply returns a*b, at most the greatest int64. Both are at least 0.
func multiply(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
