package lua

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// chunkName is what gopher-lua calls a script in its messages; the peer's scripts have the same name.
const chunkName = "<string>"

var (
	// place matches the place in front of a message.
	place = regexp.MustCompile(`^<string>:(\d+): ?`)
	// address matches what gopher-lua writes for a value that has no text.
	address = regexp.MustCompile(`\b(table|function|userdata): 0x[0-9a-f]+`)
	// tracePlace matches a place in a stack trace.
	tracePlace = regexp.MustCompile(`<string>:(\d+):`)
)

// at returns err as a problem on a line of the program's script, 0 when it is not known.
func (p *Program) at(line int, err error) *script.Problem {
	return &script.Problem{
		Severity: script.Error, Source: p.src, Line: line, Message: strings.TrimPrefix(err.Error(), p.name+": "), Err: err,
	}
}

func asProblem(src *script.Source, err error) *script.Problem {
	if problem, ok := errors.AsType[*script.Problem](err); ok {
		return problem
	}
	return &script.Problem{Severity: script.Error, Source: src, Message: err.Error(), Err: err}
}

// problem returns the error that ended a run: failure, when the run is over its budget or canceled, or else what the
// Lua machine says.
func (r *run) problem(failure, raised error) *script.Problem {
	message, line := r.explain(raised)
	switch {
	case failure != nil:
		return r.program.at(line, failure)
	case r.isOverflow(message):
		r.failDepth()
		return r.program.at(line, r.failure)
	}
	out := &script.Problem{Severity: script.Error, Source: r.program.src, Line: line, Message: message}
	if r.cause != nil && strings.HasSuffix(message, r.cause.Error()) {
		out.Err = r.cause
	}
	return out
}

// explain returns the message of an error that was raised, and its line, 0 when it is not known.
func (r *run) explain(err error) (message string, line int) {
	if err == nil {
		return "", 0
	}
	message = err.Error()
	if raised, ok := errors.AsType[*lua.ApiError](err); ok {
		message = r.errorText(raised.Object)
		if found := tracePlace.FindStringSubmatch(raised.StackTrace); found != nil {
			line, _ = strconv.Atoi(found[1])
		}
	}
	if found := place.FindStringSubmatch(message); found != nil {
		line, _ = strconv.Atoi(found[1])
		message = message[len(found[0]):]
	}
	if message != r.raised {
		message = reworded(message)
	}
	return message, line
}

// reworded returns a message of the Lua machine in the words that a script knows: a view is a table, and no value has an
// address, which would differ from run to run.
func reworded(message string) string {
	return strings.ReplaceAll(address.ReplaceAllString(message, "$1"), "userdata", "table")
}

// maxErrorTable is how long the text of an error may be that is a table.
const maxErrorTable = 256

// errorText returns what a script raised as a message.
func (r *run) errorText(object lua.LValue) string {
	if !isTable(object) {
		return toText(object)
	}
	c := result{run: r, share: true}
	value, err := c.value(object)
	if err != nil {
		return "an error that is a table"
	}
	data, err := json.Marshal(value)
	if err != nil || len(data) > maxErrorTable {
		return "an error that is a table"
	}
	return "an error that is a table: " + string(data)
}

// isOverflow tells whether message says that calls were nested too deeply.
func (r *run) isOverflow(message string) bool {
	return message != r.raised && (message == "stack overflow" || message == "registry overflow")
}

// syntaxProblem returns the problem of a script that the parser or the compiler refused.
func syntaxProblem(src *script.Source, err error) *script.Problem {
	out := &script.Problem{Severity: script.Error, Source: src, Message: err.Error(), Err: err}
	if refused, ok := errors.AsType[*parse.Error](err); ok {
		locate(out, refused)
	} else if compileError, ok := errors.AsType[*lua.CompileError](err); ok {
		out.Line, out.Message = compileError.Line, compileError.Message
	}
	return out
}

// locate sets the place and the message of a syntax error.
func locate(out *script.Problem, refused *parse.Error) {
	out.Line, out.Column, out.Message = refused.Pos.Line, refused.Pos.Column, refused.Message
	switch {
	case out.Line == parse.EOF:
		lines := strings.Split(strings.TrimRight(out.Source.Text, "\r\n \t"), "\n")
		out.Line, out.Column = len(lines), len(lines[len(lines)-1])+1
		out.Message += ": the script ends too early"
	case out.Column == 0 && out.Line > 1:
		// A string that does not end on its line: the parser has read on to the next one.
		out.Line--
		out.Column = max(strings.LastIndex(lineOf(out.Source, out.Line), refused.Token), 1)
	case refused.Token != "":
		out.Message += " near " + strconv.Quote(refused.Token)
		// The parser has read past the word that it does not like.
		line := lineOf(out.Source, out.Line)
		if strings.HasSuffix(line[:min(out.Column, len(line))], refused.Token) {
			out.Column -= len(refused.Token) - 1
		}
	}
}

// lineOf returns a line of the script, from 1, or "".
func lineOf(src *script.Source, line int) string {
	lines := strings.Split(src.Text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// missing returns the problem of a script that does not define its function, with the name that was probably meant.
func (r *run) missing() *script.Problem {
	name := r.program.info.Function
	if value := r.env.RawGetString(name); value != lua.LNil {
		out := r.program.at(0, errors.New(name+" is a "+typeName(value)+": want a function"))
		return out
	}
	if at, ok := r.program.locals[name]; ok {
		out := r.program.at(at.line, errors.New(name+" is local: nobody can call it, leave out the word local"))
		out.Column = at.column
		return out
	}
	out := r.program.at(0, errors.New("the script defines no function "+name))
	var defined []string
	for key, value := r.env.Next(lua.LNil); key != lua.LNil; key, value = r.env.Next(key) {
		if text, ok := key.(lua.LString); ok && value.Type() == lua.LTFunction {
			defined = append(defined, string(text))
		}
	}
	slices.Sort(defined)
	if near := nearest(name, defined); near != "" {
		out.Message += ": it defines " + near + ", rename it"
		out.Line, out.Column = r.program.defined[near].line, r.program.defined[near].column
	} else if len(defined) > 0 {
		out.Message += ", only " + strings.Join(defined, ", ")
	}
	return out
}

// nearest returns the name that was probably meant to be name, or "".
func nearest(name string, names []string) string {
	for _, other := range interpreter.Operations() {
		if slices.Contains(names, other.Function) {
			return other.Function
		}
	}
	return script.Nearest(name, names)
}
