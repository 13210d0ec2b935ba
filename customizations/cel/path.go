package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celinterpreter "github.com/google/cel-go/interpreter"
)

// input is an input of the rule, or next.
type input struct {
	base
	name string
}

func (i *input) Eval(vars celinterpreter.Activation) ref.Val {
	return i.Exec(celinterpreter.AsFrame(vars))
}

func (i *input) Exec(f *frame) ref.Val { return i.evaluate(f).wrap() }

func (i *input) evaluate(f *frame) outcome {
	v, ok := runOf(f).ResolveName(i.name)
	if !ok {
		return outcome{isWrapped, types.NewErrWithNodeID(i.id, "there is no variable %s", i.name)}
	}
	return outcome{isPlain, v}
}

// path is a field of an input or of what is bound, or that itself. As long as all that it goes through are plain
// maps it takes the fields out of them; whatever else there is to select, or to complain about, it leaves to cel-go.
type path struct {
	celinterpreter.Attribute
	adapter types.Adapter
	root    plainNode
	names   *names // of the expression; until the plan is made
	steps   []step
	foreign bool // there is a step that is not taken here
}

// step is .name, or .?name when it is optional.
type step struct {
	name     string
	optional bool
}

var _ celinterpreter.InterpretableAttribute = (*path)(nil)

// Attr returns the path, which is an attribute of its own.
func (p *path) Attr() celinterpreter.Attribute { return p }

// Adapter returns what wraps values.
func (p *path) Adapter() types.Adapter { return p.adapter }

// AddQualifier adds a step.
func (p *path) AddQualifier(q celinterpreter.Qualifier) (celinterpreter.Attribute, error) {
	name, ok := p.names.fields[q.ID()]
	p.steps = append(p.steps, step{name: name, optional: q.IsOptional()})
	p.foreign = p.foreign || !ok
	attribute, err := p.Attribute.AddQualifier(q)
	p.Attribute = attribute
	return p, err
}

// Resolve returns the value for those who qualify it further.
func (p *path) Resolve(vars celinterpreter.Activation) (any, error) {
	out, ok := p.follow(celinterpreter.AsFrame(vars))
	switch {
	case !ok:
		return p.Attribute.Resolve(vars)
	case out.kind == isPlain:
		return out.value, nil
	default:
		return out.wrap(), nil
	}
}

func (p *path) Eval(vars celinterpreter.Activation) ref.Val {
	return p.Exec(celinterpreter.AsFrame(vars))
}

func (p *path) Exec(f *frame) ref.Val {
	if len(p.steps) == 0 {
		return p.root.Exec(f)
	}
	return p.evaluate(f).wrap()
}

func (p *path) evaluate(f *frame) outcome {
	if out, ok := p.follow(f); ok {
		return out
	}
	v, err := p.Attribute.Resolve(f)
	if err != nil {
		return outcome{isWrapped, types.LabelErrNode(p.ID(), types.WrapErr(err))}
	}
	return outcome{isWrapped, p.adapter.NativeToValue(v)}
}

// follow returns where the path leads; false when that has to be left to cel-go.
func (p *path) follow(f *frame) (outcome, bool) {
	if p.foreign {
		return outcome{}, false
	}
	from := p.root.evaluate(f)
	at, optional := from.value, from.kind == isSome
	switch {
	case len(p.steps) == 0:
		return from, true
	case from.kind == isNone:
		return from, true
	case from.kind == isWrapped:
		return from, false
	}
	for i := range p.steps {
		s := &p.steps[i]
		optional = optional || s.optional
		var found bool
		switch v := at.(type) {
		case map[string]any:
			at, found = v[s.name]
		case nil, bool, int64, float64, string:
		default:
			return from, false
		}
		switch {
		case found:
		case optional:
			return outcome{kind: isNone}, true
		default:
			return from, false
		}
	}
	switch {
	case !isPlainValue(at):
		return from, false
	case optional:
		return outcome{isSome, at}, true
	default:
		return outcome{isPlain, at}, true
	}
}
