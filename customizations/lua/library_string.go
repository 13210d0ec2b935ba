package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var stringFunctions = functions{
	"byte": stringByte, "char": stringChar, "find": stringFind, "format": stringFormat, "gfind": stringGmatch,
	"gmatch": stringGmatch, "gsub": stringGsub, "len": stringLen, "lower": stringLower, "match": stringMatch, "rep": stringRep,
	"reverse": stringReverse, "sub": stringSub, "upper": stringUpper,
	"dump": func(l *lua.LState) int {
		l.RaiseError("function string.dump is not supported by Karmada")
		return 0
	},
}

// bytesPerStep is how many bytes a library function may look at in the time of one instruction.
const bytesPerStep = 64

// checkText returns argument n as a string, and takes the work of looking at it.
func checkText(l *lua.LState, n int) string {
	s := l.CheckString(n)
	runOf(l).work(l, len(s)/bytesPerStep)
	return s
}

// pushText pushes a string that a library function has made.
func pushText(l *lua.LState, s string) int {
	l.Push(lua.LString(s))
	return 1
}

// span turns Lua's first and last character, from 1 and negative from the end, into Go's half-open one.
func span(s string, first, last int) (start, end int) {
	if first < 0 {
		first = max(len(s)+first+1, 1)
	}
	if last < 0 {
		last = len(s) + last + 1
	}
	start, end = max(first, 1)-1, min(last, len(s))
	return start, max(start, end)
}

func stringSub(l *lua.LState) int {
	s := l.CheckString(1)
	start, end := span(s, l.CheckInt(2), l.OptInt(3, -1))
	if start >= len(s) {
		return pushText(l, "")
	}
	runOf(l).charge(l, valueSize)
	return pushText(l, s[start:end])
}

func stringByte(l *lua.LState) int {
	s := l.CheckString(1)
	first := l.OptInt(2, 1)
	start, end := span(s, first, l.OptInt(3, first))
	if start >= len(s) {
		return 0
	}
	if end-start > maxUnpacked {
		l.RaiseError("string slice too long: want at most %d", maxUnpacked)
	}
	for _, c := range []byte(s[start:end]) {
		l.Push(lua.LNumber(c))
	}
	return end - start
}

func stringChar(l *lua.LState) int {
	out := make([]byte, l.GetTop())
	for i := range out {
		out[i] = byte(l.CheckInt(i + 1))
	}
	runOf(l).charge(l, len(out))
	return pushText(l, string(out))
}

func stringLen(l *lua.LState) int {
	l.Push(lua.LNumber(len(l.CheckString(1))))
	return 1
}

func stringLower(l *lua.LState) int { return mapped(l, strings.ToLower) }

func stringUpper(l *lua.LState) int { return mapped(l, strings.ToUpper) }

func stringReverse(l *lua.LState) int {
	return mapped(l, func(s string) string {
		out := []byte(s)
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
		return string(out)
	})
}

// mapped pushes f of argument 1. Changing the case of a letter can make it three times as long.
func mapped(l *lua.LState, f func(string) string) int {
	s := checkText(l, 1)
	runOf(l).charge(l, 3*len(s))
	return pushText(l, f(s))
}

func stringRep(l *lua.LState) int {
	s, n := l.CheckString(1), l.CheckInt(2)
	if n <= 0 || s == "" {
		return pushText(l, "")
	}
	r := runOf(l)
	if int64(n) > r.limits.Memory || int64(len(s)) > r.limits.Memory/int64(n) {
		n = int(r.limits.Memory) // Whatever: it is too much.
	}
	r.charge(l, len(s)*n)
	r.work(l, len(s)*n/bytesPerStep)
	return pushText(l, strings.Repeat(s, n))
}

// matcherOf returns a matcher for arguments 1 and 2.
func matcherOf(l *lua.LState) *matcher {
	r := runOf(l)
	m, err := newMatcher(l.CheckString(1), l.CheckString(2), func(steps int) error {
		if r.steps += int64(steps); r.steps >= r.next {
			return r.check()
		}
		return nil
	})
	if err != nil {
		raise(l, err)
	}
	r.charge(l, 640)
	return m
}

// findFrom runs m from a position in the subject.
func (m *matcher) findFrom(l *lua.LState, from int) (start, end int) {
	start, end, err := m.find(from)
	if err != nil {
		raise(l, err)
	}
	return start, end
}

// push pushes capture i of the last match.
func (m *matcher) push(l *lua.LState, i, start, end int) {
	runOf(l).charge(l, valueSize)
	text, position, ok := m.text(i, start, end)
	switch {
	case !ok:
		l.RaiseError("invalid capture index")
	case position > 0:
		l.Push(lua.LNumber(position))
	default:
		l.Push(lua.LString(text))
	}
}

// pushAll pushes the captures of the last match, or the match itself when there are none, and returns how many.
func (m *matcher) pushAll(l *lua.LState, start, end int) int {
	n := max(m.level, 1)
	for i := range n {
		m.push(l, i, start, end)
	}
	return n
}

