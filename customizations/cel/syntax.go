package cel

import (
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// syntax is a type-checked expression.
type syntax struct {
	source *script.Source
	info   *interpreter.OperationInfo
	env    *celgo.Env
	tree   *ast.AST
	cost   costs
}

// analyze parses and type-checks src and returns all that is wrong with it; no problem means that there is a syntax.
func (l *library) analyze(src *script.Source) (*syntax, script.Problems, error) {
	if problem := checkSource(src); problem != nil {
		return nil, script.Problems{problem}, nil
	}
	s := &syntax{source: src, info: src.Operation.Info()}
	var err error
	if s.env, err = l.environments[src.Operation](); err != nil {
		return nil, nil, fmt.Errorf("build the environment of CEL: %w", err)
	}
	checked, problems := l.compile(s.env, src)
	if len(problems) > 0 {
		return nil, problems, nil
	}
	s.tree = checked.NativeRep()
	if problems := append(s.checkKeys(s.tree.Expr(), nil), s.checkResult()...); len(problems) > 0 {
		return nil, problems, nil
	}
	s.cost = l.costs(s.tree)
	return s, nil, nil
}

// compile parses and type-checks src in env.
func (l *library) compile(env *celgo.Env, src *script.Source) (*celgo.Ast, script.Problems) {
	parsed, issues := env.Parse(src.Text)
	if issues.Err() != nil {
		return nil, syntaxProblems(src, issues)
	}
	if n := nodes(parsed.NativeRep().Expr(), 0); n > maxNodes {
		return nil, script.Problems{{
			Severity: script.Error, Source: src,
			Message: fmt.Sprintf("the expression has more than %d parts: want a smaller one", maxNodes),
		}}
	}
	loosen(parsed.NativeRep())
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, l.typeProblems(env, src, parsed.NativeRep(), issues)
	}
	return checked, nil
}

// checkKeys returns problems and the keys that stand in a map twice: the last would win without a word.
func (s *syntax) checkKeys(e ast.Expr, problems script.Problems) script.Problems {
	if e.Kind() == ast.MapKind {
		seen := map[any]bool{}
		for _, entry := range e.AsMap().Entries() {
			key := entry.AsMapEntry().Key()
			value, ok := constantKey(key)
			if !ok {
				continue
			}
			if seen[value] {
				line, column := s.place(key.ID())
				problems = append(problems, &script.Problem{
					Severity: script.Error, Source: s.source, Line: line, Column: column,
					Message: fmt.Sprintf("the key %s stands in this map twice", shorten(s.text(key))),
				})
			}
			seen[value] = true
		}
	}
	for part := range parts(e) {
		problems = s.checkKeys(part, problems)
	}
	return problems
}

// constantKey returns the key that e is; false when it is none, or has to be computed.
func constantKey(e ast.Expr) (any, bool) {
	if e.Kind() != ast.LiteralKind {
		return nil, false
	}
	switch value := e.AsLiteral().(type) {
	case types.String, types.Int, types.Uint, types.Bool:
		return value, true
	}
	return nil, false
}

// nodes returns n and the number of nodes of e; it stops counting once there are too many.
func nodes(e ast.Expr, n int) int {
	n++
	for part := range parts(e) {
		if n > maxNodes {
			return n
		}
		n = nodes(part, n)
	}
	return n
}

// parts yields the direct parts of e, in the order in which they are written.
func parts(e ast.Expr) func(yield func(ast.Expr) bool) {
	return func(yield func(ast.Expr) bool) {
		switch e.Kind() {
		case ast.SelectKind:
			yield(e.AsSelect().Operand())
		case ast.CallKind:
			call := e.AsCall()
			if call.IsMemberFunction() && !yield(call.Target()) {
				return
			}
			each(call.Args(), yield)
		case ast.ListKind:
			each(e.AsList().Elements(), yield)
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				if !yield(entry.AsMapEntry().Key()) || !yield(entry.AsMapEntry().Value()) {
					return
				}
			}
		case ast.StructKind:
			for _, field := range e.AsStruct().Fields() {
				if !yield(field.AsStructField().Value()) {
					return
				}
			}
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			each([]ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}, yield)
		}
	}
}

func each(expressions []ast.Expr, yield func(ast.Expr) bool) {
	for _, e := range expressions {
		if !yield(e) {
			return
		}
	}
}

// place returns the line and the column, both from 1, of a node; 0 and 0 when it has none.
func (s *syntax) place(id int64) (line, column int) {
	at := s.tree.SourceInfo().GetStartLocation(id)
	return placeOf(s.source.Text, at.Line(), at.Column())
}

// nodeAt returns the node with the given id; nil when there is none.
func nodeAt(e ast.Expr, id int64) ast.Expr {
	if e.ID() == id {
		return e
	}
	for part := range parts(e) {
		if found := nodeAt(part, id); found != nil {
			return found
		}
	}
	return nil
}
