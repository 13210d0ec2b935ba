package lua

import (
	"slices"
	"strings"

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
		n = table.MaxN()
		runOf(l).work(l, n/lengthPerStep)
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
	r.work(l, (last-first)/lengthPerStep)
	var b strings.Builder
	for i := first; i <= last; i++ {
		value := elementAt(l, 1, i)
		if !lua.LVCanConvToString(value) {
			l.RaiseError("invalid value (%s) at index %d in table for concat", typeName(value), i)
		}
		text := toText(value)
		if i < last {
			r.charge(l, len(text)+len(separator))
			b.WriteString(text)
			b.WriteString(separator)
		} else {
			r.charge(l, len(text))
			b.WriteString(text)
		}
	}
	l.Push(lua.LString(b.String()))
	return 1
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
	r.charge(l, 2*valueSize)
	value, at := l.Get(2), lengthOf(l, table, v)+1
	if l.GetTop() > 2 {
		value, at = l.CheckAny(3), l.CheckInt(2)
	}
	if v != nil && !v.isList {
		table, v = ownTable(l)
	}
	switch {
	case v == nil && l.GetTop() == 2:
		table.Append(value)
	case v == nil:
		r.grow(l, table, at)
		r.work(l, max(table.MaxN()-at, 0)/lengthPerStep)
		table.Insert(at, value)
	case at < 1 || at > r.size(v):
		r.set(v, lua.LNumber(at), value)
	default:
		r.work(l, (r.size(v)-at)/lengthPerStep)
		r.limitList(r.size(v) + 1)
		v.elements = slices.Insert(r.elementsOf(v), at-1, value)
	}
	return 0
}

func tableRemove(l *lua.LState) int {
	r := runOf(l)
	table, v := ownTable(l)
	if v == nil {
		n := table.MaxN()
		at := l.OptInt(2, -1)
		r.work(l, max(n-at, 0)/lengthPerStep)
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
	r.work(l, (n-at)/lengthPerStep)
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
	n := table.MaxN()
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

// grow takes from the memory budget what table needs to have an element at i.
func (r *run) grow(l *lua.LState, table *lua.LTable, i int) {
	if i > 0 && i < maxList {
		if gap := i - table.MaxN(); gap > 1 {
			r.charge(l, valueSize*gap)
		}
	}
}

// limitList raises an error when a list would have n elements and that is too many.
func (r *run) limitList(n int) {
	if n >= maxList {
		r.l.RaiseError("a list of %d elements: want fewer than %d", n, maxList)
	}
}
