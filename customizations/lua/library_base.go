package lua

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var baseFunctions = functions{
	"assert": baseAssert, "error": baseError, "ipairs": baseIpairs, "next": baseNext, "pairs": basePairs,
	"pcall": basePcall, "print": basePrint, "require": baseRequire, "select": baseSelect, "tonumber": baseToNumber,
	"tostring": baseToString, "type": baseType, "unpack": baseUnpack, "xpcall": baseXpcall,
}

// viewFunctions are the metamethods of views.
var viewFunctions = functions{
	"__index": func(l *lua.LState) int {
		l.Push(runOf(l).get(viewOf(l.Get(1)), l.Get(2)))
		return 1
	},
	"__newindex": func(l *lua.LState) int {
		runOf(l).set(viewOf(l.Get(1)), l.Get(2), l.Get(3))
		return 0
	},
	"__len": func(l *lua.LState) int {
		l.Push(lua.LNumber(runOf(l).length(viewOf(l.Get(1)))))
		return 1
	},
}

func baseAssert(l *lua.LState) int {
	if !l.ToBool(1) {
		message := l.OptString(2, "assertion failed!")
		runOf(l).raised = message
		l.RaiseError("%s", message)
	}
	return l.GetTop()
}

func baseError(l *lua.LState) int {
	object := l.CheckAny(1)
	level := l.OptInt(2, 1)
	if text, ok := object.(lua.LString); ok {
		runOf(l).raised = string(text)
	}
	l.Error(object, level)
	return 0
}

// checkTable returns argument n, which must be a table: one of the script, or a view.
func checkTable(l *lua.LState, n int) (*lua.LTable, *view) {
	switch value := l.Get(n).(type) {
	case *lua.LTable:
		return value, nil
	case *lua.LUserData:
		if v := viewOf(value); v != nil {
			if v.table != nil {
				return v.table, nil
			}
			return nil, v
		}
	}
	l.TypeError(n, lua.LTTable)
	return nil, nil
}

func baseIpairs(l *lua.LState) int {
	checkTable(l, 1)
	table := l.Get(1)
	l.Push(ipairsStep)
	l.Push(table)
	l.Push(lua.LNumber(0))
	return 3
}

var (
	ipairsStep = newFunction(func(l *lua.LState) int {
		i := int(l.CheckNumber(2)) + 1
		value := elementAt(l, 1, i)
		if value == lua.LNil {
			l.Push(lua.LNil)
			return 1
		}
		l.Push(lua.LNumber(i))
		l.Push(value)
		return 2
	})
	pairsStep = newFunction(baseNext)
)

// elementAt returns element i of the table that is argument n.
func elementAt(l *lua.LState, n, i int) lua.LValue {
	table, v := checkTable(l, n)
	switch {
	case v == nil:
		return table.RawGet(lua.LNumber(i))
	case v.isList:
		return runOf(l).element(v, i)
	}
	return lua.LNil
}

// manyEntries is how many entries a run may assign before next looks at the clock every time: gopher-lua walks past every
// name that was taken out of a table, and nobody can tell how many these are.
const manyEntries = 4096

func baseNext(l *lua.LState) int {
	table, v := checkTable(l, 1)
	var key, value lua.LValue
	if v != nil {
		key, value = runOf(l).nextEntry(v, l.Get(2))
	} else {
		r := runOf(l)
		if r.entries > manyEntries && r.check() != nil {
			raise(l, r.failure)
		}
		key, value = table.Next(l.Get(2))
	}
	l.Push(key)
	if key == lua.LNil {
		return 1
	}
	l.Push(value)
	return 2
}

func basePairs(l *lua.LState) int {
	table, _ := checkTable(l, 1)
	subject := l.Get(1)
	if table != nil && table.Metatable != lua.LNil {
		if module := runOf(l).module(table); module != nil {
			subject = copyModule(l, module, table)
		}
	}
	l.Push(pairsStep)
	l.Push(subject)
	l.Push(lua.LNil)
	return 3
}

// copyModule returns what a script sees in a library table, as a table of its own.
func copyModule(l *lua.LState, module, proxy *lua.LTable) *lua.LTable {
	out := l.CreateTable(0, 0)
	for _, t := range []*lua.LTable{module, proxy} {
		for key, value := t.Next(lua.LNil); key != lua.LNil; key, value = t.Next(key) {
			runOf(l).charge(l, entrySize)
			out.RawSet(key, value)
		}
	}
	return out
}

func basePcall(l *lua.LState) int {
	f := l.CheckAny(1)
	if f.Type() != lua.LTFunction {
		l.Push(lua.LFalse)
		l.Push(lua.LString("attempt to call a " + typeName(f) + " value"))
		return 2
	}
	if err := l.PCall(l.GetTop()-1, lua.MultRet, nil); err != nil {
		return caught(l, err)
	}
	l.Insert(lua.LTrue, 1)
	return l.GetTop()
}

func baseXpcall(l *lua.LState) int {
	f, handler := l.CheckFunction(1), l.CheckFunction(2)
	top := l.GetTop()
	l.Push(f)
	if err := l.PCall(0, lua.MultRet, handler); err != nil {
		return caught(l, err)
	}
	l.Insert(lua.LTrue, top+1)
	return l.GetTop() - top
}

