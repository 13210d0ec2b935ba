package customizations

import (
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Customization is a ResourceInterpreterCustomization and, when it was read from a file, where its scripts stand.
type Customization struct {
	// Object is the customization; never nil. It must not be modified once a Set has it.
	Object *configv1alpha1.ResourceInterpreterCustomization
	// File is the file it was read from; empty when it came from an API server.
	File string
	// Line is the line of File, from 1, on which the customization begins; 0 when it is not known.
	Line int
	// Lines are the lines of File, from 1, on which the first line of each operation's script stands.
	Lines map[interpreter.Operation]int
	// Folded are the lines of File on which the lines of a script stand, for each operation whose script's lines do not
	// follow each other there, since YAML folds it or has it in quotes.
	Folded map[interpreter.Operation][]int
}

// operations is the table of operations; it is only read. Rules are kept by their operation's place in it.
var operations = interpreter.Operations()

// index returns the place of op in operations, or -1.
func index(op interpreter.Operation) int {
	for i := range operations {
		if operations[i].Operation == op {
			return i
		}
	}
	return -1
}

// Sources returns the scripts of c in the order of the operations, as rules of the given link of the chain have them.
func (c Customization) Sources(link string) []*script.Source {
	var condition string
	if target, err := ParseTarget(c.Object.Spec.Target); err == nil {
		condition = target.condition()
	}
	var out []*script.Source
	for i := range operations {
		if source := c.source(i, link, condition); source != nil {
			out = append(out, source)
		}
	}
	return out
}

// source returns the source of c's rule for the operation at place i, or nil when it has none.
func (c Customization) source(i int, link, condition string) *script.Source {
	info := &operations[i]
	s := *info.Script(&c.Object.Spec.Customizations)
	if !s.IsSet() {
		return nil
	}
	source := &script.Source{
		Link:          link,
		Customization: c.Object.Name,
		Operation:     info.Operation,
		Language:      script.Lua,
		Text:          s.LuaScript,
		File:          c.File,
		Line:          c.Lines[info.Operation],
		Folded:        c.Folded[info.Operation],
		Condition:     condition,
	}
	if s.LuaScript == "" {
		source.Language, source.Text = script.CEL, s.CELExpression
	}
	return source
}
