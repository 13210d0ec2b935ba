package cel

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Engine compiles expressions. It builds what it needs when the first one is compiled, so that a process which has none
// pays nothing. It is safe for concurrent use.
type Engine struct {
	limits  script.Limits
	library func() (*library, error)
}

var _ script.Engine = (*Engine)(nil)

// New returns an Engine whose expressions may spend limits and call functions, each as kube.<name>. Two functions of one
// name are an error.
func New(limits script.Limits, functions []kube.Function) (*Engine, error) {
	names := map[string]bool{}
	for i := range functions {
		f := &functions[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			switch {
			case name == "":
				return nil, errors.New("kube: a function has no name")
			case names[name]:
				return nil, fmt.Errorf("kube.%s: there are two functions of this name", name)
			}
			names[name] = true
		}
	}
	return &Engine{
		limits:  limits.WithDefaults(),
		library: sync.OnceValues(func() (*library, error) { return newLibrary(functions) }),
	}, nil
}

// Compile returns the rule of src. The error is a script.Problems when the expression is at fault; it has everything
// that is wrong with it.
func (e *Engine) Compile(src *script.Source) (interpreter.Rule, script.Problems, error) {
	p, warnings, err := e.Program(src)
	if err != nil {
		return nil, nil, err
	}
	return p.Answer, warnings, nil
}

// Program is Compile for those who want to know more about the expression than its answers.
func (e *Engine) Program(src *script.Source) (*Program, script.Problems, error) {
	info := src.Operation.Info()
	if info == nil {
		return nil, nil, fmt.Errorf("unknown operation %q", src.Operation)
	}
	lib, err := e.library()
	if err != nil {
		return nil, nil, fmt.Errorf("build the environment of CEL: %w", err)
	}
	s, problems, err := lib.analyze(src)
	if err != nil {
		return nil, nil, err
	}
	if len(problems) > 0 {
		return nil, nil, problems
	}
	p := &Program{
		source: src, info: info, limits: e.limits, library: lib,
		explained: src.Source(), block: s.cost.root,
	}
	p.syntax = sync.OnceValues(func() (*syntax, error) {
		again, _, err := lib.analyze(src)
		return again, err
	})
	p.steps = sync.OnceValue(func() map[int64]stepOf {
		s, err := p.syntax()
		if err != nil {
			return nil
		}
		return stepsOf(s, p.explained)
	})
	p.plan, problems, err = s.plan(lib)
	switch {
	case err != nil:
		return nil, nil, script.Problems{{
			Severity: script.Error, Source: src, Message: strings.TrimSpace(err.Error()), Err: err,
		}}
	case len(problems) > 0:
		return nil, nil, problems
	}
	p.builder = newBuilder(s.tree.Expr(), p.plan, fieldsDo(info.Result))
	return p, s.checkFields(lib, script.AnyObject, script.Warning), nil
}
