package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// write is an assignment to a part of the inputs.
type write struct {
	place, text string
	at          ast.PositionHolder
}

// assignField is the assignment of a value, which from gives, to a field.
func (f *flow) assignField(target *ast.AttrGetExpr, value knowledge, from ast.Expr) {
	object := f.expr(target.Object)
	whole := show(target.Object)
	instead := ""
	if object.schema.Form() == script.FormObject {
		instead = fmt.Sprintf("%s = %s or {} before", whole, whole)
	}
	f.need(object, target.Object, "assigning to a field of nil", instead)
	if object.made != nil {
		f.addTo(object.made, target, value)
	}
	k := f.field(object, target)
	if k.schema == nil || k.place == "" || k.place != value.place {
		f.use(value)
	}
	if value.made != nil {
		where := whole + step(target)
		if k.written != "" {
			where = k.written
		}
		f.put(value.made, k.schema, where)
	} else if from != nil {
		f.assignable(k, value, target, from)
	}
	if k.place == "" {
		return
	}
	if !f.now.gone[k.place] && (k.place != value.place || f.now.mayBeNil(value)) { // No default in the place of nothing.
		f.wrote(k, target)
	}
	f.overwrite(k.place, value, from)
}

// overwrite remembers what is at a place now.
func (f *flow) overwrite(place string, value knowledge, from ast.Expr) {
	f.exhausted(f.now.size())
	table, isTable := from.(*ast.TableExpr)
	switch {
	case isTable && len(table.Fields) == 0:
		f.now.forget(place)
		f.now.set(place)
	case value.place == place && !f.now.mayBeNil(value): // x = x or {}
		f.now.set(place)
	default:
		f.now.assign(place)
	}
}

// assignable reports a value that a field surely cannot have.
func (f *flow) assignable(field, value knowledge, target *ast.AttrGetExpr, from ast.Expr) {
	a, b := field.schema.Form(), value.schema.Form()
	if field.place != "" && !value.isNil() && a != script.FormAny && b != script.FormAny && a != b {
		f.error(target, "%s is %s: %s is %s", show(target), a, show(from), b)
	}
}

// addTo puts a value into a table that the script has made.
func (f *flow) addTo(m *made, target *ast.AttrGetExpr, value knowledge) {
	key := f.expr(target.Key)
	if key.text == nil {
		m.elements = append(m.elements, entry{at: target, value: value})
		return
	}
	m.fields = append(m.fields, entry{*key.text, target.Key, value})
	if m.schema != nil {
		f.checkEntry(&m.fields[len(m.fields)-1], m)
	}
}

// put tells that a table which the script has made is at a place with a schema: it must fit there.
func (f *flow) put(m *made, schema *script.Schema, where string) {
	if schema == nil || m.schema != nil || f.exhausted(1) {
		return
	}
	m.schema, m.where = schema, where
	switch schema.Form() {
	case script.FormObject:
		for i := range m.fields {
			f.checkEntry(&m.fields[i], m)
		}
	case script.FormList:
		for _, e := range m.elements {
			if e.value.made != nil {
				f.put(e.value.made, schema.Element(), where+"[]")
			}
		}
	}
}

func (f *flow) checkEntry(e *entry, m *made) {
	if m.schema.Form() != script.FormObject {
		return
	}
	field, ok := m.schema.Field(e.name)
	if !ok {
		severity := script.Error
		if f.lenient {
			severity = script.Warning
		}
		f.noField(severity, e.at, m.where, e.name, m.schema)
		return
	}
	if e.value.made != nil {
		f.put(e.value.made, field, m.where+"."+e.name)
	}
}

// wrote remembers that the script assigns to a place of the inputs, or changes the list there.
func (f *flow) wrote(k knowledge, at ast.Expr) {
	if f.mute > 0 || f.now.over || k.place == "" || strings.HasPrefix(k.place, "$") {
		return
	}
	name := k.written
	if get, ok := at.(*ast.AttrGetExpr); ok {
		name = show(get)
	}
	f.writes = append(f.writes, write{place: k.place, text: name, at: at})
}

// judgeWrites reports assignments to what the operation may not change, and those that nobody sees.
func (f *flow) judgeWrites() {
	op := f.program.info
	for _, w := range f.writes {
		if isBelow(w.place, string(interpreter.InputObject)) && op.Result == interpreter.ResultObject {
			if message := forbiddenWrite(op.Operation, strings.TrimPrefix(strings.TrimPrefix(w.place, string(interpreter.InputObject)), ".")); message != "" {
				f.warn(w.at, "%s is assigned to: %s", w.text, message)
			}
			continue
		}
		if !f.isUsed(w.place) {
			f.warn(w.at, "%s is assigned to, and nobody sees it: %s", w.text, unseen(op))
		}
	}
}

func unseen(op *interpreter.OperationInfo) string {
	if op.Result == interpreter.ResultObject {
		return fmt.Sprintf("want changes of the object that %s returns", op.Function)
	}
	return fmt.Sprintf("%s answers with what it returns, and changes nothing", op.Function)
}

// isUsed tells whether the script does something with a place, with a part of it, or with what it is a part of.
func (f *flow) isUsed(place string) bool {
	for used := range f.used {
		if isBelow(used, place) || isBelow(place, used) {
			return true
		}
	}
	for looked := range f.looked {
		if isBelow(looked, place) {
			return true
		}
	}
	return false
}

// forbiddenWrite tells why an operation that answers with an object must not change a field of it; "" when it may.
func forbiddenWrite(op interpreter.Operation, field string) string {
	is := func(roots ...string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return isBelow(field, root) })
	}
	switch op {
	case interpreter.AggregateStatus:
		if field != "" && !is("status") {
			return "AggregateStatus changes the status, and nothing else of the object is kept"
		}
	case interpreter.Retain:
		if is("apiVersion", "kind", "metadata.name", "metadata.namespace") {
			return "Retain answers with the same object, so its kind and name stay"
		}
	case interpreter.ReviseReplica:
		if is("apiVersion", "kind", "status") || is("metadata") && !is("metadata.labels", "metadata.annotations") {
			return "ReviseReplica changes how many replicas there are, so kind, metadata and status stay"
		}
	}
	return ""
}
