package lua

import (
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// collectLines adds the lines of proto that hold instructions.
func collectLines(proto *lua.FunctionProto, lines map[int]bool) {
	for i, line := range proto.DbgSourcePositions {
		// The last instruction is the return that every function ends with, on the line of its end.
		if line > 0 && i < len(proto.DbgSourcePositions)-1 {
			lines[line] = true
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		collectLines(inner, lines)
	}
}

// newStepper returns the function that is called before each instruction when the trace asks for steps: it reports a
// line when the run comes to it, and what the watcher sees.
func (r *run) newStepper() func() {
	source := r.program.src.Source()
	lines := map[int]bool{}
	collectLines(r.program.proto, lines)
	variables := sync.OnceValue(r.program.variables)
	watcher := newWatcher(r)
	var line int
	var function extent
	return func() {
		frame, ok := r.l.GetStack(0)
		if !ok {
			return
		}
		if _, err := r.l.GetInfo("Sl", frame, lua.LNil); err != nil {
			return
		}
		watcher.look(frame)
		where := extent{frame.LineDefined, frame.LastLineDefined}
		if frame.CurrentLine == line && where == function || !lines[frame.CurrentLine] {
			return
		}
		line, function = frame.CurrentLine, where
		r.trace.Step(interpreter.Step{
			Source: source, Line: line, Text: strings.TrimRight(lineOf(r.program.src, line), " \t\r"),
			Values: func() map[string]any { return r.locals(frame, variables()) },
		})
	}
}

// locals returns the local variables of a call as plain values. It spends nothing of the run's budgets.
func (r *run) locals(frame *lua.Debug, variables map[extent][]variable) map[string]any {
	bytes, failure, next := r.bytes, r.failure, r.next
	defer func() { r.bytes, r.failure, r.next = bytes, failure, next }()
	out := map[string]any{}
	where := extent{frame.LineDefined, frame.LastLineDefined}
	if frame.LineDefined == 0 {
		where = extent{}
	}
	for _, v := range variables[where] {
		if frame.CurrentLine < v.from || frame.CurrentLine > v.to {
			continue
		}
		_, value := r.l.GetLocal(frame, v.register)
		c := result{run: r, share: true}
		plain, err := c.value(value)
		if err != nil {
			plain = typeName(value)
		}
		out[v.name] = plain
	}
	return out
}
