package lua

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// What things cost of the memory budget, in bytes: what gopher-lua and Go allocate for them, on the safe side.
const (
	viewSize  = 288
	fieldSize = 48
	tableSize = 128 // a table, empty
	entrySize = 160 // a field of a table: it is kept in three maps and slices
	valueSize = 16  // a boxed number or string
	nodeSize  = 48  // a Go map or slice of a result
	itemSize  = 40  // an entry of one
)

// lengthPerStep is how many entries a library function may walk over in the time of one instruction.
const lengthPerStep = 16

// maxExact is the first whole number whose neighbor a Lua number cannot tell from it.
const maxExact = 1 << 53

// toLua returns a plain Go value as a Lua value; objects and lists as views.
func (r *run) toLua(value any) lua.LValue {
	switch value := value.(type) {
	case nil:
		return lua.LNil
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return number(value)
	case float64:
		return lua.LNumber(value)
	case map[string]any:
		v := r.newView()
		v.object = value
		return &v.data
	case []any:
		v := r.newView()
		v.list, v.isList = value, true
		return &v.data
	case int:
		return number(int64(value))
	case int32:
		return number(int64(value))
	}
	r.l.RaiseError("a value of type %T: want one that JSON has", value)
	return lua.LNil
}

// number returns n as a Lua number. One that a Lua number cannot hold is moved away from 2^53, where it would look as if
// it could.
func number(n int64) lua.LValue {
	if 0 <= n && n < int64(len(smallNumbers)) {
		return smallNumbers[n]
	}
	f := float64(n)
	if math.Abs(f) == maxExact && n != maxExact && n != -maxExact {
		f *= 1 + 2e-16
	}
	return lua.LNumber(f)
}

// smallNumbers are the numbers that objects hold most, made once.
var smallNumbers = func() (numbers [256]lua.LValue) {
	for i := range numbers {
		numbers[i] = lua.LNumber(i)
	}
	return numbers
}()

func (r *run) newView() *view {
	r.charge(r.l, viewSize)
	v := r.views.take()
	v.data.Value = v
	v.data.Metatable = r.engine.library.viewMeta
	return v
}

// result makes plain Go values of what a script returns.
type result struct {
	run *run
	// share lets the result share memory with the inputs of the run, where it is only read.
	share bool
	// decoded makes script.Fields of the tables of the script, instead of maps: the result is for script.Decode alone, and
	// has no object of the user's.
	decoded bool
	// references are objects that tell whether an empty table of the script is an object or a list: one is what the
	// references have at its place. A nested one that none of them has is dropped.
	references []map[string]any

	keys    []string // of the value in hand, without indexes
	parents []any    // tables and views around the value in hand
}

// dropped stands for a nested empty table that means nothing.
type dropped struct{}

// maxDepth bounds the nesting of a result.
const maxDepth = 1000

// convertError is an error about a value in a result.
type convertError struct {
	path string
	err  error
}

func (e *convertError) Error() string {
	return strings.TrimPrefix(e.path, ".") + ": " + e.err.Error()
}

func (e *convertError) Unwrap() error { return e.err }

// inside returns err, about the value at step, as an error about the value around it.
func inside(step string, err error) error {
	if inner, ok := errors.AsType[*convertError](err); ok {
		inner.path = step + inner.path
		return inner
	}
	return &convertError{path: step, err: err}
}

func atKey(key string, err error) error {
	if strings.ContainsAny(key, ".[]") {
		return inside("["+strconv.Quote(key)+"]", err)
	}
	return inside("."+key, err)
}

func atIndex(i int, err error) error { return inside("["+strconv.Itoa(i-1)+"]", err) }

// value returns a Lua value as a plain Go value. An empty table of the script is an empty object.
func (c *result) value(value lua.LValue) (any, error) {
	out, err := c.convert(value)
	if out == (dropped{}) {
		out = map[string]any{}
	}
	return out, err
}