// caught pushes what pcall returns for an error. The end of a run cannot be caught.
func caught(l *lua.LState, err error) int {
	r := runOf(l)
	r.caught = true
	if r.failure == nil {
		if message, _ := r.explain(err); r.isOverflow(message) {
			r.failDepth()
		}
	}
	if r.failure != nil {
		raise(l, r.failure)
	}
	var object lua.LValue = lua.LString(err.Error())
	if raised, ok := err.(*lua.ApiError); ok { //nolint:errorlint // PCall returns it as it is
		object = raised.Object
		if text, ok := object.(lua.LString); ok && (r.raised == "" || !strings.HasSuffix(string(text), r.raised)) {
			object = lua.LString(reworded(string(text)))
		}
	}
	l.Push(lua.LFalse)
	l.Push(object)
	return 2
}

func basePrint(l *lua.LState) int {
	r := runOf(l)
	out := text{run: r}
	for i := 1; i <= l.GetTop(); i++ {
		if i > 1 {
			out.write("\t")
		}
		out.write(toText(l.Get(i)))
	}
	if r.trace != nil && r.trace.Printed != nil {
		r.trace.Printed(r.program.src.Source(), out.String())
	}
	return 0
}

func baseSelect(l *lua.LState) int {
	if text, ok := l.Get(1).(lua.LString); ok && text == "#" {
		l.Push(lua.LNumber(l.GetTop() - 1))
		return 1
	}
	i, n := l.CheckInt(1), l.GetTop()
	if i < 0 {
		i += n
	}
	if i < 1 {
		l.ArgError(1, "index out of range")
	}
	return n - min(i, n)
}

func baseToNumber(l *lua.LState) int {
	l.Push(toNumber(l))
	return 1
}

func toNumber(l *lua.LState) lua.LValue {
	value := l.CheckAny(1)
	text, ok := value.(lua.LString)
	if !ok {
		if value.Type() == lua.LTNumber {
			return value
		}
		return lua.LNil
	}
	base := l.OptInt(2, 10)
	if base < 2 || base > 36 {
		l.ArgError(2, "base out of range")
	}
	digits := strings.Trim(string(text), " \n\t")
	if strings.Contains(digits, ".") {
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return lua.LNumber(f)
		}
		return lua.LNil
	}
	if l.Get(2) == lua.LNil && len(digits) > 2 && strings.EqualFold(digits[:2], "0x") {
		base, digits = 16, digits[2:]
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return number(n)
	}
	return lua.LNil
}

func baseToString(l *lua.LState) int {
	value := l.CheckAny(1)
	if _, ok := value.(lua.LString); !ok {
		value = lua.LString(toText(value))
		runOf(l).charge(l, len(value.(lua.LString))+valueSize)
	}
	l.Push(value)
	return 1
}

// toText returns value as tostring does, with the type alone where Lua writes an address.
func toText(value lua.LValue) string {
	switch value := value.(type) {
	case lua.LString:
		return string(value)
	case lua.LNumber:
		return numberText(value)
	case lua.LBool, *lua.LNilType:
		return value.String()
	}
	return typeName(value)
}

// numberText is lua.LNumber.String.
func numberText(n lua.LNumber) string {
	if i := int64(n); lua.LNumber(i) == n {
		return strconv.FormatInt(i, 10)
	}
	return n.String()
}

// typeNames are the results of type, made once.
var typeNames = func() (names [lua.LTChannel + 1]lua.LValue) {
	for i := range names {
		names[i] = lua.LString(lua.LValueType(i).String())
	}
	names[lua.LTUserData] = names[lua.LTTable]
	return names
}()

func baseType(l *lua.LState) int {
	l.Push(typeNames[l.CheckAny(1).Type()])
	return 1
}

// maxUnpacked is how many values unpack and string.byte may return.
const maxUnpacked = maxRegistry / 4

func baseUnpack(l *lua.LState) int {
	table, v := checkTable(l, 1)
	first := l.OptInt(2, 1)
	var last int
	if l.Get(3) == lua.LNil {
		last = lengthOf(l, table, v)
	} else {
		last = l.CheckInt(3)
	}
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > maxUnpacked || n < 0 {
		l.RaiseError("too many results to unpack: want at most %d", maxUnpacked)
	}
	runOf(l).work(l, n/lengthPerStep)
	for i := first; i <= last; i++ {
		l.Push(elementAt(l, 1, i))
	}
	return n
}

// lengthOf returns what # returns.
func lengthOf(l *lua.LState, table *lua.LTable, v *view) int {
	if v != nil {
		return runOf(l).length(v)
	}
	return runOf(l).tableLength(table)
}

// baseRequire finds the library's modules, and what the script itself put into package.loaded and package.preload.
func baseRequire(l *lua.LState) int {
	r, name := runOf(l), l.CheckString(1)
	if r.loaded != nil {
		if value := r.loaded.RawGetString(name); lua.LVAsBool(value) {
			l.Push(value)
			return 1
		}
	}
	if module := r.proxies.module(name); module != nil {
		l.Push(module)
		return 1
	}
	if r.preload != nil {
		if loader, ok := r.preload.RawGetString(name).(*lua.LFunction); ok {
			l.Push(loader)
			l.Push(lua.LString(name))
			l.Call(1, 1)
			return 1
		}
	}
	l.RaiseError("module %s not found: want kube", name)
	return 0
}

// packageField returns package.loaded and package.preload, tables of the run.
func packageField(l *lua.LState) int {
	r := runOf(l)
	switch lua.LVAsString(l.Get(2)) {
	case "loaded":
		if r.loaded == nil {
			r.loaded = l.CreateTable(0, len(proxyNames))
			for _, p := range r.proxies.tables {
				r.loaded.RawSetString(p.name, p.table)
			}
		}
		l.Push(r.loaded)
	case "preload":
		if r.preload == nil {
			r.preload = l.CreateTable(0, 0)
		}
		l.Push(r.preload)
	default:
		l.Push(lua.LNil)
	}
	return 1
}
