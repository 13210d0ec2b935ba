package lua

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

var osFunctions = functions{"date": osDate, "difftime": osDifftime, "time": osTime}

func now(l *lua.LState) time.Time { return interpreter.ClockOf(runOf(l).caller).Now() }

// osTime returns the seconds since 1970 of now, or of a table with the fields that os.date("*t") makes, read as UTC.
func osTime(l *lua.LState) int {
	if l.GetTop() == 0 || l.Get(1) == lua.LNil {
		l.Push(lua.LNumber(now(l).Unix()))
		return 1
	}
	checkTable(l, 1)
	field := func(name string, otherwise int) int {
		switch value := l.GetField(l.Get(1), name).(type) {
		case lua.LNumber:
			return int(value)
		case lua.LString:
			if n, err := strconv.Atoi(strings.TrimSpace(string(value))); err == nil {
				return n
			}
		}
		if otherwise < 0 {
			l.RaiseError("field '%s' missing in date table", name)
		}
		return otherwise
	}
	year, month, day := field("year", -1), field("month", -1), field("day", -1)
	at := time.Date(year, time.Month(month), day, field("hour", 12), field("min", 0), field("sec", 0), 0, time.UTC)
	l.Push(lua.LNumber(at.Unix()))
	return 1
}

// osDifftime returns the seconds from its second argument to its first.
func osDifftime(l *lua.LState) int {
	l.Push(lua.LNumber(l.CheckInt64(1) - l.CheckInt64(2)))
	return 1
}

// osDate formats a time as strftime does. Times are in UTC, on every machine, with and without "!".
func osDate(l *lua.LState) int {
	format, at := l.OptString(1, "%c"), now(l)
	if l.Get(2) != lua.LNil {
		at = time.Unix(l.CheckInt64(2), 0)
	}
	at = at.UTC()
	format = strings.TrimPrefix(format, "!")
	if strings.HasPrefix(format, "*t") {
		l.Push(dateTable(l, at))
		return 1
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		b.WriteString(conversion(at, format[i]))
	}
	runOf(l).charge(l, b.Len())
	return pushText(l, b.String())
}

func dateTable(l *lua.LState, at time.Time) *lua.LTable {
	out := l.CreateTable(0, 9)
	runOf(l).charge(l, tableSize+9*entrySize)
	for _, f := range []struct {
		name  string
		value int
	}{
		{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()}, {"hour", at.Hour()}, {"min", at.Minute()},
		{"sec", at.Second()}, {"wday", int(at.Weekday()) + 1}, {"yday", at.YearDay()},
	} {
		out.RawSetString(f.name, lua.LNumber(f.value))
	}
	out.RawSetString("isdst", lua.LFalse)
	return out
}

// layouts are the conversions that are a layout of Go's time.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06",
	'e': "_2", 'F': "2006-01-02", 'h': "Jan", 'H': "15", 'I': "03", 'm': "01", 'M': "04", 'n': "\n", 'p': "PM", 'r': "03:04:05 PM",
	'R': "15:04", 'S': "05", 't': "\t", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700",
	'Z': "MST", '%': "%",
}

// conversion returns what %c stands for, and an unknown one as it is.
func conversion(at time.Time, c byte) string {
	if layout, ok := layouts[c]; ok {
		return at.Format(layout)
	}
	switch c {
	case 'C':
		return fmt.Sprintf("%02d", at.Year()/100)
	case 'j':
		return fmt.Sprintf("%03d", at.YearDay())
	case 's':
		return strconv.FormatInt(at.Unix(), 10)
	case 'u':
		return strconv.Itoa((int(at.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(at.Weekday()))
	case 'U':
		return fmt.Sprintf("%02d", (at.YearDay()+6-int(at.Weekday()))/7)
	case 'W':
		return fmt.Sprintf("%02d", (at.YearDay()+6-(int(at.Weekday())+6)%7)/7)
	case 'G', 'V':
		year, week := at.ISOWeek()
		if c == 'G' {
			return strconv.Itoa(year)
		}
		return fmt.Sprintf("%02d", week)
	}
	return "%" + string(c)
}
