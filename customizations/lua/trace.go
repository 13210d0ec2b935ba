package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// newStepper returns the function that is called before each instruction when the trace asks for steps: it reports a
// line when the run comes to it.
func (r *run) newStepper() func() {
	source := r.program.src.Source()
	var line, function int
	return func() {
		frame, ok := r.l.GetStack(0)
		if !ok {
			return
		}
		if _, err := r.l.GetInfo("Sl", frame, lua.LNil); err != nil || frame.CurrentLine <= 0 {
			return
		}
		if frame.CurrentLine == line && frame.LineDefined == function {
			return
		}
		line, function = frame.CurrentLine, frame.LineDefined
		r.trace.Step(interpreter.Step{Source: source, Line: line, Values: func() map[string]any { return r.locals(frame) }})
	}
}

// locals returns the local variables of a call as plain values. It spends nothing of the run's budgets.
func (r *run) locals(frame *lua.Debug) map[string]any {
	bytes, failure, next := r.bytes, r.failure, r.next
	defer func() { r.bytes, r.failure, r.next = bytes, failure, next }()
	out := map[string]any{}
	for i := 1; ; i++ {
		name, value := r.l.GetLocal(frame, i)
		if name == "" {
			return out
		}
		if strings.HasPrefix(name, "(") {
			continue
		}
		c := result{run: r, share: true}
		plain, err := c.value(value)
		if err != nil {
			plain = typeName(value)
		}
		out[name] = plain
	}
}
