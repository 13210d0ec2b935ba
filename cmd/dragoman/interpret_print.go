package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
)

// print writes the answers in the format that was asked for.
func (o *interpretOptions) print(answers []answer, single bool) error {
	if o.output != "" {
		return printValue(o.Out, o.output, o.document(answers))
	}
	return o.printText(o.Out, answers, single && len(answers) == 1)
}

// printText writes each part of each answer as a YAML document under a comment that says what it is. Several answers have
// a comment each that says what was asked, and who answered.
func (o *interpretOptions) printText(w io.Writer, answers []answer, alone bool) error {
	var b strings.Builder
	for i := range answers {
		a := &answers[i]
		heading := ""
		if !alone {
			heading = fmt.Sprintf("# %s %s: %s\n", a.request.Operation, subjectOf(a.request), a.who())
		}
		if len(a.outputs) == 0 && heading != "" {
			b.WriteString("---\n" + heading)
		}
		for n, output := range a.outputs {
			text, err := toYAML(o.shown(a, output.Value))
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "---\n%s# [%d/%d] %s:\n%s", heading, n+1, len(a.outputs), output.Name, text)
			heading = ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// who says in words who answered, or why nobody did.
func (a *answer) who() string {
	switch {
	case a.missing != "":
		return "needs " + a.missing
	case errors.Is(a.err, interpreter.ErrNotHandled):
		return interpreter.ErrNotHandled.Error()
	case a.err != nil && a.source.Link != "":
		return "error of " + a.source.String()
	case a.err != nil:
		return "error"
	default:
		return a.source.String()
	}
}

// shown returns a value as it is printed: objects without managed fields.
func (o *interpretOptions) shown(a *answer, value any) any {
	if o.managedFields || a.request.Operation.Info().Result != interpreter.ResultObject {
		return value
	}
	object, _ := value.(map[string]any)
	metadata, ok := object["metadata"].(map[string]any)
	if !ok || metadata["managedFields"] == nil {
		return value
	}
	object, metadata = maps.Clone(object), maps.Clone(metadata)
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return object
}

// document returns the answers as one plain value.
func (o *interpretOptions) document(answers []answer) map[string]any {
	items := make([]any, 0, len(answers))
	for i := range answers {
		a := &answers[i]
		item := map[string]any{
			"operation":  string(a.request.Operation),
			"apiVersion": a.request.Kind.GroupVersion().String(),
			"kind":       a.request.Kind.Kind,
			"name":       a.request.Name,
		}
		if a.request.Namespace != "" {
			item["namespace"] = a.request.Namespace
		}
		if a.source.Link != "" {
			item["rule"] = a.source.String()
		}
		if a.source.Position != "" {
			item["position"] = a.source.Position
		}
		switch {
		case a.missing != "":
			item["missing"] = a.missing
		case errors.Is(a.err, interpreter.ErrNotHandled):
			item["notHandled"] = true
		case a.err != nil:
			item["error"] = a.err.Error()
		default:
			output := make(map[string]any, len(a.outputs))
			for _, part := range a.outputs {
				output[part.Name] = o.shown(a, part.Value)
			}
			item["output"] = output
		}
		items = append(items, item)
	}
	return map[string]any{"apiVersion": outputVersion, "kind": "InterpretResultList", "items": items}
}
