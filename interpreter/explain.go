package interpreter

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Source is where a rule comes from.
type Source struct {
	// Link is the link of the chain: customizations, webhook, thirdparty, builtin, generic.
	Link string
	// Name is the object that holds the rule: the customization's name, "configuration/webhook", the built-in kind.
	Name string
	// Field is the rule's place in that object, such as healthInterpretation; empty when there is none.
	Field string
	// Language is what the rule is written in: lua, cel, go, http.
	Language string
	// Position is the file and line of the rule where it is known, as "file:line".
	Position string
	// Condition says, in words, when the rule declines and the next one answers; empty when it always answers.
	Condition string
	// Joined tells that the rule's answer is joined with those of the others that are Joined, and shadows none of them.
	Joined bool
	// Err is why the rule answers every question with an error; nil when it loaded well.
	Err error
}

// String returns the source in one line.
func (s Source) String() string {
	var b strings.Builder
	b.WriteString(s.Link)
	if s.Name != "" {
		b.WriteString(" " + s.Name)
		if s.Field != "" {
			b.WriteString("." + s.Field)
		}
	}
	if s.Language != "" {
		b.WriteString(" (" + s.Language + ")")
	}
	return b.String()
}

// Explainer is an Interpreter that can name its sources.
type Explainer interface {
	// Explain returns the sources of the rules that Lookup would ask, in that order: the first answers unless it declines,
	// and shadows those after it.
	Explain(gvk schema.GroupVersionKind, op Operation) []Source
}

// Explain returns the sources of i's rules for op on kind gvk, in the order in which they are asked. An Interpreter that
// cannot name its sources but has a rule is named by its Go type.
func Explain(i Interpreter, gvk schema.GroupVersionKind, op Operation) []Source {
	if e, ok := i.(Explainer); ok {
		return e.Explain(gvk, op)
	}
	if i.Lookup(gvk, op) == nil {
		return nil
	}
	return []Source{{Link: fmt.Sprintf("%T", i), Language: "go"}}
}

// Explain returns the sources of every element, in order.
func (c Chain) Explain(gvk schema.GroupVersionKind, op Operation) []Source {
	var sources []Source
	for _, link := range c {
		sources = append(sources, Explain(link, gvk, op)...)
	}
	return sources
}
