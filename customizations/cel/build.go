package cel

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
)

// builder makes the result of an expression that is a literal without the detour of maps and lists of CEL's: first all
// parts are evaluated that are no literals, in order, then the result is built from their values. What it answers and
// charges is what evaluating the expression and converting its value would.
type builder struct {
	parts  []node
	result literal
}

// literal is a part of the result: a map, a list, or the value of a part.
type literal struct {
	kind  ast.ExprKind
	part  int
	keys  []string
	inner []literal
}

// newBuilder returns the builder of an expression; nil when it is no literal.
func newBuilder(e ast.Expr, plan node) *builder {
	b := &builder{}
	if b.result = b.add(e, plan); b.result.kind == ast.UnspecifiedExprKind {
		return nil
	}
	return b
}

func (b *builder) add(e ast.Expr, n node) literal {
	if constructor, ok := n.(celinterpreter.InterpretableConstructor); ok {
		switch e.Kind() {
		case ast.MapKind:
			if names, ok := plainKeys(e.AsMap()); ok {
				return b.addMap(e.AsMap(), names, constructor.InitVals())
			}
		case ast.ListKind:
			if list := e.AsList(); len(list.OptionalIndices()) == 0 {
				out := literal{kind: ast.ListKind}
				for i, element := range list.Elements() {
					out.inner = append(out.inner, b.add(element, constructor.InitVals()[i]))
				}
				return out
			}
		}
	}
	b.parts = append(b.parts, n)
	return literal{part: len(b.parts) - 1}
}

// addMap adds the entries in the order in which they are evaluated, and keeps them in that of their keys.
func (b *builder) addMap(m ast.MapExpr, names []string, nodes []node) literal {
	values := map[string]literal{}
	for i, entry := range m.Entries() {
		values[names[i]] = b.add(entry.AsMapEntry().Value(), nodes[2*i+1])
	}
	out := literal{kind: ast.MapKind, keys: slices.Sorted(slices.Values(names))}
	for _, key := range out.keys {
		out.inner = append(out.inner, values[key])
	}
	return out
}

// plainKeys returns the keys of a map literal; false when one is no text, may be left out or is there twice.
func plainKeys(m ast.MapExpr) ([]string, bool) {
	names := make([]string, 0, len(m.Entries()))
	for _, entry := range m.Entries() {
		name, ok := constantText(entry.AsMapEntry().Key())
		if !ok || entry.AsMapEntry().IsOptional() || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// build returns the result as a plain value, or the error of a part that has no value.
func (b *builder) build(r *run, f *frame) (result any, failed *types.Err, err error) {
	values := make([]ref.Val, len(b.parts))
	for i, part := range b.parts {
		values[i] = part.Exec(f)
		if failed, ok := values[i].(*types.Err); ok {
			return nil, failed, nil
		}
	}
	result, err = b.result.plain(r, values)
	return result, nil, err
}

func (l *literal) plain(r *run, values []ref.Val) (any, error) {
	n := int64(len(l.inner))
	switch l.kind {
	case ast.MapKind:
		r.charge(stepsFor(n), bytesMap+bytesEntry*n)
		out := make(map[string]any, n)
		for i, key := range l.keys {
			var err error
			if out[key], err = l.inner[i].plain(r, values); err != nil {
				return nil, inField(key, err)
			}
		}
		return out, nil
	case ast.ListKind:
		r.charge(stepsFor(n), bytesList+bytesElement*n)
		out := make([]any, n)
		for i := range out {
			var err error
			if out[i], err = l.inner[i].plain(r, values); err != nil {
				return nil, inElement(i, err)
			}
		}
		return out, nil
	default:
		return r.plain(values[l.part])
	}
}
