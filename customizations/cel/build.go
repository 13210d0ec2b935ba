package cel

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// builder makes the result of an expression that is a literal, in cel.binds or not, without the detour of maps and lists
// of CEL's: first all parts are evaluated that are no literals, in order, then the result is built from their values. What
// it answers and charges is what evaluating the expression and converting its value would.
type builder struct {
	binds  []*bind // the outermost first
	parts  []builderPart
	result literal
	fields int // of all maps, when these are to be script.Fields
}

// builderPart is a part of the result that is evaluated.
type builderPart struct {
	part
	// within is the literal that leaves the part out when it has no value; 0 for a part that is always there.
	within int64
	key    ref.Val // nil for an element of a list
}

// literal is a part of the result: a map, a list, or the value of a part.
type literal struct {
	kind    ast.ExprKind
	part    int
	keys    []string
	inner   []literal
	nonZero bool // it is left out when it is empty
}

// newBuilder returns the builder of an expression, which makes script.Fields of its maps if these will do; nil when it is
// no literal.
func newBuilder(e ast.Expr, plan node, fieldsDo bool) *builder {
	b := &builder{}
	for isBind(e) {
		outer, ok := plan.(*bind)
		if !ok {
			return nil
		}
		b.binds = append(b.binds, outer)
		e, plan = e.AsComprehension().Result(), outer.body.node
	}
	if b.result = b.add(e, plan, builderPart{}); b.result.kind == ast.UnspecifiedExprKind {
		return nil
	}
	if !fieldsDo {
		b.fields = 0
	}
	return b
}

// fieldsDo tells whether script.Decode takes fields for the maps of a result.
func fieldsDo(r interpreter.Result) bool {
	switch r {
	case interpreter.ResultReplicas, interpreter.ResultComponents, interpreter.ResultHealth, interpreter.ResultDependencies:
		return true
	}
	return false
}

// add adds what is at one place of the result; the place is that of an optional value when it is within a literal.
func (b *builder) add(e ast.Expr, n node, place builderPart) literal {
	if place.within != 0 {
		if full, ok := n.(*nonZero); ok {
			if out := b.addLiteral(e.AsCall().Args()[0], full.value.node); out.kind != ast.UnspecifiedExprKind {
				out.nonZero = true
				return out
			}
		}
	} else if out := b.addLiteral(e, n); out.kind != ast.UnspecifiedExprKind {
		return out
	}
	place.part = newPart(n)
	b.parts = append(b.parts, place)
	return literal{part: len(b.parts) - 1}
}

// addLiteral adds a map or a list; the literal has no kind when e is neither.
func (b *builder) addLiteral(e ast.Expr, n node) literal {
	constructor, ok := n.(celinterpreter.InterpretableConstructor)
	if !ok {
		return literal{}
	}
	switch e.Kind() {
	case ast.MapKind:
		if names, ok := plainKeys(e.AsMap()); ok {
			return b.addMap(e, names, constructor.InitVals())
		}
	case ast.ListKind:
		out := literal{kind: ast.ListKind}
		for i, element := range e.AsList().Elements() {
			var place builderPart
			if slices.Contains(e.AsList().OptionalIndices(), int32(i)) {
				place.within = e.ID()
			}
			out.inner = append(out.inner, b.add(element, constructor.InitVals()[i], place))
		}
		return out
	}
	return literal{}
}

// addMap adds the entries in the order in which they are evaluated, and keeps them in that of their keys.
func (b *builder) addMap(e ast.Expr, names []string, nodes []node) literal {
	values := map[string]literal{}
	for i, entry := range e.AsMap().Entries() {
		var place builderPart
		if entry.AsMapEntry().IsOptional() {
			place.within, place.key = e.ID(), types.String(names[i])
		}
		values[names[i]] = b.add(entry.AsMapEntry().Value(), nodes[2*i+1], place)
	}
	out := literal{kind: ast.MapKind, keys: slices.Sorted(slices.Values(names))}
	for _, key := range out.keys {
		out.inner = append(out.inner, values[key])
	}
	b.fields += len(names)
	return out
}

