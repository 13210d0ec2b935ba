package cel

import (
	"context"
	"strings"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/script"
)

type (
	node  = celinterpreter.InterpretableV2
	frame = celinterpreter.ExecutionFrame
)

// plan returns the plan that evaluates the expression: cel-go's, in which calls and loops charge the run. The problems
// are calls that cannot but fail.
func (s *syntax) plan(l *library) (node, script.Problems, error) {
	d := &decorator{library: l, cost: &s.cost, folds: true}
	plan, err := s.planBy(d, nil)
	var problems script.Problems
	for _, failed := range d.failing {
		line, column := s.place(failed.NodeID())
		problems = append(problems, &script.Problem{
			Severity: script.Error, Source: s.source, Line: line, Column: column, Message: failed.Unwrap().Error(),
		})
	}
	return plan, problems, err
}

// planBy returns the plan as d decorates it. With a state, every evaluated node is told to it.
func (s *syntax) planBy(d *decorator, state celinterpreter.EvalState) (node, error) {
	options := []celinterpreter.PlannerOption{celinterpreter.CustomDecoratorV2(d.decorate)}
	var seen func(int64, ref.Val)
	if state != nil {
		seen = state.SetValue
		options = append(options, celinterpreter.EvalStateObserver(
			celinterpreter.EvalStateFactory(func() celinterpreter.EvalState { return state }),
		))
	}
	// Last, so that what is bound is seen too.
	d.names = namesOf(s.tree.Expr())
	defer d.names.forget()
	options = append(options, celinterpreter.CustomDecoratorV2(newBinder(d.names.bindings, seen).decorate))
	adapter, provider := s.env.CELTypeAdapter(), s.env.CELTypeProvider()
	d.attributes = celinterpreter.NewAttributeFactory(s.env.Container, adapter, provider)
	return celinterpreter.NewInterpreter(
		d.library.dispatcher, s.env.Container, provider, adapter, d.attributes,
	).NewInterpretable(s.tree, options...)
}

// decorator replaces the nodes of a plan.
type decorator struct {
	library *library
	cost    *costs
	folds   bool // parts without variables are evaluated once, when the plan is made
	watched bool // every node is told to somebody, those on the way along a path too
	failing []*types.Err

	names      *names
	attributes celinterpreter.AttributeFactory
}

func (d *decorator) decorate(n node) (node, error) {
	id := n.ID()
	switch typed := n.(type) {
	case celinterpreter.InterpretableConst:
	case celinterpreter.InterpretableAttribute:
		n = d.attribute(typed)
	case celinterpreter.InterpretableConstructor:
		if d.folds && constant(typed.InitVals()...) {
			n = d.fold(n, false)
		}
	case celinterpreter.InterpretableCall:
		n = d.call(typed)
	}
	if round, ok := d.cost.loops[id]; ok {
		return &iteration{node: n, round: round}, nil
	}
	if d.cost.ranges[id] {
		return &ordered{node: n}, nil
	}
	return n, nil
}

// attribute returns a path in place of the name of an input or of what is bound. Whatever is selected from it is added to
// it later.
func (d *decorator) attribute(a celinterpreter.InterpretableAttribute) node {
	name, ok := a.Attr().(celinterpreter.NamespacedAttribute)
	if !ok || len(name.Qualifiers()) > 0 {
		return a
	}
	v, ok := d.names.variables[a.ID()]
	if !ok {
		return a
	}
	var root plainNode = &input{base: base{a.ID()}, name: v.input}
	if v.input == "" {
		root = &bound{base: base{a.ID()}, slot: v.slot}
	}
	return &path{
		Attribute: d.attributes.RelativeAttribute(a.ID(), root), adapter: a.Adapter(), root: root, names: d.names,
		foreign: d.watched,
	}
}

