package lua

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// reads tells a trace which fields of the inputs a run reads.
type reads struct {
	trace  *interpreter.Trace
	source interpreter.Source
	// paths are where the views that the run has come across stand in the inputs.
	paths map[*view]string
}

func newReads(r *run) *reads {
	return &reads{trace: r.trace, source: r.program.src.Source(), paths: map[*view]string{}}
}

// name remembers which value is the input in.
func (s *reads) name(value lua.LValue, in interpreter.Input) {
	if v := viewOf(value); s != nil && v != nil {
		s.paths[v] = string(in)
	}
}

// tell is called when value has been read from v.
func (s *reads) tell(v *view, step string, value lua.LValue) {
	path := s.paths[v]
	if path == "" {
		return
	}
	path += step
	if inner := viewOf(value); inner != nil && s.paths[inner] == "" {
		s.paths[inner] = path
	}
	if step != "[]" {
		s.trace.Read(s.source, path)
	}
}
