package lua

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// watcher sees every instruction of a run before it is executed, and tells the trace how conditions come out.
type watcher struct {
	run    *run
	trace  *interpreter.Trace
	source interpreter.Source
	// numbers are the functions of the script, for the ids of conditions.
	numbers map[*lua.FunctionProto]int64

	// decided is the condition whose outcome the next instruction shows.
	decided *decision
}

// decision is a conditional instruction that is being executed.
type decision struct {
	proto   *lua.FunctionProto
	counter int // of the instruction behind it
	line    int
}

func newWatcher(r *run) *watcher {
	w := &watcher{
		run: r, trace: r.trace, source: r.program.src.Source(),
		numbers: map[*lua.FunctionProto]int64{},
	}
	for number, proto := range protos(r.program.proto) {
		w.numbers[proto] = number
	}
	return w
}

// look looks at the instruction that is about to be executed in a call, whose line is known.
func (w *watcher) look(debug *lua.Debug) {
	value, err := w.run.l.GetInfo("f", debug, lua.LNil)
	function, isFunction := value.(*lua.LFunction)
	if err != nil || !isFunction || function.IsG {
		return
	}
	counter := counterOf(debug)
	w.decide(function.Proto, counter)
	inst := function.Proto.Code[counter-1]
	if conditional(inst) {
		w.decided = &decision{proto: function.Proto, counter: counter, line: debug.CurrentLine}
	}
}

// The fields of gopher-lua's activation record that it has no function for: which instruction comes next.
var (
	frameField, _   = reflect.TypeFor[lua.Debug]().FieldByName("frame")
	counterField, _ = frameField.Type.Elem().FieldByName("Pc")
)

// counterOf returns the number of the instruction that is being executed, from 1.
func counterOf(debug *lua.Debug) int {
	return int(reflect.ValueOf(debug).Elem().FieldByIndex(frameField.Index).Elem().FieldByIndex(counterField.Index).Int())
}

// Condition is a place in a script where the run takes one of two ways: a comparison, or the test whether a value counts
// as true.
type Condition struct {
	// ID identifies the condition in its script: Step.Node. The step's value tells how it came out.
	ID int64
	// Line is its line in the script, from 1.
	Line int
	// Equality tells that it compares whether two values are equal: true then means that they are, for ~= as well.
	Equality bool
}

// Conditions returns the conditions of the script, in the order of the instructions.
func (p *Program) Conditions() []Condition {
	var out []Condition
	for number, proto := range protos(p.proto) {
		for i, inst := range proto.Code {
			if conditional(inst) && proto.DbgSourcePositions[i] > 0 {
				out = append(out, Condition{
					ID: conditionID(number, i+1), Line: proto.DbgSourcePositions[i], Equality: int(inst>>26) == lua.OP_EQ,
				})
			}
		}
	}
	return out
}

// protos yields the functions of a script, each with its number from 1, those inside of others after them.
func protos(proto *lua.FunctionProto) func(yield func(int64, *lua.FunctionProto) bool) {
	return func(yield func(int64, *lua.FunctionProto) bool) {
		number := int64(0)
		var visit func(*lua.FunctionProto) bool
		visit = func(p *lua.FunctionProto) bool {
			number++
			if !yield(number, p) {
				return false
			}
			for _, inner := range p.FunctionPrototypes {
				if !visit(inner) {
					return false
				}
			}
			return true
		}
		visit(proto)
	}
}

func conditionID(function int64, counter int) int64 { return function<<32 | int64(counter) }

func conditional(inst uint32) bool {
	switch int(inst >> 26) {
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET:
		return true
	}
	return false
}

// decide tells the outcome of the condition that was executed last: it skipped one instruction or it did not.
func (w *watcher) decide(proto *lua.FunctionProto, counter int) {
	d := w.decided
	if w.decided = nil; d == nil || d.proto != proto || counter < d.counter+1 || counter > d.counter+2 {
		return
	}
	inst := proto.Code[d.counter-1]
	skipped := counter == d.counter+2
	var outcome bool
	words := map[bool]string{true: "true", false: "false"}
	switch int(inst >> 26) {
	case lua.OP_TEST, lua.OP_TESTSET:
		outcome = skipped == (inst>>9&0x1ff == 0)
	default:
		outcome = skipped == (inst>>18&0xff == 0)
		if int(inst>>26) == lua.OP_EQ {
			words = map[bool]string{true: "equal", false: "different"}
		}
	}
	w.trace.Step(interpreter.Step{
		Source: w.source, Line: d.line, Node: conditionID(w.numbers[proto], d.counter), Text: words[outcome],
		Values: func() map[string]any { return map[string]any{"": outcome} },
	})
}
