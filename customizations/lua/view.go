package lua

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// maxList is the first index that gopher-lua does not keep in a table's array; lists must stay below it, or # would lie.
const maxList = 1 << 16

// view is a Go value, an object or a list, that a script sees as a table. It never changes the value: what the script
// assigns is kept beside it. To gopher-lua a view is a userdata whose metatable reads and writes through it; every
// library function that a script can reach knows views.
type view struct {
	data lua.LUserData // what the script holds; its Value is the view

	// The origin: one of them.
	object map[string]any
	list   []any
	isList bool

	// fields is what the script assigned to or took out of an object, in order of the first time.
	fields []field
	// index finds fields by key; it is made when there are many.
	index map[string]int
	// keys are the object's own keys, sorted; made by the first iteration.
	keys []string
	// cursor is where in the order of iteration the last key stood.
	cursor int

	// elements are the elements of a list, nil for those that are still as in the origin; nil altogether while no element
	// was assigned or taken out.
	elements []lua.LValue
	// moved tells that elements were assigned, added, removed or put in another order.
	moved bool

	// table holds everything once the script used a key that does not fit: a number in an object, a name in a list.
	table *lua.LTable
}

// field is one field of an object that the script has touched.
type field struct {
	key string
	// value is what the field holds now: a child that was taken out, or what was assigned; LNil for a removed one.
	value lua.LValue
	// assigned tells that the script assigned it.
	assigned bool
}

const manyFields = 12

// views are the views of a run. When it is over, nothing holds them any more, and the next run uses them again.
type views struct {
	blocks [][]view
	used   int
}

const (
	viewsPerBlock = 16
	keptBlocks    = 8
)

func (s *views) take() *view {
	block := s.used / viewsPerBlock
	if block == len(s.blocks) {
		s.blocks = append(s.blocks, make([]view, viewsPerBlock))
	}
	v := &s.blocks[block][s.used%viewsPerBlock]
	s.used++
	return v
}

// reset makes all views free again.
func (s *views) reset() {
	for i := range s.used {
		v := &s.blocks[i/viewsPerBlock][i%viewsPerBlock]
		clear(v.fields)
		if cap(v.fields) > 4*manyFields {
			v.fields = nil
		}
		*v = view{fields: v.fields[:0]}
	}
	s.used = 0
	if len(s.blocks) > keptBlocks {
		clear(s.blocks[keptBlocks:])
		s.blocks = s.blocks[:keptBlocks]
	}
}

// viewOf returns the view that value is, or nil.
func viewOf(value lua.LValue) *view {
	if data, ok := value.(*lua.LUserData); ok {
		v, _ := data.Value.(*view)
		return v
	}
	return nil
}

func (v *view) find(key string) *field {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return &v.fields[i]
		}
		return nil
	}
	for i := range v.fields {
		if v.fields[i].key == key {
			return &v.fields[i]
		}
	}
	return nil
}

func (v *view) add(f field) {
	v.fields = append(v.fields, f)
	switch {
	case v.index != nil:
		v.index[f.key] = len(v.fields) - 1
	case len(v.fields) > manyFields:
		v.index = make(map[string]int, 2*len(v.fields))
		for i := range v.fields {
			v.index[v.fields[i].key] = i
		}
	}
}

// getString returns the field called key, and tells who wants to know.
func (r *run) getString(v *view, key string) lua.LValue {
	value := r.field(v, key)
	if r.reads != nil {
		r.reads.tell(v, "."+key, value)
	}
	return value
}

func (r *run) field(v *view, key string) lua.LValue {
	if v.table != nil {
		return v.table.RawGetString(key)
	}
	if v.isList {
		return lua.LNil
	}
	if f := v.find(key); f != nil {
		return f.value
	}
	value, ok := v.object[key]
	if !ok {
		return lua.LNil
	}
	out := r.toLua(value)
	if _, ok := out.(*lua.LUserData); ok {
		r.charge(r.l, fieldSize)
		v.add(field{key: key, value: out})
	}
	return out
}

// get returns the entry of v at key.
func (r *run) get(v *view, key lua.LValue) lua.LValue {
	switch key := key.(type) {
	case lua.LString:
		return r.getString(v, string(key))
	case lua.LNumber:
		if v.table == nil && v.isList {
			if i := int(key); lua.LNumber(i) == key {
				return r.element(v, i)
			}
			return lua.LNil
		}
	}
	if v.table != nil {
		return v.table.RawGet(key)
	}
	return lua.LNil
}

// element returns element i of a list, from 1.
func (r *run) element(v *view, i int) lua.LValue {
	value := r.at(v, i)
	if r.reads != nil {
		r.reads.tell(v, "[]", value)
	}
	return value
}

func (r *run) at(v *view, i int) lua.LValue {
	if i < 1 || i > r.size(v) {
		return lua.LNil
	}
	if len(v.elements) >= i && v.elements[i-1] != nil {
		return v.elements[i-1]
	}
	out := r.toLua(v.list[i-1])
	if _, ok := out.(*lua.LUserData); ok {
		r.own(v)
		v.elements[i-1] = out
	}
	return out
}

// size returns how many elements a list has, nulls at the end included.
func (r *run) size(v *view) int {
	if v.elements != nil {
		return len(v.elements)
	}
	r.limitList(len(v.list))
	return len(v.list)
}

