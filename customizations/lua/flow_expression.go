package lua

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// use remembers that the script does something with a value: an assignment to it is not for nothing.
func (f *flow) use(k knowledge) {
	if k.place != "" {
		f.used[k.place] = true
	}
}

// look returns what is known about the value of an expression of which only its own value counts, not what is in it.
func (f *flow) look(e ast.Expr) knowledge {
	k := f.expr(e)
	if k.place != "" {
		f.looked[k.place] = true
	}
	return k
}

// operand returns what is known about the value of an expression that is used.
func (f *flow) operand(e ast.Expr) knowledge {
	k := f.expr(e)
	f.use(k)
	return k
}

// expr returns what is known about the value of an expression, and reports what is wrong in it.
func (f *flow) expr(e ast.Expr) knowledge {
	if f.exhausted(1) {
		return knowledge{}
	}
	switch e := e.(type) {
	case *ast.NilExpr:
		return nothing
	case *ast.TrueExpr:
		return knowledge{schema: script.BooleanSchema, truth: isTrue}
	case *ast.FalseExpr:
		return knowledge{schema: script.BooleanSchema, truth: isFalse}
	case *ast.NumberExpr:
		return knowledge{schema: script.NumberSchema, truth: isTrue}
	case *ast.StringExpr:
		return knowledge{schema: script.TextSchema, truth: isTrue, text: &e.Value}
	case *ast.IdentExpr:
		return f.name(e.Value)
	case *ast.AttrGetExpr:
		object := f.expr(e.Object)
		f.index(object, e)
		return f.field(object, e)
	case *ast.TableExpr:
		return f.table(e)
	case *ast.FuncCallExpr:
		if values := f.call(e); len(values) > 0 {
			return values[0]
		}
		return nothing
	case *ast.FunctionExpr:
		return f.function(e)
	case *ast.LogicalOpExpr, *ast.RelationalOpExpr, *ast.UnaryNotOpExpr:
		return f.condition(e)
	default:
		return f.operation(e)
	}
}

func (f *flow) name(name string) knowledge {
	if v := f.scope.find(name); v != nil {
		return f.now.variables[v]
	}
	if f.program.engine.library.has(name) || f.program.engine.library.isGlobal(name) {
		return knowledge{library: name, truth: isTrue}
	}
	return knowledge{}
}

func (f *flow) function(e *ast.FunctionExpr) knowledge {
	return knowledge{function: &closure{function: e, scope: f.scope}, truth: isTrue}
}

func (f *flow) table(e *ast.TableExpr) knowledge {
	m := &made{}
	for _, field := range e.Fields {
		if field.Key == nil {
			m.elements = append(m.elements, entry{at: field.Value, value: f.operand(field.Value)})
			continue
		}
		key := f.operand(field.Key)
		value := f.operand(field.Value)
		if key.text != nil {
			m.fields = append(m.fields, entry{*key.text, field.Key, value})
		} else {
			m.elements = append(m.elements, entry{at: field.Value, value: value})
		}
	}
	return knowledge{made: m, truth: isTrue}
}

// condition is expr for an expression that has branches.
func (f *flow) condition(e ast.Expr) knowledge {
	before := f.now.clone()
	f.exhausted(before.size())
	k, yes, no := f.decide(e)
	k.yes, k.no = added(before, yes), added(before, no)
	f.now = join(yes, no)
	return k
}

// added returns the places that are known to be there in one state and not yet in another.
func added(before, after *state) []string {
	var out []string
	for place := range after.there {
		if !before.there[place] {
			out = append(out, place)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxFacts)]
}

// maxFacts is how many places are remembered that a condition tells about.
const maxFacts = 64

// branch returns what is known where a condition holds, and where not. What is known now is undefined then.
func (f *flow) branch(e ast.Expr) (yes, no *state) {
	_, yes, no = f.decide(e)
	return yes, no
}

