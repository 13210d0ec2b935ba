package laws

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// A damage is a way in which a field may say nothing.
type damage struct {
	word string
	// to returns the inputs with the field damaged, and whether that makes other inputs.
	to func(in inputs, path manifest.Path) (inputs, bool)
}

// The damages by their places in the table.
const (
	gone = iota
	null
	empty
)

var damages = [...]damage{
	gone: {"absent", func(in inputs, path manifest.Path) (inputs, bool) {
		out := in.clone()
		return out, out.remove(path)
	}},
	null: {"null", func(in inputs, path manifest.Path) (inputs, bool) { return in.replaced(path, nil) }},
	empty: {"empty", func(in inputs, path manifest.Path) (inputs, bool) {
		value, _ := get(map[string]any(in), path)
		nothing, ok := emptied(value)
		if !ok {
			return in, false
		}
		return in.replaced(path, nothing)
	}},
}

// replaced returns the inputs with value at path, and whether there was another one.
func (q inputs) replaced(path manifest.Path, value any) (inputs, bool) {
	if old, ok := get(map[string]any(q), path); ok && equal(old, value) {
		return q, false
	}
	out := q.clone()
	return out, out.set(path, value)
}

// emptied returns the empty value of the same type; false for numbers and booleans, which have none.
func emptied(value any) (any, bool) {
	switch value.(type) {
	case map[string]any:
		return map[string]any{}, true
	case []any:
		return []any{}, true
	case string:
		return "", true
	default:
		return nil, false
	}
}

// combinations is how many fields are damaged together, at random, beside each alone.
const combinations = 12

// damage makes every field of the inputs absent, null and empty, and some together, and returns the errors that this
// brings about. What is inside a value that the rule does not look at is left alone.
func (t *trial) damage(in inputs, base *answer) []finding {
	d := &damager{trial: t, in: in, base: base, defects: map[string]bool{}}
	for _, name := range t.op.Info().Inputs {
		d.below(manifest.Path{string(name)}, in[string(name)])
	}
	for _, path := range t.readButAbsent(in) {
		d.try(path, null)
	}
	for range combinations {
		if len(d.paths) < 2 {
			break
		}
		d.combine()
	}
	return d.findings
}

// damager damages the inputs of one case.
type damager struct {
	*trial
	in       inputs
	base     *answer
	paths    []manifest.Path
	findings []finding
	defects  map[string]bool
}

// below damages everything in value, which stands at path.
func (d *damager) below(path manifest.Path, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range unionKeys(nil, v) {
			d.at(path.With(key), v[key])
		}
	case []any:
		for i, element := range v {
			// An element is never null, and one that is absent makes another list: only what is in it may be missing.
			d.below(path.With(i), element)
			if _, ok := element.(map[string]any); ok && !isItem(path) {
				d.try(path.With(i), empty)
			}
		}
	}
}

// isItem tells whether path is that of the members' reports, which are never empty.
func isItem(path manifest.Path) bool { return len(path) == 1 }

// at damages the value at path and, unless nobody looks at it, what is in it.
func (d *damager) at(path manifest.Path, value any) {
	if isFixed(path) {
		d.below(path, value)
		return
	}
	if d.required(path) {
		d.try(path, empty)
		d.below(path, value)
		return
	}
	d.paths = append(d.paths, path)
	without := d.try(path, gone)
	if without != nil && d.unread(path, without) {
		return
	}
	d.try(path, null)
	d.try(path, empty)
	d.below(path, value)
}

// required tells whether it is known that the value at path is never absent or null where what it stands in is there.
func (t *trial) required(path manifest.Path) bool {
	field, isField := path[len(path)-1].(string)
	return isField && always(t.schemaAt(path[:len(path)-1]), field)
}

// schemaAt returns what is known of the value at path; nil for nothing.
func (t *trial) schemaAt(path manifest.Path) *script.Schema {
	if len(path) == 0 {
		return nil
	}
	name, _ := path[0].(string)
	known := script.InputSchema(interpreter.Input(name), t.schema)
	for _, step := range path[1:] {
		if known == nil {
			return nil
		}
		if field, isField := step.(string); isField {
			known, _ = known.Field(field)
		} else {
			known = known.Element()
		}
	}
	return known
}

// always tells whether values of a schema surely have a field.
func always(known *script.Schema, field string) bool {
	if known == nil {
		return false
	}
	part, _ := known.Field(field)
	return part != nil && !known.Optional(field)
}

