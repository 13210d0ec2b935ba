package laws

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/dragoman-io/dragoman/manifest"
)

// orders is how many orders of the members are tried when there are too many to try them all.
const orders = 12

// countsByOrder says which number and the like depends on the order of the members.
func countsByOrder(t *trial, in inputs, a *answer) string {
	return t.reordered(in, a, func(o *orderDiff) *diff { return o.count })
}

// choosesByOrder says which text or object comes from another member when the members come in another order.
func choosesByOrder(t *trial, in inputs, a *answer) string {
	return t.reordered(in, a, func(o *orderDiff) *diff { return o.choice })
}

// reordered asks with the members in other orders, and says which difference that of picks.
func (t *trial) reordered(in inputs, a *answer, that func(*orderDiff) *diff) string {
	items := in.items()
	if !a.handled() || len(items) < 2 {
		return ""
	}
	reported := reportedBy(items)
	for other := range permutations(items, t.random) {
		b := t.ask(t.op, in.with(inputItems, other))
		if a.ok() != b.ok() {
			return fmt.Sprintf("with the members as %s: %s; as %s: %s", names(items), outcome(a), names(other), outcome(b))
		}
		if !a.ok() {
			continue
		}
		found := orderDiff{reported: reported}
		found.compare(nil, any(a.object()), any(b.object()))
		if d := that(&found); d != nil {
			return fmt.Sprintf("%s is %s with the members as %s, and %s as %s",
				d.path, compact(d.a), names(items), compact(d.b), names(other))
		}
	}
	return ""
}

// reported is what members report, by anywhere.
type reported map[string][]any

func reportedBy(items []any) reported {
	out := reported{}
	for _, item := range items {
		status, _ := get(item, manifest.Path{"status"})
		visit(manifest.Path{"status"}, status, func(path manifest.Path, value any) bool {
			out[anywhere(path)] = append(out[anywhere(path)], value)
			return true
		})
	}
	return out
}

// has tells whether value, or nothing, can be what a member reports at path.
func (r reported) has(path manifest.Path, value any) bool {
	if _, nothing := value.(absent); nothing || isEmpty(value) {
		return true
	}
	return slices.ContainsFunc(r[anywhere(path)], func(v any) bool { return equal(v, value) })
}

// orderDiff is how two statuses differ that were made of the same members in two orders.
type orderDiff struct {
	reported

	// count is the first difference that order must not make: of numbers and booleans, and of the elements of lists. choice is
	// the first one of a text, an object or a list that is one member's in both.
	count, choice *diff
}

func (o *orderDiff) compare(path manifest.Path, a, b any) {
	switch {
	case equal(a, b):
		return
	case o.chosen(path, a, b):
		if o.choice == nil {
			o.choice = &diff{path: path, a: a, b: b}
		}
		return
	}
	aMap, aIsMap := orNothing[map[string]any](a)
	bMap, bIsMap := orNothing[map[string]any](b)
	aList, aIsList := orNothing[[]any](a)
	bList, bIsList := orNothing[[]any](b)
	switch {
	case aIsMap && bIsMap:
		for _, key := range unionKeys(aMap, bMap) {
			o.compare(path.With(key), member(aMap, key), member(bMap, key))
		}
	case aIsList && bIsList:
		o.compareLists(path, aList, bList)
	case sameWords(a, b):
	case o.count == nil:
		o.count = &diff{path: path, a: a, b: b}
	}
}

// orNothing returns value as what is wanted, the zero value for a field that is not there, and whether it is one of these.
func orNothing[T any](value any) (T, bool) {
	wanted, ok := value.(T)
	return wanted, ok || value == any(absent{})
}

// compareLists compares lists without regard to order. What has no equal on the other side is compared with what has its
// name there.
func (o *orderDiff) compareLists(path manifest.Path, a, b []any) {
	left := slices.Clone(b)
	var alone []any
	for _, element := range a {
		i := slices.IndexFunc(left, func(other any) bool {
			pair := orderDiff{reported: o.reported}
			pair.compare(path.With(0), element, other)
			return pair.count == nil && pair.choice == nil
		})
		if i < 0 {
			alone = append(alone, element)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, element := range alone {
		other := counterpart(left, element, 0, -1)
		left = slices.DeleteFunc(left, func(v any) bool { return equal(v, other) })
		o.compare(path.With(slices.IndexFunc(a, func(v any) bool { return equal(v, element) })), element, other)
	}
	for _, element := range left {
		o.compare(path.With(slices.IndexFunc(b, func(v any) bool { return equal(v, element) })), absent{}, element)
	}
}

// chosen tells whether a and b are each what one member reports, or nothing, and no numbers or booleans. The status as a
// whole is not chosen: there would be nothing left to count.
func (o *orderDiff) chosen(path manifest.Path, a, b any) bool {
	if len(path) < 2 {
		return false
	}
	for _, value := range []any{a, b} {
		switch value.(type) {
		case int64, float64, bool:
			return false
		}
		if !o.has(path, value) {
			return false
		}
	}
	return true
}

// sameWords tells whether two texts are made of the same words, as when what members say is joined.
func sameWords(a, b any) bool {
	aText, ok := a.(string)
	bText, ok2 := b.(string)
	return ok && ok2 && slices.Equal(words(aText), words(bText))
}

func words(text string) []string {
	found := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	slices.Sort(found)
	return found
}

// permutations yields the orders of items but the first: all of up to four, some of more.
func permutations(items []any, random *rand.Rand) func(yield func([]any) bool) {
	return func(yield func([]any) bool) {
		if len(items) > 4 {
			reversed := slices.Clone(items)
			slices.Reverse(reversed)
			if !yield(reversed) {
				return
			}
			for range orders {
				other := slices.Clone(items)
				random.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
				if !yield(other) {
					return
				}
			}
			return
		}
		var permute func(done, rest []any) bool
		permute = func(done, rest []any) bool {
			if len(rest) == 0 {
				return equal(done, items) || yield(slices.Clone(done))
			}
			for i := range rest {
				others := slices.Delete(slices.Clone(rest), i, i+1)
				if !permute(append(slices.Clip(done), rest[i]), others) {
					return false
				}
			}
			return true
		}
		permute(nil, items)
	}
}

func names(items []any) string {
	out := make([]string, len(items))
	for i, item := range items {
		name, _ := get(item, manifest.Path{"clusterName"})
		out[i] = fmt.Sprint(name)
	}
	return strings.Join(out, ", ")
}
