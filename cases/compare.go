package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/manifest"
)

// excluded is the value that leaves a field out of the comparison, whatever it is, absent included.
const excluded = "{{EXCLUDE}}"

// Diff is a field whose value is not the expected one.
type Diff struct {
	// Field is where it is in the answer; its first step is the result's name.
	Field manifest.Path
	// Want and Got are the values; Absent when there is none. Want is a text when a matcher wants something that is no
	// single value.
	Want, Got any
}

// Absent is the value of a field that is not there.
type Absent struct{}

// String returns "absent".
func (Absent) String() string { return "absent" }

// String returns, for example, "aggregatedStatus.status.updatedReplicas  want 4  got 2".
func (d Diff) String() string { return d.Text("want", "got") }

// Text is String with other words for want and got.
func (d Diff) Text(want, got string) string {
	return fmt.Sprintf("%s  %s %s  %s %s", d.Field, want, show(d.Want), got, show(d.Got))
}

// wanted is what a matcher wants, in words.
type wanted string

const maxShown = 200

// show returns a value as compact JSON, cut when it is long.
func show(value any) string {
	switch v := value.(type) {
	case Absent:
		return v.String()
	case wanted:
		return string(v)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return text
}

// comparison compares answers with what is expected of them.
type comparison struct {
	// lenient makes an empty map or list and a null equal an absent field.
	lenient bool
	// matchers makes maps of one key that begins with a dollar sign match instead of compare.
	matchers bool
	// partial lets maps have keys that are not expected.
	partial bool
	diffs   []Diff
}

// outputs compares the parts of an answer to an operation with the expected ones. Parts that are not expected are
// ignored when that is lenient, and otherwise a difference.
func (c *comparison) outputs(info *interpreter.OperationInfo, want map[string]any, got []Output) {
	answer := make(map[string]any, len(got))
	for _, output := range got {
		answer[output.Name] = output.Value
	}
	if info.Result == interpreter.ResultHealth {
		completeHealth(want, answer)
	}
	for _, name := range info.Outputs {
		w, expected := want[name]
		g, answered := answer[name]
		switch {
		case !expected && (c.lenient || !answered || g == nil):
			continue
		case !expected:
			w = Absent{}
		case !answered:
			g = Absent{}
		}
		field := manifest.Path{name}
		switch {
		case !expected || w == excluded:
			c.value(field, w, g)
		case info.Result == interpreter.ResultComponents:
			c.elements(field, w, g, componentName)
		case info.Result == interpreter.ResultDependencies:
			c.elements(field, w, g, referenceName)
		default:
			c.value(field, w, g)
		}
	}
}

// completeHealth adds what the case asks for and the answer implies: the state of a plain yes or no, an empty message.
// What is expected of the state says all about yes and no.
func completeHealth(want, answer map[string]any) {
	healthy, _ := answer["healthy"].(bool)
	if _, ok := want["health"]; ok && answer["health"] == nil {
		answer["health"] = string(interpreter.HealthOf(healthy).State)
	}
	if _, ok := want["message"]; ok && answer["message"] == nil {
		answer["message"] = ""
	}
	if _, ok := want["healthy"]; !ok && want["health"] != nil {
		delete(answer, "healthy")
	}
}

func (c *comparison) differ(field manifest.Path, want, got any) {
	c.diffs = append(c.diffs, Diff{Field: field, Want: want, Got: got})
}

// value compares two values; either may be Absent.
func (c *comparison) value(field manifest.Path, want, got any) {
	if want == excluded {
		return
	}
	if c.matchers {
		if key, argument, ok := matcherOf(want); ok {
			c.match(field, key, argument, got)
			return
		}
	}
	if c.lenient && isEmpty(want) && isEmpty(got) {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			c.maps(field, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			c.lists(field, w, g)
			return
		}
	default:
		if equalScalars(want, got) || isResource(field) && equalQuantities(want, got) {
			return
		}
	}
	c.differ(field, want, got)
}

func (c *comparison) maps(field manifest.Path, want, got map[string]any) {
	keys := slices.Collect(maps.Keys(want))
	for key := range got {
		if _, ok := want[key]; !ok && !c.partial {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		w, expected := want[key]
		if !expected {
			w = Absent{}
		}
		g, answered := got[key]
		if !answered {
			g = Absent{}
		}
		c.value(field.With(key), w, g)
	}
}

func (c *comparison) lists(field manifest.Path, want, got []any) {
	for i := range max(len(want), len(got)) {
		var w, g any = Absent{}, Absent{}
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		c.value(field.With(i), w, g)
	}
}

// elements compares lists whose order means nothing, pairing what has the same name.
func (c *comparison) elements(field manifest.Path, want, got any, nameOf func(any) string) {
	if c.matchers {
		if _, _, ok := matcherOf(want); ok {
			c.value(field, want, got)
			return
		}
	}
	w, wantList := want.([]any)
	g, gotList := got.([]any)
	if !wantList && want != nil || !gotList {
		c.value(field, want, got)
		return
	}
	used := make([]bool, len(g))
	for _, element := range w {
		name := nameOf(element)
		i := c.pair(element, g, used, nameOf)
		if i < 0 {
			c.differ(field.With(manifest.Element(name)), element, Absent{})
			continue
		}
		used[i] = true
		c.value(field.With(manifest.Element(name)), element, g[i])
	}
	for i, element := range g {
		if !used[i] {
			c.differ(field.With(manifest.Element(nameOf(element))), Absent{}, element)
		}
	}
}

// pair returns the place of the unused element that equals want, or else of the first that has its name, or -1.
func (c *comparison) pair(want any, got []any, used []bool, nameOf func(any) string) int {
	named := -1
	for i, g := range got {
		if used[i] {
			continue
		}
		if c.equal(want, g) {
			return i
		}
		if named < 0 && nameOf(want) == nameOf(g) {
			named = i
		}
	}
	return named
}

// equal tells whether two elements of a list are equal.
func (c *comparison) equal(want, got any) bool {
	inner := comparison{lenient: c.lenient, matchers: c.matchers, partial: c.partial}
	inner.value(manifest.Path{}, want, got)
	return len(inner.diffs) == 0
}

func componentName(value any) string {
	fields, _ := value.(map[string]any)
	text, _ := fields["name"].(string)
	return text
}

// referenceName returns, for example, "v1 Secret default/token".
func referenceName(value any) string {
	fields, _ := value.(map[string]any)
	text := func(key string) string {
		s, _ := fields[key].(string)
		return s
	}
	object := text("name")
	if fields["labelSelector"] != nil {
		object += show(fields["labelSelector"])
	}
	if text("namespace") != "" {
		object = text("namespace") + "/" + object
	}
	return strings.Join([]string{text("apiVersion"), text("kind"), object}, " ")
}

// isEmpty tells whether an engine that loses empty values would lose this one.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil, Absent:
		return true
	case map[string]any:
		for _, element := range v {
			if !isEmpty(element) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func equalScalars(want, got any) bool {
	switch w := want.(type) {
	case int64:
		switch g := got.(type) {
		case int64:
			return w == g
		case float64:
			return float64(w) == g && int64(g) == w
		}
		return false
	case float64:
		switch g := got.(type) {
		case int64:
			return w == float64(g) && int64(w) == g
		case float64:
			return w == g
		}
		return false
	case map[string]any, []any:
		return false
	default:
		switch got.(type) {
		case map[string]any, []any:
			return false
		}
		return want == got
	}
}

// isResource tells whether the field is an amount in a list of resources.
func isResource(field manifest.Path) bool {
	return len(field) > 1 && field[len(field)-2] == "resourceRequest"
}

// equalQuantities tells whether two values are the same amount.
func equalQuantities(want, got any) bool {
	w, wantErr := value.ParseQuantity(fmt.Sprint(want))
	g, gotErr := value.ParseQuantity(fmt.Sprint(got))
	return wantErr == nil && gotErr == nil && w.Cmp(g) == 0
}

// Differences returns how the answer got to a question differs from the answer want to the same question: quantities by
// value, components by name, dependencies as a set, everything else exactly.
func Differences(op interpreter.Operation, want, got []Output) []Diff {
	info := op.Info()
	if info == nil {
		return nil
	}
	wanted := make(map[string]any, len(want))
	for _, output := range want {
		wanted[output.Name] = output.Value
	}
	var c comparison
	c.outputs(info, wanted, got)
	return c.diffs
}