// damaged returns the inputs with the value at path damaged, and whether an API server takes them and they are others.
func (t *trial) damaged(in inputs, path manifest.Path, how int) (inputs, bool) {
	if known := t.schemaAt(path); known != nil && how == empty {
		value, _ := get(map[string]any(in), path)
		if _, isMap := value.(map[string]any); isMap && slices.ContainsFunc(known.Fields(), func(field string) bool { return always(known, field) }) {
			return in, false
		}
	}
	return damages[how].to(in, path)
}

// unread tells whether an answer to the inputs without the value at path is that to the whole, but for that value.
func (d *damager) unread(path manifest.Path, without *answer) bool {
	if !without.ok() || without.usage.Steps != d.base.usage.Steps {
		return false
	}
	if d.op.Info().Result != interpreter.ResultObject {
		return equal(without.outputs, d.base.outputs)
	}
	if path[0] != inputObject {
		return equal(without.object(), d.base.object())
	}
	whole := inputs{inputObject: d.base.object()}.clone()
	whole.remove(path)
	return equal(whole.object(), without.object())
}

// try asks with the value at path damaged, and remembers an error. It returns nil when the value cannot be damaged so.
func (d *damager) try(path manifest.Path, how int) *answer {
	other, ok := d.damaged(d.in, path, how)
	if !ok {
		return nil
	}
	a := d.ask(d.op, other)
	d.remember(other, a, fieldName(path)+" "+damages[how].word)
	return a
}

// combine damages a few fields together.
func (d *damager) combine() {
	other := d.in
	var changed []string
	for range 2 + d.random.IntN(3) {
		path, how := d.paths[d.random.IntN(len(d.paths))], d.random.IntN(len(damages))
		if next, ok := d.damaged(other, path, how); ok {
			other = next
			changed = append(changed, fieldName(path)+" "+damages[how].word)
		}
	}
	if len(changed) > 0 {
		d.remember(other, d.ask(d.op, other), strings.Join(changed, ", "))
	}
}

func (d *damager) remember(in inputs, a *answer, changed string) {
	if !d.crashed(a) || d.defects[origin(a.err)] {
		return
	}
	d.defects[origin(a.err)] = true
	d.findings = append(d.findings, finding{
		law: Named(absentFields), rule: a.source, wrong: cause(a.err), changed: changed, in: in, defect: origin(a.err),
	})
}

// refusal is an error that says what was wanted in place of an empty text: there is no better answer to one where a
// quantity or a number must be.
var refusal = regexp.MustCompile(`want .*, got (the string )?""`)

// crashed tells whether an answer is an error that nobody means.
func (t *trial) crashed(a *answer) bool {
	if a.ok() || !a.handled() || errors.Is(a.err, errUnasked) {
		return false
	}
	if _, crashed := errors.AsType[*cases.PanicError](a.err); crashed {
		return true
	}
	if refusal.MatchString(cause(a.err)) {
		return false
	}
	for _, e := range t.allowed {
		if matched, err := regexp.MatchString(e.Matches, a.err.Error()); e.Matches != "" && err == nil && matched {
			return false
		}
	}
	return true
}

// fieldName returns the path of a field in the words of a case file: desiredObj and so on stay away, as there is one
// object for most operations.
func fieldName(path manifest.Path) string {
	if path[0] == inputObject {
		return path[1:].String()
	}
	return path.String()
}

// readButAbsent returns the fields that the rule reads and that are not there, though what they would stand in is.
func (t *trial) readButAbsent(in inputs) []manifest.Path {
	reads := map[string]bool{}
	var order []string
	ctx := interpreter.WithTrace(t.ctx, &interpreter.Trace{Read: func(_ interpreter.Source, path string) {
		if !reads[path] {
			reads[path] = true
			order = append(order, path)
		}
	}})
	req, err := in.clone().request(t.op)
	if err != nil {
		return nil
	}
	guarded(ctx, t.rules, req) //nolint:errcheck // it was asked before; what it reads is wanted
	var out []manifest.Path
	for _, text := range order {
		path := make(manifest.Path, 0, 4)
		for i, step := range strings.Split(text, ".") {
			if strings.Contains(step, "[]") && i > 0 {
				path = nil
				break
			}
			path = append(path, step)
		}
		if len(path) < 2 || isFixed(path) || t.required(path) {
			continue
		}
		parent, ok := get(map[string]any(in), path[:len(path)-1])
		if m, isMap := parent.(map[string]any); ok && isMap {
			if _, there := m[path.Leaf()]; !there {
				out = append(out, path)
			}
		}
	}
	return out
}
