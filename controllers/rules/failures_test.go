package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// told returns who is told of new failures, and how.
func told(found map[interpreter.Operation]failure) []string {
	var out []string
	for op, f := range found {
		out = append(out, string(op)+" "+f.about)
	}
	return out
}

func TestFailures(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	object := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "1", Generation: 1}}
	const health, status = interpreter.InterpretHealth, interpreter.InterpretStatus

	f := newFailures(clock)
	condition, _ := f.condition(object, nil)
	assert.Nil(t, condition, "nothing failed")

	f.add(object, health, "over its\nsteps budget", "Widget default/a")
	f.add(object, health, "another text", "Widget default/b")
	require.Len(t, f.changed, 1, "of one rule the first failure counts")
	condition, who := f.condition(object, nil)
	require.NotNil(t, condition)
	assert.Equal(t, "InterpretHealth: over its steps budget", condition.Message, "each operation has one line")
	assert.Equal(t, []string{"InterpretHealth Widget default/a"}, told(who))

	f.add(object, status, "no field", "Widget default/a")
	condition, who = f.condition(object, condition)
	assert.Equal(t, "InterpretHealth: over its steps budget\nInterpretStatus: no field", condition.Message)
	assert.Equal(t, []string{"InterpretStatus Widget default/a"}, told(who), "the first one was told")

	again := newFailures(clock) // another process, which waits for the first one to end
	now = now.Add(2 * memory)
	kept, who := again.condition(object, condition)
	assert.Equal(t, condition.Message, kept.Message, "what the last one has seen stays for a while")
	assert.Empty(t, who)
	again.add(object, health, "with another object", "Widget default/z")
	kept, who = again.condition(object, kept)
	assert.Equal(t, condition.Message, kept.Message)
	assert.Empty(t, who, "nothing is told twice")

	now = now.Add(memory)
	kept, who = again.condition(object, kept)
	assert.Nil(t, kept, "it has not failed for long")
	assert.Empty(t, who)
	again.add(object, health, "again", "Widget default/a")
	_, who = again.condition(object, nil)
	assert.Len(t, who, 1)

	edited := object.DeepCopy()
	edited.Generation = 2
	kept, _ = again.condition(edited, condition)
	assert.Nil(t, kept, "an edit is a new beginning")
	again.add(edited, health, "still", "Widget default/a")
	_, who = again.condition(edited, condition)
	assert.Len(t, who, 1)
}

// TestFailuresAreBounded has scripts fail in ever new ways.
func TestFailuresAreBounded(t *testing.T) {
	f := newFailures(time.Now)
	object := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: "c"}}
	for _, info := range interpreter.Operations() {
		for i := range 1000 {
			f.add(object, info.Operation, strings.Repeat(fmt.Sprint(i), 100_000), "Widget default/a")
		}
	}
	condition, who := f.condition(object, nil)
	assert.Len(t, who, len(interpreter.Operations()))
	assert.Less(t, len(condition.Message), 32_768, "the API takes it")
	for i := range 5000 { // more than are waited for, and nobody takes them
		f.add(&configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}}, interpreter.Retain, "no", "Widget default/a")
	}
	assert.Len(t, f.changed, cap(f.changed))
	f.forget("c")
	condition, _ = f.condition(object, nil)
	assert.Nil(t, condition)
}
