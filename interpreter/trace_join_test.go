package interpreter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dragoman-io/dragoman/interpreter"
)

func TestJoinTraces(t *testing.T) {
	var told []string
	note := func(who string) func(interpreter.Source, string) {
		return func(_ interpreter.Source, text string) { told = append(told, who+" "+text) }
	}
	joined := interpreter.JoinTraces(
		nil,
		&interpreter.Trace{Printed: note("first")},
		&interpreter.Trace{Printed: note("second"), Step: func(s interpreter.Step) { told = append(told, s.Text) }},
	)
	joined.Printed(interpreter.Source{}, "hello")
	joined.Step(interpreter.Step{Text: "step"})
	assert.Equal(t, []string{"first hello", "second hello", "step"}, told)
	assert.Nil(t, joined.Answered, "nobody asked for it: rules need not make what it would be told")
	assert.Nil(t, joined.Spent)
	assert.Nil(t, joined.Read)
}