// startAt returns the position that argument n names.
func startAt(l *lua.LState, n int, s string) int {
	start := l.OptInt(n, 1)
	if start < 0 {
		start = max(len(s)+start+1, 1)
	}
	return max(start, 1) - 1
}

func stringFind(l *lua.LState) int {
	s, pattern := checkText(l, 1), l.CheckString(2)
	from := startAt(l, 3, s)
	if from > len(s) {
		l.Push(lua.LNil)
		return 1
	}
	if lua.LVAsBool(l.Get(4)) || !strings.ContainsAny(pattern, "^$*+?.([%-") {
		i := strings.Index(s[from:], pattern)
		if i < 0 {
			l.Push(lua.LNil)
			return 1
		}
		l.Push(lua.LNumber(from + i + 1))
		l.Push(lua.LNumber(from + i + len(pattern)))
		return 2
	}
	m := matcherOf(l)
	start, end := m.findFrom(l, from)
	if start < 0 {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(lua.LNumber(start + 1))
	l.Push(lua.LNumber(end))
	if m.level == 0 {
		return 2
	}
	return 2 + m.pushAll(l, start, end)
}

func stringMatch(l *lua.LState) int {
	m := matcherOf(l)
	start, end := -1, 0
	if from := startAt(l, 3, m.subject); from <= len(m.subject) {
		start, end = m.findFrom(l, from)
	}
	if start < 0 {
		l.Push(lua.LNil)
		return 1
	}
	return m.pushAll(l, start, end)
}

// stringGmatch returns an iterator over the matches. Its pattern is never anchored.
func stringGmatch(l *lua.LState) int {
	m := matcherOf(l)
	at := 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		runOf(l).work(l, 1)
		start, end := -1, 0
		if at <= len(m.subject) {
			start, end = m.findFrom(l, at)
		}
		if start < 0 {
			at = len(m.subject) + 1
			l.Push(lua.LNil)
			return 1
		}
		if at = end; start == end {
			at++
		}
		return m.pushAll(l, start, end)
	}))
	return 1
}

func stringGsub(l *lua.LState) int {
	r, m := runOf(l), matcherOf(l)
	replacement := l.Get(3)
	switch {
	case replacement.Type() == lua.LTNumber:
		replacement = lua.LString(toText(replacement))
	case replacement.Type() != lua.LTString && replacement.Type() != lua.LTFunction && !isTable(replacement):
		l.ArgError(3, "string, table or function expected, got "+typeName(replacement))
	}
	limit := l.OptInt(4, len(m.subject)+1)
	out := text{run: r}
	write := func(s string) {
		r.work(l, len(s)/bytesPerStep)
		out.write(s)
	}
	n, at := 0, 0
	for ; n < limit; n++ {
		start, end := m.findFrom(l, at)
		if start < 0 {
			break
		}
		write(m.subject[at:start])
		write(m.replaced(l, replacement, start, end))
		if at = end; start == end {
			if at == len(m.subject) {
				at++
				n++
				break
			}
			write(m.subject[at : at+1])
			at++
		}
		if strings.HasPrefix(m.pattern, "^") {
			n++
			break
		}
	}
	if at < len(m.subject) {
		write(m.subject[at:])
	}
	pushText(l, out.String())
	l.Push(lua.LNumber(n))
	return 2
}

// replaced returns what takes the place of the last match.
func (m *matcher) replaced(l *lua.LState, replacement lua.LValue, start, end int) string {
	var value lua.LValue
	switch replacement := replacement.(type) {
	case lua.LString:
		return m.filled(l, string(replacement), start, end)
	case *lua.LFunction:
		l.Push(replacement)
		l.Call(m.pushAll(l, start, end), 1)
		value = l.Get(-1)
	default:
		m.push(l, 0, start, end)
		value = l.GetTable(replacement, l.Get(-1))
	}
	l.Pop(1)
	switch {
	case lua.LVIsFalse(value):
		return m.subject[start:end]
	case !lua.LVCanConvToString(value):
		l.RaiseError("invalid replacement value (a %s)", typeName(value))
	}
	return toText(value)
}

// filled returns a replacement with %0 to %9 filled in.
func (m *matcher) filled(l *lua.LState, replacement string, start, end int) string {
	if !strings.Contains(replacement, "%") {
		return replacement
	}
	out := text{run: runOf(l)}
	for i := 0; i < len(replacement); i++ {
		c := replacement[i]
		if c != '%' || i+1 == len(replacement) {
			out.write(replacement[i : i+1])
			continue
		}
		i++
		switch c = replacement[i]; {
		case c == '0':
			out.write(m.subject[start:end])
		case isDigit(c):
			m.push(l, int(c-'1'), start, end)
			out.write(toText(l.Get(-1)))
			l.Pop(1)
		default:
			out.write(replacement[i : i+1])
		}
	}
	return out.String()
}
