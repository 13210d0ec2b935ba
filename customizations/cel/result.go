package cel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// shape is what a result must look like, as far as that can be told without running the expression.
type shape struct {
	// words say what is wanted.
	words string
	// kinds are the kinds of types that fit; dynamic ones always do.
	kinds []types.Kind
	// fields are those of a map; nil for any.
	fields map[string]*shape
	// required are the fields that must be there.
	required []string
	// element is what a list holds; nil for anything.
	element *shape
	// values are the only texts that fit, and noun is what one of them is called; nil for any.
	values []string
	noun   string
}

var (
	anything = &shape{}
	aText    = &shape{words: "a string", kinds: []types.Kind{types.StringKind, types.NullTypeKind}}
	aCount   = &shape{words: "a whole number", kinds: []types.Kind{types.IntKind, types.UintKind, types.DoubleKind}}
	aMap     = &shape{words: "a map", kinds: []types.Kind{types.MapKind, types.NullTypeKind}}

	requirements = &shape{
		words: "a map",
		kinds: []types.Kind{types.MapKind, types.NullTypeKind},
		fields: map[string]*shape{
			"nodeClaim": aMap, "resourceRequest": aMap, "namespace": aText, "priorityClassName": aText,
		},
	}
	componentRequirements = &shape{
		words:  "a map",
		kinds:  []types.Kind{types.MapKind, types.NullTypeKind},
		fields: map[string]*shape{"nodeClaim": aMap, "resourceRequest": aMap, "priorityClassName": aText},
	}
	aState = &shape{words: "a state", kinds: []types.Kind{types.StringKind}, values: stateNames(), noun: "a state"}

	// shapes are the results. Nothing writes to them.
	shapes = map[interpreter.Result]*shape{
		interpreter.ResultReplicas: {
			words:    `a whole number or {"replicas", "replicaRequirements"}`,
			kinds:    []types.Kind{types.IntKind, types.UintKind, types.DoubleKind, types.MapKind},
			fields:   map[string]*shape{"replicas": aCount, "replicaRequirements": requirements},
			required: []string{"replicas"},
		},
		interpreter.ResultComponents: {
			words: `a list of {"name", "replicas", "replicaRequirements"}`,
			kinds: []types.Kind{types.ListKind, types.NullTypeKind},
			element: &shape{
				words:    "a map",
				kinds:    []types.Kind{types.MapKind},
				fields:   map[string]*shape{"name": aText, "replicas": aCount, "replicaRequirements": componentRequirements},
				required: []string{"name", "replicas"},
			},
		},
		interpreter.ResultObject: {
			words: "a map to merge into the object, or a list of patch operations",
			kinds: []types.Kind{types.MapKind, types.ListKind},
			element: &shape{
				words:    "a patch operation",
				kinds:    []types.Kind{types.MapKind},
				fields:   map[string]*shape{"op": aPatch(), "path": aText, "from": aText, "value": anything},
				required: []string{"op", "path"},
			},
		},
		interpreter.ResultStatus: {
			words: "a map, or null for no status",
			kinds: []types.Kind{types.MapKind, types.NullTypeKind},
		},
		interpreter.ResultHealth: {
			words:    `true or false, a state, or {"state", "message"}`,
			kinds:    []types.Kind{types.BoolKind, types.StringKind, types.MapKind},
			fields:   map[string]*shape{"state": aState, "message": aText},
			required: []string{"state"},
			values:   stateNames(),
			noun:     "a state",
		},
		interpreter.ResultDependencies: {
			words: `a list of {"apiVersion", "kind", "namespace", "name" or "labelSelector"}`,
			kinds: []types.Kind{types.ListKind},
			element: &shape{
				words:    "a map",
				kinds:    []types.Kind{types.MapKind},
				fields:   map[string]*shape{"apiVersion": aText, "kind": aText, "namespace": aText, "name": aText, "labelSelector": aMap},
				required: []string{"apiVersion", "kind"},
			},
		},
	}
)

func aPatch() *shape {
	return &shape{
		words: "the name of an operation", kinds: []types.Kind{types.StringKind},
		values: []string{"add", "remove", "replace", "move", "copy", "test"},
		noun:   "an operation",
	}
}

func stateNames() []string {
	var out []string
	for _, state := range interpreter.HealthStates() {
		out = append(out, string(state))
	}
	return out
}

// checkResult tells how the expression cannot have the result that its operation wants.
func (s *syntax) checkResult() script.Problems {
	c := resultCheck{syntax: s}
	c.check(s.tree.Expr(), shapes[s.info.Result], "")
	return c.problems
}

type resultCheck struct {
	*syntax
	problems script.Problems
}

func (c *resultCheck) problem(e ast.Expr, format string, args ...any) {
	line, column := c.place(e.ID())
	c.problems = append(c.problems, &script.Problem{
		Severity: script.Error, Source: c.source, Line: line, Column: column, Message: fmt.Sprintf(format, args...),
	})
}