// decide is branch, with what is known about the value of the condition.
func (f *flow) decide(e ast.Expr) (k knowledge, yes, no *state) {
	if f.exhausted(1) {
		return knowledge{}, f.now, f.now.clone()
	}
	switch e := e.(type) {
	case *ast.UnaryNotOpExpr:
		_, no, yes := f.decide(e.Expr)
		return knowledge{schema: script.BooleanSchema}, yes, no
	case *ast.LogicalOpExpr:
		if e.Operator == "and" {
			return f.and(e)
		}
		return f.or(e)
	case *ast.RelationalOpExpr:
		if e.Operator == "==" || e.Operator == "~=" {
			yes, no = f.equality(e)
			return knowledge{schema: script.BooleanSchema}, yes, no
		}
		yes, no = f.ordered(e)
		return knowledge{schema: script.BooleanSchema}, yes, no
	default:
		k = f.look(e)
		k.absent = f.now.mayBeNil(k)
	}
	yes, no = f.split()
	switch k.truth {
	case isTrue:
		no.over = true
	case isFalse:
		yes.over = true
	default:
		yes.know(k)
		no.lack(k)
	}
	for _, place := range k.yes {
		yes.set(place)
	}
	for _, place := range k.no {
		no.set(place)
	}
	return k, yes, no
}

// split returns two states to go on with.
func (f *flow) split() (*state, *state) {
	f.exhausted(f.now.size())
	return f.now, f.now.clone()
}

// lack remembers that a value is nil, or false.
func (s *state) lack(k knowledge) {
	if k.place == "" || k.defaulted {
		return
	}
	s.gone[k.place] = true
	s.over = s.over || s.there[k.place] && k.isNeverFalse()
}

// isNeverFalse tells whether a value that is there counts as true.
func (k knowledge) isNeverFalse() bool {
	form := k.schema.Form()
	return form != script.FormAny && form != script.FormBoolean
}

// know remembers that a value is not nil.
func (s *state) know(k knowledge) {
	if k.place == "" || k.defaulted {
		return
	}
	s.over = s.over || s.gone[k.place] && k.isNeverFalse()
	s.set(k.place)
}

func (f *flow) and(e *ast.LogicalOpExpr) (knowledge, *state, *state) {
	left, yes, no := f.decide(e.Lhs)
	f.now = yes
	right, yes, rightNo := f.decide(e.Rhs)
	out := right
	out.truth, out.text, out.yes, out.no = unknown, nil, nil, nil
	if left.truth != isTrue {
		out.absent = right.absent || left.absent
		out.function, out.made = nil, nil
	}
	return out, yes, join(no, rightNo)
}

func (f *flow) or(e *ast.LogicalOpExpr) (knowledge, *state, *state) {
	left, leftYes, no := f.decide(e.Lhs)
	f.now = no
	right, yes, no := f.decide(e.Rhs)
	yes = join(leftYes, yes)
	switch {
	case left.isNil():
		return right, yes, no
	case left.schema == nil && left.made == nil:
		return knowledge{truth: right.sureTruth()}, yes, no
	}
	out := left
	out.truth, out.text, out.yes, out.no = right.sureTruth(), nil, nil, nil
	out.absent = right.absent
	switch {
	case right.place == "" && (right.made != nil || right.schema != nil && right.schema.Form() == left.schema.Form()):
		out.defaulted = left.absent
	case right.schema.Same(left.schema):
		if right.place != left.place {
			out.place, out.written = "", ""
		}
	default:
		return knowledge{truth: out.truth}, yes, no
	}
	return out, yes, no
}

// sureTruth is the truth of "x or y" where y is this.
func (k knowledge) sureTruth() truth {
	if k.truth == isTrue {
		return isTrue
	}
	return unknown
}

// index tells that a field of a value is read.
func (f *flow) index(object knowledge, e *ast.AttrGetExpr) {
	field := strings.TrimPrefix(step(e), ".")
	whole := show(e.Object)
	f.need(object, e.Object, "reading "+field+" from nil", fmt.Sprintf("(%s or {})%s", whole, step(e)))
}

// step returns the last step of an expression, ".name" or "[i]".
func step(e *ast.AttrGetExpr) string {
	if key, ok := e.Key.(*ast.StringExpr); ok && isName(key.Value) {
		return "." + key.Value
	}
	if key := written(e.Key); key != "" {
		return "[" + key + "]"
	}
	return "[...]"
}

