package script

import (
	"fmt"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Language is what a script is written in.
type Language string

// The languages.
const (
	Lua Language = "lua"
	CEL Language = "cel"
)

// Source is the text of one rule and where it stands.
type Source struct {
	// Link is the link of the chain that the rule belongs to: customizations or thirdparty.
	Link string
	// Customization is the name of the object that holds the rule.
	Customization string
	// Operation is the operation that the rule answers.
	Operation interpreter.Operation
	// Language is what Text is written in.
	Language Language
	// Text is the script.
	Text string
	// File is where the script was read from; empty when it came from an API server.
	File string
	// Line is the line of File, from 1, on which the first line of Text stands; 0 when it is not known.
	Line int
	// Folded are the lines of File on which the lines of Text stand; nil when they follow Line one by one.
	Folded []int
	// Condition is when the rule declines, in words; empty when it always answers.
	Condition string
}

// Name returns the name of the rule, "<customization>.<field>".
func (s *Source) Name() string {
	return s.Customization + "." + s.Operation.Info().Field
}

// Position returns "file:line" for a line of the script, from 1, or "<name>:line" where the file is not known.
func (s *Source) Position(line int) string {
	if s.File == "" || s.Line == 0 {
		return fmt.Sprintf("%s:%d", s.Name(), line)
	}
	return fmt.Sprintf("%s:%d", s.File, s.FileLine(line))
}

// FileLine returns the line of File on which a line of the script, from 1, stands; the latter where File is not known.
func (s *Source) FileLine(line int) int {
	switch {
	case s.File == "" || s.Line == 0:
		return line
	case len(s.Folded) > 0:
		return s.Folded[min(max(line, 1), len(s.Folded))-1]
	default:
		return s.Line + line - 1
	}
}

// Source returns the rule's source as the chain names it.
func (s *Source) Source() interpreter.Source {
	out := interpreter.Source{
		Link:      s.Link,
		Name:      s.Customization,
		Field:     s.Operation.Info().Field,
		Language:  string(s.Language),
		Condition: s.Condition,
		Joined:    s.Operation.Info().Union,
	}
	if s.File != "" && s.Line != 0 {
		out.Position = s.Position(1)
	}
	return out
}

// Limits is what one run of a script may spend. Zero fields mean the default.
type Limits struct {
	// Steps is how many instructions (Lua) or cost units (CEL) a run may take. Default 1,000,000.
	Steps int64
	// Memory is how many bytes a run may allocate. Default 16 MiB.
	Memory int64
	// Depth is how many calls may be nested. Default 128.
	Depth int
	// Timeout is how long a run may take by wall clock, the caller's deadline apart. Default 1 s.
	Timeout time.Duration
}

// MaxSource is how many bytes a script may have.
const MaxSource = 64 << 10

// WithDefaults returns l with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	if l.Steps == 0 {
		l.Steps = 1_000_000
	}
	if l.Memory == 0 {
		l.Memory = 16 << 20
	}
	if l.Depth == 0 {
		l.Depth = 128
	}
	if l.Timeout == 0 {
		l.Timeout = time.Second
	}
	return l
}

// Engine compiles scripts of one language. It is safe for concurrent use.
type Engine interface {
	// Compile returns the rule of src, and warnings about it. The error is a Problems when the script is at fault. The rule
	// is immutable and safe for concurrent use; what it costs and prints it tells the interpreter.Trace of its context.
	Compile(src *Source) (interpreter.Rule, Problems, error)
}