// check looks at each expression that the value of e may come from.
func (c *resultCheck) check(e ast.Expr, want *shape, path string) {
	switch e.Kind() {
	case ast.CallKind:
		if call := e.AsCall(); call.FunctionName() == operators.Conditional {
			c.check(call.Args()[1], want, path)
			c.check(call.Args()[2], want, path)
			return
		}
	case ast.ComprehensionKind:
		if isBind(e) {
			c.check(e.AsComprehension().Result(), want, path)
			return
		}
	}
	t := c.tree.GetType(e.ID())
	if isNull(e) {
		t = types.NullType
	}
	if !want.fits(t) {
		if path == "" {
			c.problem(e, "want %s as the result of %s, got %s", want.words, c.info.Field, typeName(t))
		} else {
			c.problem(e, "%s: want %s, got %s", path, want.words, typeName(t))
		}
		return
	}
	switch e.Kind() {
	case ast.LiteralKind:
		if text, ok := e.AsLiteral().(types.String); ok {
			c.checkText(e, string(text), want)
		}
	case ast.MapKind:
		c.checkMap(e, want, path)
	case ast.ListKind:
		if want.element != nil {
			for i, element := range e.AsList().Elements() {
				if !slices.Contains(e.AsList().OptionalIndices(), int32(i)) {
					c.check(element, want.element, path+"["+strconv.Itoa(i)+"]")
				}
			}
		}
	}
}

func (c *resultCheck) checkText(e ast.Expr, text string, want *shape) {
	if want.values == nil || slices.Contains(want.values, text) {
		return
	}
	if near := script.Nearest(text, want.values); near != "" {
		c.problem(e, "%q is not %s: did you mean %q?", shorten(text), want.noun, near)
		return
	}
	c.problem(e, "%q is not %s: want one of %s", shorten(text), want.noun, strings.Join(want.values, ", "))
}

func (c *resultCheck) checkMap(e ast.Expr, want *shape, path string) {
	if want.fields == nil {
		return
	}
	seen := map[string]bool{}
	for _, entry := range e.AsMap().Entries() {
		key, value := entry.AsMapEntry().Key(), entry.AsMapEntry().Value()
		if key.Kind() != ast.LiteralKind {
			return
		}
		name, ok := key.AsLiteral().(types.String)
		if !ok {
			c.problem(key, "want text for a key, got %s", describe(key.AsLiteral()))
			continue
		}
		seen[string(name)] = true
		field, ok := want.fields[string(name)]
		switch {
		case !ok:
			c.unknown(key, string(name), want)
		case !entry.AsMapEntry().IsOptional():
			c.check(value, field, strings.TrimPrefix(path+"."+string(name), "."))
		}
	}
	for _, name := range want.required {
		if !seen[name] {
			c.problem(e, "the field %q is missing", name)
		}
	}
}

func (c *resultCheck) unknown(key ast.Expr, name string, want *shape) {
	names := make([]string, 0, len(want.fields))
	for field := range want.fields {
		names = append(names, field)
	}
	slices.Sort(names)
	if near := script.Nearest(name, names); near != "" {
		c.problem(key, "unknown field %q: did you mean %q?", shorten(name), near)
		return
	}
	c.problem(key, "unknown field %q: want one of %s", shorten(name), strings.Join(names, ", "))
}

func (s *shape) fits(t *types.Type) bool {
	switch {
	case t == nil:
		return true
	case optional(t):
		return false
	case s.kinds == nil, t.Kind() == types.DynKind, t.Kind() == types.AnyKind, t.Kind() == types.TypeParamKind:
		return true
	}
	return slices.Contains(s.kinds, t.Kind()) || slices.Contains(s.kinds, types.StringKind) && textual(t)
}

// textual tells whether values of type t become text: times, quantities and the like.
func textual(t *types.Type) bool {
	switch t.Kind() {
	case types.TimestampKind, types.DurationKind, types.BytesKind:
		return true
	case types.OpaqueKind:
		return !optional(t)
	}
	return false
}

func typeName(t *types.Type) string {
	switch {
	case optional(t):
		return "an optional value: end it with .orValue(...)"
	case t.Kind() == types.BoolKind:
		return "true or false"
	case t.Kind() == types.NullTypeKind:
		return "null"
	default:
		return "a value of type " + t.String()
	}
}

// wrongResult returns the error of a result that does not fit, at the place in the expression that made it. root is the
// name that the error has for the whole result, if any.
func (p *Program) wrongResult(root string, err error) error {
	at := int64(0)
	if s, failed := p.syntax(); failed == nil {
		path, _, _ := strings.Cut(err.Error(), ": ")
		if placed, ok := errors.AsType[*script.PlaceError](err); ok {
			path = placed.Path
		}
		at = s.locate(strings.TrimPrefix(path, root))
	}
	return p.problem(at, err.Error(), err)
}

// locate returns the node that makes the part of the result at path, such as [1].replicas, as far as the
// expression is made of literals.
func (s *syntax) locate(path string) int64 {
	e := s.tree.Expr()
	for _, token := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.[]"`, r) }) {
		next := component(e, token)
		if next == nil {
			break
		}
		e = next
	}
	return e.ID()
}

// component returns the element or the entry of a literal; nil when there is none.
func component(e ast.Expr, token string) ast.Expr {
	switch e.Kind() {
	case ast.ListKind:
		for i, element := range e.AsList().Elements() {
			if fmt.Sprint(i) == token {
				return element
			}
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			key := entry.AsMapEntry().Key()
			if key.Kind() == ast.LiteralKind && key.AsLiteral().Value() == token {
				return entry.AsMapEntry().Value()
			}
		}
	}
	return nil
}

// optional tells whether values of type t are optional ones.
func optional(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName()
}