// need reports a value that may be nil where nil is an error. From then on it is not nil. instead is what can be written.
func (f *flow) need(k knowledge, e ast.Expr, what, instead string) {
	if f.now.mayBeNil(k) && f.quiet == 0 {
		mend := fmt.Sprintf("check %s ~= nil first", show(e))
		if _, isCall := e.(*ast.FuncCallExpr); isCall {
			mend = "keep it in a local variable and check that first"
		} else if instead != "" {
			mend = fmt.Sprintf("write %s, or %s", instead, mend)
		}
		f.warn(e, "%s %s, and %s is an error: %s", f.title(k, e), absence(k), what, mend)
	}
	f.now.know(k)
}

// absence says that a value may be nil.
func absence(k knowledge) string {
	if k.place == "items" {
		return "is nil while no member has reported a status"
	}
	return "may be absent"
}

// title returns an expression as it is written, and what it stands for.
func (f *flow) title(k knowledge, e ast.Expr) string {
	title := show(e)
	if k.written != "" && k.written != title && len(k.written) <= maxText && !begins(k.written, e) {
		title += " (" + k.written + ")"
	}
	return title
}

// begins tells whether an expression leads from the variable that a path begins with.
func begins(path string, e ast.Expr) bool {
	for {
		switch node := e.(type) {
		case *ast.AttrGetExpr:
			e = node.Object
		case *ast.LogicalOpExpr:
			e = node.Lhs
		case *ast.IdentExpr:
			return isBelow(path, node.Value)
		default:
			return false
		}
	}
}

// field returns what is known about a field of an object.
func (f *flow) field(object knowledge, e *ast.AttrGetExpr) knowledge {
	key := f.operand(e.Key)
	if key.text != nil {
		return f.named(object, *key.text, e)
	}
	if object.schema == nil {
		if object.made != nil {
			return object.made.element()
		}
		return knowledge{}
	}
	out := knowledge{schema: object.schema.Element(), written: writtenField(e)}
	if object.schema.Form() == script.FormList && key.schema.Form() == script.FormText {
		f.error(e, "%s is a list: want a number in []", show(e.Object))
	}
	if object.place == "" {
		return out
	}
	switch k := e.Key.(type) {
	case *ast.NumberExpr:
		out.place = object.place + "[" + k.Value + "]"
	case *ast.IdentExpr:
		if v := f.scope.find(k.Value); v != nil {
			out.place = object.place + v.index()
		}
	}
	return out
}

// element returns what is known about all elements.
func (m *made) element() knowledge {
	if len(m.elements) != 1 || len(m.fields) > 0 {
		return knowledge{}
	}
	return m.elements[0].value
}

// named returns what is known about the field of an object with a name.
func (f *flow) named(object knowledge, name string, e *ast.AttrGetExpr) knowledge {
	switch {
	case object.library != "" && !object.isNil():
		return knowledge{library: object.library + "." + name}
	case object.made != nil && object.schema == nil:
		field := object.made.field(name)
		return knowledge{function: field.function, library: field.library, made: field.made}
	case object.schema == nil:
		return knowledge{}
	}
	switch form := object.schema.Form(); form {
	case script.FormObject:
	case script.FormAny:
		return knowledge{place: below(object.place, name)}
	default:
		f.error(e, "%s is %s: it has no field %s", f.title(object, e.Object), form, name)
		return knowledge{}
	}
	field, ok := object.schema.Field(name)
	if !ok {
		f.noField(script.Error, e, f.title(object, e.Object), name, object.schema)
		return knowledge{}
	}
	out := knowledge{schema: field, place: below(object.place, name)}
	if object.written != "" {
		out.written = object.written + step(e)
	}
	out.absent = field != nil && out.place != "" && (object.defaulted || object.schema.Optional(name))
	return out
}

// maxPlace is how long places may be.
const maxPlace = 512

// below returns the place of a field.
func below(place, name string) string {
	switch {
	case place == "", len(place) > maxPlace:
		return ""
	case isName(name):
		return place + "." + name
	}
	return place + "[" + strconv.Quote(name) + "]"
}
