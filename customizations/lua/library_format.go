package lua

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxWidth bounds the width and the precision of a number in string.format.
const maxWidth = 1000

// stringFormat formats as gopher-lua does, with the verbs of Go beside those of Lua.
func stringFormat(l *lua.LState) int {
	format := checkText(l, 1)
	r := runOf(l)
	out := text{run: r}
	arg := 1
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			out.write(format)
			return pushText(l, out.String())
		}
		out.write(format[:i])
		verb := directive(l, format[i:])
		format = format[i+len(verb):]
		if verb == "%%" {
			out.write("%")
			continue
		}
		arg++
		if arg > l.GetTop() {
			l.ArgError(arg, "want a value for "+verb+", got none")
		}
		r.charge(l, maxWidth)
		out.write(formatted(l, r, verb, l.Get(arg)))
	}
}

// directive returns the directive that format begins with, "%-5.2f".
func directive(l *lua.LState, format string) string {
	i := 1
	for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
		i++
	}
	for i < len(format) && (isDigit(format[i]) || format[i] == '.') {
		i++
	}
	if i == len(format) {
		l.RaiseError("invalid format: %q is not complete", format)
	}
	for number := range strings.SplitSeq(strings.TrimLeft(format[1:i], "-+ #0"), ".") {
		if n, err := strconv.Atoi(number); number != "" && (err != nil || n > maxWidth) {
			l.RaiseError("invalid format: want a width and precision of at most %d, got %q", maxWidth, format[:i+1])
		}
	}
	return format[:i+1]
}

func formatted(l *lua.LState, r *run, verb string, value lua.LValue) string {
	switch text := toText(value); verb[len(verb)-1] {
	case 's', 'v':
		r.charge(l, len(text))
		return fmt.Sprintf(verb, text)
	case 'q':
		r.charge(l, 6*len(text))
		return fmt.Sprintf(verb, text)
	case 'd', 'i', 'c', 'x', 'X', 'o', 'u', 'e', 'E', 'f', 'F', 'g', 'G':
		n, ok := value.(lua.LNumber)
		if s, isText := value.(lua.LString); isText && !ok {
			f, err := strconv.ParseFloat(strings.TrimSpace(string(s)), 64)
			n, ok = lua.LNumber(f), err == nil
		}
		if !ok {
			l.RaiseError("bad argument to 'format': %s wants a number, got %s", verb, typeName(value))
		}
		if verb[len(verb)-1] == 'u' {
			verb = verb[:len(verb)-1] + "d"
		}
		return fmt.Sprintf(verb, n)
	}
	l.RaiseError("invalid format: unknown directive %q", verb)
	return ""
}