// own makes room for what the script holds of a list.
func (r *run) own(v *view) {
	if v.elements == nil {
		n := r.size(v)
		r.charge(r.l, 16*n)
		v.elements = make([]lua.LValue, n)
	}
}

// length returns what # returns.
func (r *run) length(v *view) int {
	if v.table != nil {
		return r.tableLength(v.table)
	}
	if !v.isList {
		return 0
	}
	size := r.size(v)
	n := size
	for n > 0 && v.isNil(n) {
		n--
	}
	r.skipped(size - n)
	return n
}

// isNil tells whether element i of a list reads as nil.
func (v *view) isNil(i int) bool {
	if len(v.elements) >= i && v.elements[i-1] != nil {
		return v.elements[i-1] == lua.LNil
	}
	return v.list[i-1] == nil
}

// set assigns value to key.
func (r *run) set(v *view, key, value lua.LValue) {
	switch key := key.(type) {
	case lua.LString:
		if v.table == nil && !v.isList {
			r.setString(v, string(key), value)
			return
		}
	case lua.LNumber:
		if v.table == nil && v.isList {
			if i := int(key); lua.LNumber(i) == key && i >= 1 && i <= r.size(v)+1 {
				r.setElement(v, i, value)
				return
			}
		}
	}
	if v.table == nil {
		if value == lua.LNil {
			return
		}
		r.spread(v)
	}
	r.setTable(v.table, key, value)
}

func (r *run) setString(v *view, key string, value lua.LValue) {
	if f := v.find(key); f != nil {
		f.value, f.assigned = value, true
		return
	}
	_, own := v.object[key]
	if value == lua.LNil && !own {
		return
	}
	r.charge(r.l, fieldSize+len(key))
	v.add(field{key: key, value: value, assigned: true})
	if v.keys != nil && !own {
		v.keys = append(v.keys, key)
	}
}

func (r *run) setElement(v *view, i int, value lua.LValue) {
	n := r.size(v)
	v.moved = true
	switch {
	case i <= n && value == lua.LNil && i == n:
		r.own(v)
		v.elements = v.elements[:n-1]
	case i <= n:
		r.own(v)
		v.elements[i-1] = value
	case value != lua.LNil:
		r.limitList(i)
		r.own(v)
		r.charge(r.l, 2*16)
		v.elements = append(v.elements, value)
	}
}

// elementsOf returns the elements of a list, to be moved about.
func (r *run) elementsOf(v *view) []lua.LValue {
	r.own(v)
	v.moved = true
	for i := range v.elements {
		if v.elements[i] == nil {
			v.elements[i] = r.toLua(v.list[i])
		}
	}
	return v.elements
}

// spread moves everything that v holds into a table.
func (r *run) spread(v *view) {
	table := r.l.CreateTable(0, 4)
	r.charge(r.l, tableSize)
	if v.isList {
		for i, value := range r.elementsOf(v) {
			r.charge(r.l, entrySize)
			table.RawSetInt(i+1, value)
		}
	} else {
		for key, value := r.nextField(v, lua.LNil); key != lua.LNil; key, value = r.nextField(v, key) {
			r.charge(r.l, entrySize)
			table.RawSet(key, value)
		}
	}
	v.table = table
}

// nextEntry returns the entry of v after key, in a fixed order: a list's by index, an object's own fields by name, then
// those that the script added, in the order in which it did. The key is LNil at the end.
func (r *run) nextEntry(v *view, key lua.LValue) (lua.LValue, lua.LValue) {
	switch {
	case v.table != nil:
		return v.table.Next(key)
	case !v.isList:
		return r.nextField(v, key)
	}
	i := 1
	if n, ok := key.(lua.LNumber); ok {
		i = int(n) + 1
	}
	for size := r.size(v); i >= 1 && i <= size; i++ {
		if value := r.element(v, i); value != lua.LNil {
			return lua.LNumber(i), value
		}
	}
	return lua.LNil, lua.LNil
}

func (r *run) nextField(v *view, key lua.LValue) (lua.LValue, lua.LValue) {
	if v.keys == nil {
		r.sortKeys(v)
	}
	i := 0
	if name, ok := key.(lua.LString); ok {
		i = r.position(v, string(name)) + 1
	}
	for ; i < len(v.keys); i++ {
		if value := r.getString(v, v.keys[i]); value != lua.LNil {
			v.cursor = i
			return lua.LString(v.keys[i]), value
		}
	}
	return lua.LNil, lua.LNil
}

func (r *run) sortKeys(v *view) {
	r.charge(r.l, 16*(len(v.object)+len(v.fields)))
	r.work(r.l, len(v.object))
	v.keys = make([]string, 0, len(v.object)+len(v.fields))
	for key := range v.object {
		v.keys = append(v.keys, key)
	}
	slices.Sort(v.keys)
	for i := range v.fields {
		if _, own := v.object[v.fields[i].key]; !own {
			v.keys = append(v.keys, v.fields[i].key)
		}
	}
}

// position returns where key stands in the order of iteration; the end when it is not there.
func (r *run) position(v *view, key string) int {
	if v.cursor < len(v.keys) && v.keys[v.cursor] == key {
		return v.cursor
	}
	r.work(r.l, len(v.keys)/lengthPerStep)
	if i := slices.Index(v.keys, key); i >= 0 {
		return i
	}
	return len(v.keys)
}