func (d *decorator) call(c celinterpreter.InterpretableCall) node {
	args := c.Args()
	switch c.Function() {
	case "or", "orValue":
		return &otherwise{
			base: base{c.ID()}, value: c.Function() == "orValue", first: newPart(args[0]), second: newPart(args[1]),
		}
	}
	m := d.library.meters[c.Function()]
	switch {
	case m.function != nil:
		return newKubeCall(c, m.function)
	case c.Function() == "optional.ofNonZeroValue" && !constant(args...):
		return &nonZero{base: base{c.ID()}, value: newPart(args[0])}
	}
	out := &call{base: base{c.ID()}, function: c.Function(), overloadID: c.OverloadID(), args: args, meter: m}
	if o := d.library.overload(c.OverloadID(), c.Function()); o != nil {
		out.overload = *o
	}
	if m.prepare != nil {
		var err error
		if out.meter.call, err = m.prepare(args); err != nil {
			if failed, ok := types.LabelErrNode(c.ID(), types.WrapErr(err)).(*types.Err); ok {
				d.failing = append(d.failing, failed)
			}
			return out
		}
	}
	if d.folds && constant(args...) {
		return d.fold(out, m.impure)
	}
	return out
}

func constant(nodes ...node) bool {
	for _, n := range nodes {
		if _, ok := n.(celinterpreter.InterpretableConst); !ok {
			return false
		}
	}
	return true
}

// folding is what computing a constant may cost; what costs more is computed when it is used.
var folding = script.Limits{Steps: 10_000, Memory: 64 << 10}.WithDefaults()

func foldingRun() *run {
	return (&Program{limits: folding, source: &script.Source{}}).newRun(context.Background(), nil)
}

// fold returns a node with the value of n, which has nothing but constants in it; n itself when n is impure, or has no
// value. A call that fails whenever it is made is remembered.
func (d *decorator) fold(n node, impure bool) (out node) {
	r := foldingRun()
	defer func() {
		if recover() != nil { // over the budget
			out = n
		}
	}()
	switch v := n.Eval(r).(type) {
	case *types.Err:
		d.failing = append(d.failing, v)
		return n
	default:
		if impure {
			return n
		}
		return celinterpreter.NewConstValue(n.ID(), v)
	}
}

// base is the id of a node.
type base struct{ id int64 }

// ID returns the node's id.
func (b base) ID() int64 { return b.id }

// call is a call of a function.
type call struct {
	base
	function, overloadID string
	args                 []node
	meter                meter
	overload             functions.Overload
}

var _ celinterpreter.InterpretableCall = (*call)(nil)

func (c *call) Function() string   { return c.function }
func (c *call) OverloadID() string { return c.overloadID }
func (c *call) Args() []node       { return c.args }

func (c *call) Eval(vars celinterpreter.Activation) ref.Val {
	return c.Exec(celinterpreter.AsFrame(vars))
}

