package laws

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// repetitions is how often a question is asked again.
const repetitions = 3

func differsWhenRepeated(t *trial, in inputs, a *answer) string {
	for range repetitions {
		if b := t.ask(t.op, in); !a.same(b) {
			return "asked again: " + difference(a, b)
		}
	}
	return ""
}

// difference says how two answers to the same question differ.
func difference(a, b *answer) string {
	switch {
	case errorText(a.err) != errorText(b.err):
		return fmt.Sprintf("first %s, then %s", outcome(a), outcome(b))
	case !equal(a.outputs, b.outputs):
		for i := range min(len(a.outputs), len(b.outputs)) {
			if d := firstDiff(manifest.Path{a.outputs[i].Name}, a.outputs[i].Value, b.outputs[i].Value); d != nil {
				return fmt.Sprintf("%s is first %s, then %s", d.path, compact(d.a), compact(d.b))
			}
		}
		return "the answers have other parts"
	default:
		return fmt.Sprintf("the cost is first %d steps and %d bytes, then %d and %d", a.usage.Steps, a.usage.Bytes, b.usage.Steps, b.usage.Bytes)
	}
}

func outcome(a *answer) string {
	if a.ok() {
		return "an answer"
	}
	return "the error " + cause(a.err)
}

func changesInputs(t *trial, in inputs, _ *answer) string {
	req, err := in.clone().request(t.op)
	if err != nil {
		return ""
	}
	a := t.put(req)
	if path := changed(t.op, in, req); path != "" {
		return path + " was changed"
	}
	if !a.ok() {
		return ""
	}
	if a.response.Object != nil {
		scramble(a.response.Object.Object)
	}
	scramble(a.response.Status)
	if path := changed(t.op, in, req); path != "" {
		return "the answer shares memory with " + path
	}
	return ""
}

// changed returns the first field in which the inputs of req are not in; "" for none.
func changed(op interpreter.Operation, in inputs, req *interpreter.Request) string {
	for _, name := range op.Info().Inputs {
		if d := firstDiff(manifest.Path{string(name)}, in[string(name)], script.EncodeInput(req, name)); d != nil {
			return d.path.String()
		}
	}
	return ""
}

// scramble changes everything in v that can be changed in place, so that whoever shares memory with it shows.
func scramble(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return
		}
		for key, inner := range v {
			scramble(inner)
			v[key] = "scrambled"
		}
		v["scrambled"] = true
	case []any:
		for i, inner := range v {
			scramble(inner)
			v[i] = "scrambled"
		}
	}
}

// changesTypes compares the types of the answer's fields with those that the same fields have in the inputs.
func changesTypes(_ *trial, in inputs, a *answer) string {
	if !a.ok() || a.object() == nil && a.response.Status == nil {
		return ""
	}
	known := map[string][]string{}
	learn := func(prefix manifest.Path, value any) {
		visit(prefix, value, func(path manifest.Path, value any) bool {
			field := anywhere(path)
			if kind := kindOf(value); !slices.Contains(known[field], kind) {
				known[field] = append(known[field], kind)
			}
			return true
		})
	}
	for _, object := range []string{inputObject, inputObserved} {
		for key, value := range in.at(object) {
			learn(manifest.Path{key}, value)
		}
	}
	for _, item := range in.items() {
		status, _ := get(item, manifest.Path{"status"})
		learn(manifest.Path{"status"}, status)
	}
	result, prefix := any(a.object()), manifest.Path{}
	if a.object() == nil {
		result, prefix = a.response.Status, manifest.Path{"status"}
	}
	wrong := ""
	visit(prefix, result, func(path manifest.Path, value any) bool {
		kinds := slices.DeleteFunc(slices.Clone(known[anywhere(path)]), func(kind string) bool { return kind == kindOf(nil) })
		if wrong == "" && len(path) > 0 && value != nil && len(kinds) > 0 && !slices.Contains(kinds, kindOf(value)) {
			wrong = fmt.Sprintf("%s was %s and is %s: %s", path, strings.Join(kinds, " or "), kindOf(value), compact(value))
		}
		return wrong == ""
	})
	return wrong
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case int64:
		return "a whole number"
	case float64:
		return "a fraction"
	case string:
		return "a text"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

// probeField is a field that no rule knows, and probe what is easily lost.
const probeField = "dragomanProbe"

func probe() map[string]any {
	return map[string]any{
		"beyond": int64(1)<<53 + 1, "null": nil, "object": map[string]any{}, "list": []any{}, "fraction": 0.5,
		"nested": []any{map[string]any{"null": nil, "empty": map[string]any{}}, []any{}},
	}
}

func losesValues(t *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	probed := in.clone()
	places := []manifest.Path{{probeField}}
	probed.object()[probeField] = probe()
	if spec, ok := probed.object()["spec"].(map[string]any); ok {
		spec[probeField] = probe()
		places = append(places, manifest.Path{"spec", probeField})
	}
	b := t.ask(t.op, probed)
	if !b.ok() {
		return ""
	}
	for _, path := range places {
		got, ok := get(b.object(), path)
		if !ok {
			return fmt.Sprintf("%s, which no rule knows, is lost", path)
		}
		if d := firstDiff(path, any(probe()), got); d != nil {
			return fmt.Sprintf("%s, which no rule knows, was %s and is %s", d.path, compact(d.a), compact(d.b))
		}
	}
	return ""
}

// The lengths of lists between which the cost is measured, and how much more the second stretch may cost than the first.
// The second is 3.2 times as long: n log n costs about 5 times as much, n² 15 times.
const (
	shortList, longList = 16, 64
	growth              = 8
	// negligible is how many steps nobody minds.
	negligible = 2000
)

func costsTooMuch(t *trial, in inputs, a *answer) string {
	if !a.ok() || a.usage.Steps == 0 {
		return ""
	}
	wrong := ""
	in.visit(func(path manifest.Path, value any) bool {
		list, ok := value.([]any)
		if wrong != "" || !ok || len(list) == 0 || !t.group.first("cost", t.op, anywhere(path)) {
			return wrong == ""
		}
		short, long := t.ask(t.op, in.lengthened(path, shortList)), t.ask(t.op, in.lengthened(path, longList))
		if !short.ok() || !long.ok() {
			return true
		}
		first, second := short.usage.Steps-a.usage.Steps, long.usage.Steps-short.usage.Steps
		if second > negligible && second > growth*max(first, 1) {
			wrong = fmt.Sprintf("with 1, %d and %d elements in %s it takes %d, %d and %d steps",
				shortList, longList, path, a.usage.Steps, short.usage.Steps, long.usage.Steps)
		}
		return true
	})
	return wrong
}

// lengthened returns the inputs with the list at path grown to n elements: copies of its first with names of their own.
func (q inputs) lengthened(path manifest.Path, n int) inputs {
	out := q.clone()
	value, _ := get(map[string]any(q), path)
	list := value.([]any) //nolint:forcetypeassert // the caller has looked
	grown := make([]any, n)
	for i := range grown {
		element := runtime.DeepCopyJSONValue(list[i%len(list)])
		switch e := element.(type) {
		case map[string]any:
			for _, key := range []string{"name", "clusterName", "key", "type"} {
				if name, ok := e[key].(string); ok && i >= len(list) {
					e[key] = fmt.Sprintf("%s-%d", name, i)
				}
			}
		case string:
			if i >= len(list) {
				element = fmt.Sprintf("%s-%d", e, i)
			}
		}
		grown[i] = element
	}
	out.set(path, grown)
	if len(path) == 1 {
		name, _ := path[0].(string)
		out[name] = grown
	}
	return out
}