// plainKeys returns the keys of a map literal; false when one is no text or is there twice.
func plainKeys(m ast.MapExpr) ([]string, bool) {
	names := make([]string, 0, len(m.Entries()))
	for _, entry := range m.Entries() {
		name, ok := constantText(entry.AsMapEntry().Key())
		if !ok || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// build returns the result as a plain value, or the error of a part that has no value.
func (b *builder) build(r *run, f *frame) (result any, failed *types.Err, err error) {
	for _, bind := range b.binds {
		bind.enter(f)
	}
	if r.values == nil {
		r.values, r.fields = make([]outcome, len(b.parts)), make(script.Fields, b.fields)
	}
	for i := range b.parts {
		r.values[i] = b.parts[i].value(f)
		if failed, ok := r.values[i].value.(*types.Err); ok {
			return nil, failed, nil
		}
	}
	u := building{run: r, values: r.values, fields: r.fields[:0]}
	result, err = u.plain(&b.result)
	return result, nil, err
}

// value returns the value of the part; none when it is left out.
func (p *builderPart) value(f *frame) outcome {
	out := p.evaluate(f)
	if p.within == 0 || out.failed() != nil {
		return out
	}
	value, ok := out.optional()
	if ok {
		return value
	}
	err := types.NewErr("cannot initialize optional list element from non-optional value %v", out.wrap())
	if p.key != nil {
		err = types.NewErr("cannot initialize optional entry '%v' from non-optional value %v", p.key, out.wrap())
	}
	return outcome{isWrapped, types.LabelErrNode(p.within, err)}
}

// building is a result that is being built.
type building struct {
	run    *run
	values []outcome
	fields script.Fields // those of all maps; without room for any when maps are to be maps
}

// absent tells whether a literal is left out.
func (u *building) absent(l *literal) bool {
	if l.kind == ast.UnspecifiedExprKind {
		return u.values[l.part].kind == isNone
	}
	return l.nonZero && u.size(l) == 0
}

// size returns how many entries or elements there are.
func (u *building) size(l *literal) (n int) {
	for i := range l.inner {
		if !u.absent(&l.inner[i]) {
			n++
		}
	}
	return n
}

func (u *building) plain(l *literal) (any, error) {
	switch l.kind {
	case ast.MapKind:
		return u.plainMap(l)
	case ast.ListKind:
		return u.plainList(l)
	default:
		return u.run.plainOutcome(u.values[l.part])
	}
}

func (u *building) plainList(l *literal) (any, error) {
	n := u.size(l)
	u.run.charge(stepsFor(int64(n)), bytesList+bytesElement*int64(n))
	out := make([]any, 0, n)
	for i := range l.inner {
		if u.absent(&l.inner[i]) {
			continue
		}
		element, err := u.plain(&l.inner[i])
		if err != nil {
			return nil, script.InElement(len(out), err)
		}
		out = append(out, element)
	}
	return out, nil
}

func (u *building) plainMap(l *literal) (any, error) {
	n := u.size(l)
	u.run.charge(stepsFor(int64(n)), bytesMap+bytesEntry*int64(n))
	var entries map[string]any
	var fields script.Fields
	if cap(u.fields) == 0 {
		entries = make(map[string]any, n)
	} else {
		first := len(u.fields)
		u.fields = u.fields[:first+n]
		fields = u.fields[first:first:len(u.fields)]
	}
	for i, key := range l.keys {
		if u.absent(&l.inner[i]) {
			continue
		}
		value, err := u.plain(&l.inner[i])
		switch {
		case err != nil:
			return nil, script.InField(key, err)
		case entries != nil:
			entries[key] = value
		default:
			fields = append(fields, script.Field{Name: key, Value: value})
		}
	}
	if entries != nil {
		return entries, nil
	}
	return fields, nil
}
