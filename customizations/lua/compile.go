package lua

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// compile makes a program of a script without running it.
func compile(e *Engine, src *script.Source) (p *Program, warnings script.Problems, problem *script.Problem) {
	if len(src.Text) > script.MaxSource {
		return nil, nil, &script.Problem{
			Severity: script.Error, Source: src,
			Message: fmt.Sprintf("want a script of at most %d bytes, got %d", script.MaxSource, len(src.Text)),
		}
	}
	p = &Program{engine: e, src: src, name: src.Name(), info: src.Operation.Info()}
	idents, problem := scan(src)
	if problem != nil {
		return nil, nil, problem
	}
	chunk, err := parse.Parse(strings.NewReader(src.Text), chunkName)
	if err != nil {
		return nil, nil, syntaxProblem(src, err)
	}
	names := inspect(e.library, chunk)
	p.usesGlobalTable = names.globalTable
	p.defined, p.locals = places(idents, names.functions), places(idents, names.localFunctions)
	warnings = names.warnings(src, idents)
	if !e.plain {
		w := &rewriter{constants: names.constants()}
		chunk = w.chunk(chunk)
		p.longest = w.longest
	}
	if p.proto, err = compileChunk(chunk); err != nil {
		return nil, nil, syntaxProblem(src, err)
	}
	// Nobody can see the chunk's table of arguments, and it takes 2 KB.
	p.proto.IsVarArg &^= lua.VarArgNeedsArg
	e.library.link(p.proto)
	compact(p.proto)
	return p, warnings, nil
}

// compact gives back the room that the compiler reserved for instructions, constants and names: 20 KB for each function.
func compact(proto *lua.FunctionProto) {
	proto.Code = slices.Clone(proto.Code)
	proto.Constants = slices.Clone(proto.Constants)
	proto.DbgSourcePositions = slices.Clone(proto.DbgSourcePositions)
	proto.DbgCalls = slices.Clone(proto.DbgCalls)
	proto.DbgUpvalues = slices.Clone(proto.DbgUpvalues)
	proto.DbgLocals = nil // Wrong, and not needed: see Program.variables.
	proto.FunctionPrototypes = slices.Clone(proto.FunctionPrototypes)
	for _, inner := range proto.FunctionPrototypes {
		compact(inner)
	}
}

// compileChunk is lua.Compile, which panics on some chunks.
func compileChunk(chunk []ast.Stmt) (proto *lua.FunctionProto, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the script cannot be compiled: %v", panicked)
		}
	}()
	return lua.Compile(chunk, chunkName)
}