func (c *result) convert(value lua.LValue) (any, error) {
	switch value := value.(type) {
	case lua.LString:
		return string(value), nil
	case lua.LNumber:
		return wholeOrNot(float64(value))
	case lua.LBool:
		return bool(value), nil
	case *lua.LTable:
		if err := c.enter(value); err != nil {
			return nil, err
		}
		out, err := c.table(value)
		c.leave()
		return out, err
	case *lua.LUserData:
		if v := viewOf(value); v != nil {
			if err := c.enter(v); err != nil {
				return nil, err
			}
			out, err := c.view(v)
			c.leave()
			return out, err
		}
	case *lua.LNilType:
		return nil, nil
	}
	return nil, fmt.Errorf("want a value that JSON has, got a %s", value.Type())
}

func wholeOrNot(f float64) (any, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, fmt.Errorf("want a number, got %s", lua.LNumber(f).String())
	case f != math.Trunc(f):
		return f, nil
	case math.Abs(f) > maxExact:
		return nil, fmt.Errorf("want a number that Lua holds exactly, at most 2^53, got %s", strconv.FormatFloat(f, 'g', -1, 64))
	default:
		return int64(f), nil
	}
}

// enter begins the conversion of a table or view.
func (c *result) enter(value any) error {
	if slices.Contains(c.parents, value) {
		return errors.New("want a tree, got a table that contains itself")
	}
	if len(c.parents) == maxDepth {
		return fmt.Errorf("want tables nested at most %d deep", maxDepth)
	}
	c.parents = append(c.parents, value)
	return nil
}

func (c *result) leave() { c.parents = c.parents[:len(c.parents)-1] }

// table converts a table that the script made: a list when its keys are 1 to n, otherwise an object.
func (c *result) table(t *lua.LTable) (any, error) {
	n := t.MaxN()
	last := lua.LNil // Next(0) is not where a table without elements begins
	if n > 0 {
		last = lua.LNumber(n)
	}
	key, value := t.Next(last)
	switch {
	case n == 0 && key == lua.LNil:
		return c.empty(), nil
	case n == 0:
		return c.fields(t, key, value)
	case key != lua.LNil:
		return nil, fmt.Errorf("want a list or an object, got a table with both numbers and %s as keys", keyText(key))
	case n >= maxList-1:
		return nil, fmt.Errorf("want a list of fewer than %d elements", maxList-1)
	}
	if err := c.run.take(nodeSize + itemSize*n); err != nil {
		return nil, err
	}
	out := make([]any, 0, n)
	for i := 1; i <= n; i++ {
		value := t.RawGetInt(i)
		if value == lua.LNil {
			return nil, atIndex(i, fmt.Errorf("want a list without holes, got nil before element %d", n))
		}
		element, err := c.convert(value)
		if err != nil {
			return nil, atIndex(i, err)
		}
		if element != (dropped{}) {
			out = append(out, element)
		}
	}
	return out, nil
}

// fields converts a table that is an object, in the order in which the script made it. key and value are its first field.
func (c *result) fields(t *lua.LTable, key, value lua.LValue) (any, error) {
	if err := c.run.take(nodeSize); err != nil {
		return nil, err
	}
	var entries map[string]any
	var fields script.Fields
	if c.decoded {
		fields = make(script.Fields, 0, 4)
	} else {
		entries = make(map[string]any)
	}
	for ; key != lua.LNil; key, value = t.Next(key) {
		name, ok := key.(lua.LString)
		if !ok {
			return nil, fmt.Errorf("want a name, or the numbers 1 to n, as keys, got %s", keyText(key))
		}
		converted, err := c.field(string(name), value)
		switch {
		case err != nil:
			return nil, err
		case converted == (dropped{}):
		case c.decoded:
			fields = append(fields, script.Field{Name: string(name), Value: converted})
		default:
			entries[string(name)] = converted
		}
	}
	if c.decoded {
		return fields, nil
	}
	return entries, nil
}

// field converts a field; the result is dropped{} for one that is to be left out.
func (c *result) field(name string, value lua.LValue) (any, error) {
	if err := c.run.take(itemSize); err != nil {
		return nil, err
	}
	c.keys = append(c.keys, name)
	converted, err := c.convert(value)
	c.keys = c.keys[:len(c.keys)-1]
	if err != nil {
		return nil, atKey(name, err)
	}
	return converted, nil
}

func keyText(key lua.LValue) string {
	switch key.(type) {
	case lua.LNumber, lua.LBool:
		return key.String()
	}
	return "a " + typeName(key)
}

