package lua

import (
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// stepper watches a run, instruction by instruction, and tells the trace what it does.
type stepper struct {
	run    *run
	trace  *interpreter.Trace
	source interpreter.Source
	text   []string // the lines of the script
	// numbers are the functions of the script, for the ids of conditions.
	numbers map[*lua.FunctionProto]int64

	// line of function is where the run is.
	line, function int
	// decided is the condition whose outcome the next instruction shows.
	decided *decision
	// paths are where the views that the run has come across stand in the inputs.
	paths map[*view]string
	// fetched are the registers that hold a part of the inputs once the current instruction is done.
	fetched []fetch
}

// decision is a conditional instruction that is being executed.
type decision struct {
	proto   *lua.FunctionProto
	counter int // of the instruction behind it
	line    int
}

// fetch is a register and the path of what it is going to hold.
type fetch struct {
	proto    *lua.FunctionProto
	register int
	path     string
}

// newStepper returns the function that is called before each instruction when the trace asks for steps: it reports a
// line when the run comes to it, a condition when it has been decided, and what is read.
func (r *run) newStepper() func() {
	s := &stepper{
		run: r, trace: r.trace, source: r.program.src.Source(), text: strings.Split(r.program.src.Text, "\n"),
		numbers: map[*lua.FunctionProto]int64{}, paths: map[*view]string{},
	}
	for number, proto := range protos(r.program.proto) {
		s.numbers[proto] = number
	}
	return s.step
}

func (s *stepper) step() {
	debug, ok := s.run.l.GetStack(0)
	if !ok {
		return
	}
	value, err := s.run.l.GetInfo("fSl", debug, lua.LNil)
	function, isFunction := value.(*lua.LFunction)
	if err != nil || !isFunction || function.IsG {
		return
	}
	counter := counterOf(debug)
	s.decide(function.Proto, counter)
	if s.trace.Read != nil {
		s.learn(debug, function.Proto)
	}
	if debug.CurrentLine > 0 && (debug.CurrentLine != s.line || debug.LineDefined != s.function) {
		s.line, s.function = debug.CurrentLine, debug.LineDefined
		s.tell(interpreter.Step{Line: s.line, Text: s.lineText(s.line), Values: func() map[string]any { return s.run.locals(debug) }})
	}
	inst := function.Proto.Code[counter-1]
	if conditional(inst) {
		s.decided = &decision{proto: function.Proto, counter: counter, line: debug.CurrentLine}
	}
	if s.trace.Read != nil {
		s.read(debug, function.Proto, inst)
	}
}

func (s *stepper) tell(step interpreter.Step) {
	if s.trace.Step != nil {
		step.Source = s.source
		s.trace.Step(step)
	}
}

func (s *stepper) lineText(line int) string {
	if line > len(s.text) {
		return ""
	}
	return strings.TrimSpace(s.text[line-1])
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
func (s *stepper) decide(proto *lua.FunctionProto, counter int) {
	d := s.decided
	if s.decided = nil; d == nil || d.proto != proto || counter < d.counter+1 || counter > d.counter+2 {
		return
	}
	inst := proto.Code[d.counter-1]
	skipped := counter == d.counter+2
	var outcome bool
	switch int(inst >> 26) {
	case lua.OP_TEST, lua.OP_TESTSET:
		outcome = skipped == (inst>>9&0x1ff == 0)
	default:
		outcome = skipped == (inst>>18&0xff == 0)
	}
	s.tell(interpreter.Step{
		Line: d.line, Node: conditionID(s.numbers[proto], d.counter), Text: s.lineText(d.line),
		Values: func() map[string]any { return map[string]any{"": outcome} },
	})
}

// register returns what a register of a call holds.
func (s *stepper) register(debug *lua.Debug, i int) lua.LValue {
	_, value := s.run.l.GetLocal(debug, i+1)
	return value
}

// learn remembers the paths of what the last instruction fetched.
func (s *stepper) learn(debug *lua.Debug, proto *lua.FunctionProto) {
	if len(s.paths) == 0 {
		for i, input := range s.run.inputs {
			if v := viewOf(input); v != nil {
				s.paths[v] = string(s.run.program.info.Inputs[i])
			}
		}
	}
	for _, f := range s.fetched {
		if f.proto != proto {
			continue
		}
		if v := viewOf(s.register(debug, f.register)); v != nil && s.paths[v] == "" {
			s.paths[v] = f.path
		}
	}
	s.fetched = s.fetched[:0]
}

// read tells which field the instruction is about to read.
func (s *stepper) read(debug *lua.Debug, proto *lua.FunctionProto, inst uint32) {
	a, b, c := int(inst>>18)&0xff, int(inst&0x1ff), int(inst>>9)&0x1ff
	switch int(inst >> 26) {
	case lua.OP_TFORLOOP:
		if path := s.paths[viewOf(s.register(debug, a+1))]; path != "" {
			for i := range c {
				s.fetched = append(s.fetched, fetch{proto, a + 3 + i, path + "[]"})
			}
		}
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		v := viewOf(s.register(debug, b))
		path := s.paths[v]
		if path == "" {
			return
		}
		switch key := s.constantOrRegister(debug, proto, c).(type) {
		case lua.LString:
			path += "." + string(key)
		default:
			path += "[]"
		}
		s.trace.Read(s.source, path)
		s.fetched = append(s.fetched, fetch{proto, a, path})
	}
}

func (s *stepper) constantOrRegister(debug *lua.Debug, proto *lua.FunctionProto, c int) lua.LValue {
	const constant = 1 << 8
	if c&constant != 0 {
		return proto.Constants[c&^constant]
	}
	return s.register(debug, c)
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
