package lua

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

var tableFunctions = functions{
	"concat": tableConcat, "getn": tableGetn, "insert": tableInsert, "maxn": tableMaxn, "remove": tableRemove, "sort": tableSort,
}

func tableGetn(l *lua.LState) int {
	table, v := checkTable(l, 1)
	l.Push(lua.LNumber(lengthOf(l, table, v)))
	return 1
}

func tableMaxn(l *lua.LState) int {
	table, v := checkTable(l, 1)
	n := 0
	switch {
	case v == nil:
		n = runOf(l).maxN(table)
	case v.isList:
		n = runOf(l).length(v)
	}
	l.Push(lua.LNumber(n))
	return 1
}

func tableConcat(l *lua.LState) int {
	r := runOf(l)
	table, v := checkTable(l, 1)
	separator := l.OptString(2, "")
	length := lengthOf(l, table, v)
	first, last := max(l.OptInt(3, 1), 1), min(l.OptInt(4, length), length)
	if first > last {
		l.Push(lua.LString(""))
		return 1
	}
	r.skipped(last - first)
	out := text{run: r}
	for i := first; i <= last; i++ {
		value := elementAt(l, 1, i)
		if !lua.LVCanConvToString(value) {
			l.RaiseError("invalid value (%s) at index %d in table for concat", typeName(value), i)
		}
		out.write(toText(value))
		if i < last {
			out.write(separator)
		}
	}
	return pushText(l, out.String())
}

// ownTable returns argument 1 as a table that can be put in another order: a view of an object becomes one.
func ownTable(l *lua.LState) (*lua.LTable, *view) {
	table, v := checkTable(l, 1)
	if v != nil && !v.isList {
		runOf(l).spread(v)
		return v.table, nil
	}
	return table, v
}

func tableInsert(l *lua.LState) int {
	r := runOf(l)
	table, v := checkTable(l, 1)
	if l.GetTop() == 1 {
		l.RaiseError("wrong number of arguments")
	}
	value, at := l.Get(2), lengthOf(l, table, v)+1
	if l.GetTop() > 2 {
		value, at = l.CheckAny(3), l.CheckInt(2)
	}
	if v != nil && !v.isList {
		table, v = ownTable(l)
	}
	switch {
	case v == nil && l.GetTop() == 2:
		r.grow(table, at)
		table.Append(value)
	case v == nil:
		n := r.maxN(table)
		r.grow(table, max(at, n+1))
		r.skipped(n - at)
		table.Insert(at, value)
	case at < 1 || at > r.size(v):
		r.set(v, lua.LNumber(at), value)
	default:
		r.skipped(r.size(v) - at)
		r.limitList(r.size(v) + 1)
		v.elements = slices.Insert(r.elementsOf(v), at-1, value)
	}
	return 0
}

func tableRemove(l *lua.LState) int {
	r := runOf(l)
	table, v := ownTable(l)
	if v == nil {
		at := l.OptInt(2, -1)
		r.skipped(r.maxN(table) - max(at, 1))
		if value := table.Remove(at); value != nil {
			l.Push(value)
			return 1
		}
		l.Push(lua.LNil)
		return 1
	}
	n := r.length(v)
	at := l.OptInt(2, n)
	if n == 0 || at > n {
		l.Push(lua.LNil)
		return 1
	}
	if at < 1 {
		at = n
	}
	r.skipped(n - at)
	elements := r.elementsOf(v)
	value := elements[at-1]
	v.elements = slices.Delete(elements, at-1, at)
	l.Push(value)
	return 1
}

// tableSort sorts like gopher-lua does: not stably, by < or by a function.
func tableSort(l *lua.LState) int {
	r := runOf(l)
	table, v := ownTable(l)
	less := l.LessThan
	if l.GetTop() > 1 {
		f := l.CheckFunction(2)
		less = func(a, b lua.LValue) bool {
			l.Push(f)
			l.Push(a)
			l.Push(b)
			l.Call(2, 1)
			result := l.ToBool(-1)
			l.Pop(1)
			return result
		}
	}
	compare := func(a, b lua.LValue) int {
		r.work(l, 1)
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	}
	if v != nil {
		slices.SortStableFunc(r.elementsOf(v), compare)
		return 0
	}
	n := r.maxN(table)
	r.charge(l, valueSize*n)
	values := make([]lua.LValue, n)
	for i := range values {
		values[i] = table.RawGetInt(i + 1)
	}
	slices.SortStableFunc(values, compare)
	for i, value := range values {
		table.RawSetInt(i+1, value)
	}
	return 0
}