// empty returns what an empty table of the script means at its place.
func (c *result) empty() any {
	var list bool
	for _, reference := range c.references {
		object, isList := lookUp(reference, c.keys)
		if object {
			return map[string]any{}
		}
		list = list || isList
	}
	if list {
		return []any{}
	}
	return dropped{}
}

// lookUp tells whether value has, at the place called keys, an empty object or an empty list. It looks into every element
// of the lists on its way.
func lookUp(value any, keys []string) (object, list bool) {
	switch value := value.(type) {
	case map[string]any:
		if len(keys) > 0 {
			return lookUp(value[keys[0]], keys[1:])
		}
		return len(value) == 0, false
	case []any:
		if len(keys) == 0 && len(value) == 0 {
			return false, true
		}
		for _, element := range value {
			o, l := lookUp(element, keys)
			object, list = object || o, list || l
		}
	}
	return object, list
}

// view converts a view back: what the script did not touch as it was.
func (c *result) view(v *view) (any, error) {
	switch {
	case v.table != nil:
		return c.table(v.table)
	case !v.changed():
		return c.origin(v)
	case v.isList:
		return c.list(v)
	}
	if err := c.run.take(nodeSize + itemSize*len(v.object)); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(v.object)+len(v.fields))
	for key, value := range v.object {
		if v.find(key) == nil {
			copied, err := c.copyOf(value)
			if err != nil {
				return nil, err
			}
			out[key] = copied
		}
	}
	for i := range v.fields {
		f := &v.fields[i]
		if f.value == lua.LNil {
			continue
		}
		converted, err := c.field(f.key, f.value)
		if err != nil {
			return nil, err
		}
		if converted != (dropped{}) {
			out[f.key] = converted
		}
	}
	return out, nil
}

// list converts a list that the script changed. Nulls stay where the origin had them.
func (c *result) list(v *view) (any, error) {
	elements := v.elements
	for len(elements) > 0 && elements[len(elements)-1] == lua.LNil {
		elements = elements[:len(elements)-1]
	}
	if err := c.run.take(nodeSize + itemSize*len(elements)); err != nil {
		return nil, err
	}
	out := make([]any, 0, len(elements))
	for i, value := range elements {
		var element any
		var err error
		switch {
		case value == nil:
			element, err = c.copyOf(v.list[i])
		case value == lua.LNil && (i >= len(v.list) || v.list[i] != nil):
			err = fmt.Errorf("want a list without holes, got nil before element %d", len(elements))
		default:
			element, err = c.convert(value)
		}
		if err != nil {
			return nil, atIndex(i+1, err)
		}
		if element != (dropped{}) {
			out = append(out, element)
		}
	}
	return out, nil
}

// changed tells whether the script changed v or anything in it.
func (v *view) changed() bool {
	if v.table != nil || v.moved {
		return true
	}
	for i := range v.fields {
		if v.fields[i].assigned || childChanged(v.fields[i].value) {
			return true
		}
	}
	return slices.ContainsFunc(v.elements, childChanged)
}

func childChanged(value lua.LValue) bool {
	child := viewOf(value)
	return child != nil && child.changed()
}

// origin returns what v is a view of.
func (c *result) origin(v *view) (any, error) {
	if v.isList {
		return c.copyOf(v.list)
	}
	return c.copyOf(v.object)
}

// copyOf returns a plain Go value, as it is or as a copy that shares no memory with it.
func (c *result) copyOf(value any) (any, error) {
	if c.share {
		return value, nil
	}
	var err error
	switch value := value.(type) {
	case map[string]any:
		if err := c.run.take(nodeSize + itemSize*len(value)); err != nil {
			return nil, err
		}
		out := make(map[string]any, len(value))
		for key, field := range value {
			switch field.(type) {
			case map[string]any, []any:
				if field, err = c.copyOf(field); err != nil {
					return nil, err
				}
			}
			out[key] = field
		}
		return out, nil
	case []any:
		if err := c.run.take(nodeSize + valueSize*len(value)); err != nil {
			return nil, err
		}
		out := make([]any, len(value))
		for i, element := range value {
			if out[i], err = c.copyOf(element); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return value, nil
}
