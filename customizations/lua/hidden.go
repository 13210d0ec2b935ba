package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The names of the functions that rewritten scripts call. Nobody can write them in Lua.
const (
	hiddenCharge = "(charge)"
	hiddenConcat = "(concat)"
	hiddenGet    = "(get)"
	hiddenKey    = "(key)"
	hiddenLength = "(length)"
	hiddenNew    = "(new)"
	hiddenSet    = "(set)"
	hiddenTable  = "(table)"
)

var hiddenFunctions = functions{
	hiddenCharge: chargeBlock, hiddenConcat: concat, hiddenGet: getField, hiddenKey: chargeKey, hiddenLength: length, hiddenNew: newTable, hiddenSet: setEntry, hiddenTable: chargeTable,
}

// variableSize is what the table of a function's variable arguments takes, empty: gopher-lua makes it a large map.
const variableSize = 2048

// chargeBlock takes the bytes that the block that begins here will allocate from the memory budget, and what a
// table of variable arguments takes, if one is given.
func chargeBlock(l *lua.LState) int {
	n := int(l.Get(1).(lua.LNumber))
	if table, ok := l.Get(2).(*lua.LTable); ok {
		n += variableSize + slotSize*table.MaxN()
	}
	runOf(l).charge(l, n)
	return 0
}

// newTable is {}. gopher-lua makes room for 32 fields with the first one; few tables have as many.
func newTable(l *lua.LState) int {
	l.Push(l.CreateTable(4, 1))
	return 1
}

// chargeTable takes what a table of a variable number of values needs, and returns it.
func chargeTable(l *lua.LState) int {
	table := l.Get(1).(*lua.LTable)
	r, n := runOf(l), table.MaxN()
	r.charge(l, slotSize*n)
	r.longest = max(r.longest, n)
	return 1
}

// chargeKey takes what a table may need to have the entry at a key, and returns the key.
func chargeKey(l *lua.LState) int {
	if n, ok := l.Get(1).(lua.LNumber); ok && n > 0 && n < maxList {
		r := runOf(l)
		r.charge(l, slotSize*int(n))
		r.longest = max(r.longest, int(n))
	}
	return 1
}

// concat is the operator .. over a whole chain of operands, of which it takes the memory first.
func concat(l *lua.LState) int {
	n := l.GetTop()
	size := 0
	texts := make([]string, 0, 16)
	for i := 1; i <= n; i++ {
		value := l.Get(i)
		if !lua.LVCanConvToString(value) {
			failConcat(l, n)
		}
		text := toText(value)
		size += len(text)
		texts = append(texts, text)
	}
	r := runOf(l)
	r.charge(l, size+valueSize)
	r.work(l, size/bytesPerStep)
	return pushText(l, strings.Join(texts, ""))
}

// failConcat raises the error of .. as the Lua machine words it: operands are joined from the right.
func failConcat(l *lua.LState, n int) {
	right := typeName(l.Get(n))
	for i := n - 1; i >= 1; i-- {
		left := l.Get(i)
		if !lua.LVCanConvToString(left) || i == n-1 && !lua.LVCanConvToString(l.Get(n)) {
			l.RaiseError("cannot perform concat operation between %s and %s", typeName(left), right)
		}
		right = lua.LTString.String()
	}
}

// length is the operator #, with the work that counting takes.
func length(l *lua.LState) int {
	var n int
	switch value := l.Get(1).(type) {
	case lua.LString:
		n = len(value)
	case *lua.LTable:
		n = lengthOf(l, value, nil)
	default:
		v := viewOf(value)
		if v == nil {
			l.RaiseError("__len undefined")
		}
		n = runOf(l).length(v)
	}
	l.Push(lua.LNumber(n))
	return 1
}

// getField is a chain of fields, t.a[1].b.
func getField(l *lua.LState) int {
	r, value := runOf(l), l.Get(1)
	for i := 2; i <= l.GetTop(); i++ {
		key := l.Get(i)
		switch object := value.(type) {
		case *lua.LUserData:
			value = r.get(viewOf(object), key)
		case *lua.LTable:
			if value = object.RawGet(key); value == lua.LNil && object.Metatable != lua.LNil {
				value = l.GetTable(object, key)
			}
		default:
			value = l.GetTable(object, key)
		}
	}
	l.Push(value)
	return 1
}

// setEntry is the assignment t[k] = v, with the memory that it takes.
func setEntry(l *lua.LState) int {
	object, key, value := l.Get(1), l.Get(2), l.Get(3)
	r := runOf(l)
	if v := viewOf(object); v != nil {
		r.set(v, key, value)
		return 0
	}
	table, ok := object.(*lua.LTable)
	if !ok {
		l.RaiseError("attempt to index a non-table object(%v) with key '%s'", object.Type().String(), toText(key))
	}
	r.setTable(table, key, value)
	return 0
}

// setTable assigns to a table of the script.
func (r *run) setTable(table *lua.LTable, key, value lua.LValue) {
	if n, ok := key.(lua.LNumber); ok {
		r.grow(table, arrayIndex(float64(n)))
	} else {
		r.grow(table, 0)
	}
	r.l.RawSet(table, key, value)
}