func (c *call) Exec(f *frame) ref.Val {
	switch {
	case c.meter.pair != nil:
		return c.pair(f)
	case c.meter.call != nil || c.meter.charge != nil:
	case len(c.args) == 1:
		return c.unary(c.args[0].Exec(f))
	case len(c.args) == 2:
		return c.binary(c.args[0].Exec(f), c.args[1].Exec(f))
	}
	args := make([]ref.Val, len(c.args))
	for i, arg := range c.args {
		args[i] = arg.Exec(f)
		if !c.overload.NonStrict && types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	r := runOf(f)
	r.at = c.id
	if c.meter.charge != nil {
		c.meter.charge(r, args)
	}
	if c.meter.call != nil {
		out := c.meter.call(r, args)
		if types.IsError(out) {
			return c.failed(out, args...)
		}
		return out
	}
	switch len(args) {
	case 1:
		return c.unary(args[0])
	case 2:
		return c.binary(args[0], args[1])
	default:
		return c.variadic(args)
	}
}

func (c *call) pair(f *frame) ref.Val {
	left, right := c.args[0].Exec(f), c.args[1].Exec(f)
	if types.IsUnknownOrError(left) {
		return left
	}
	if types.IsUnknownOrError(right) {
		return right
	}
	r := runOf(f)
	r.at = c.id
	out := c.meter.pair(r, left, right)
	if types.IsError(out) {
		return c.failed(out, left, right)
	}
	return out
}

func (c *call) unary(arg ref.Val) ref.Val {
	if types.IsUnknownOrError(arg) && !c.overload.NonStrict {
		return arg
	}
	if c.overload.Unary == nil {
		return c.variadic([]ref.Val{arg})
	}
	if !c.accepts(arg) {
		return c.receive(arg, nil)
	}
	out := c.overload.Unary(arg)
	if types.IsError(out) {
		return c.failed(out, arg)
	}
	return out
}

func (c *call) binary(left, right ref.Val) ref.Val {
	if !c.overload.NonStrict {
		if types.IsUnknownOrError(left) {
			return left
		}
		if types.IsUnknownOrError(right) {
			return right
		}
	}
	if c.overload.Binary == nil {
		return c.variadic([]ref.Val{left, right})
	}
	if !c.accepts(left) {
		return c.receive(left, []ref.Val{right})
	}
	out := c.overload.Binary(left, right)
	if types.IsError(out) {
		return c.failed(out, left, right)
	}
	return out
}

func (c *call) variadic(args []ref.Val) ref.Val {
	if len(args) > 0 && (c.overload.Function == nil || !c.accepts(args[0])) {
		return c.receive(args[0], args[1:])
	}
	out := c.overload.Function(args...)
	if types.IsError(out) {
		return c.failed(out, args...)
	}
	return out
}

// accepts tells whether the implementation is for values like the first argument.
func (c *call) accepts(first ref.Val) bool {
	trait := c.overload.OperandTrait
	return trait == 0 || types.IsUnknownOrError(first) || first.Type().HasTrait(trait)
}

// receive calls the function as a method of target's own, as some values of libraries have them.
func (c *call) receive(target ref.Val, args []ref.Val) ref.Val {
	if receiver, ok := target.(traits.Receiver); ok && target.Type().HasTrait(traits.ReceiverType) {
		return types.LabelErrNode(c.id, receiver.Receive(c.function, c.overloadID, args))
	}
	return c.mismatch(append([]ref.Val{target}, args...)...)
}

// failed returns the error of a call, with the place of the call.
func (c *call) failed(out ref.Val, args ...ref.Val) ref.Val {
	err, ok := out.(*types.Err)
	if !ok || err.NodeID() != 0 {
		return out
	}
	if noOverload(err) {
		return c.mismatch(args...)
	}
	if strings.HasPrefix(err.Unwrap().Error(), "type conversion error") && len(args) == 1 {
		return types.NewErrWithNodeID(c.id, "%s cannot be made from %s", c.function, describe(args[0]))
	}
	// A new value: the library's own may be shared.
	return types.LabelErrNode(c.id, types.NewErr("%w", err.Unwrap()))
}

// iteration is the condition of a loop, which is evaluated at the beginning of each round.
type iteration struct {
	node
	round block
}

func (i *iteration) Eval(vars celinterpreter.Activation) ref.Val {
	return i.Exec(celinterpreter.AsFrame(vars))
}

func (i *iteration) Exec(f *frame) ref.Val {
	if r := runOf(f); r != nil {
		r.at = i.ID()
		r.charge(i.round.steps, i.round.bytes)
	}
	return i.node.Exec(f)
}

// ordered is what a loop runs over. Maps come in the order of their keys.
type ordered struct{ node }

func (o *ordered) Eval(vars celinterpreter.Activation) ref.Val {
	return o.Exec(celinterpreter.AsFrame(vars))
}

func (o *ordered) Exec(f *frame) ref.Val {
	v := o.node.Exec(f)
	switch v := v.(type) {
	case traits.Mapper:
		return sortKeys(runOf(f), v)
	case traits.Lister, *types.Err, *types.Unknown:
		return v
	}
	if v.Type().HasTrait(traits.IterableType) {
		return v
	}
	return types.NewErrWithNodeID(o.ID(), "want a list or a map to go through, got %s", describe(v))
}
