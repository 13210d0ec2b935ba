package webhook

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxPatchOperations bounds the work that a patch can ask for.
	maxPatchOperations = 10_000
	// maxPatchCopies bounds the bytes that a patch's copy operations add.
	maxPatchCopies = 16 << 20
)

// createPatch returns the JSON patch that makes want of have, or nil when they are equal. The patch shares no memory
// with either.
func createPatch(have, want map[string]any) ([]byte, error) {
	d := &difference{path: make([]step, 0, 8)}
	named := d.objects(have, want)
	if d.count > maxPatchOperations { // more than anybody applies: one operation for each field at the top then
		d = &difference{whole: true}
		named = d.objects(have, want)
	}
	switch {
	case !named:
		return nil, errors.New("a field without a name changed, which no patch can say")
	case d.err != nil:
		return nil, fmt.Errorf("encode the patch: %w", d.err)
	case d.count == 0:
		return nil, nil
	}
	d.data[0] = '['
	return append(d.data, ']'), nil
}

// difference writes the operations that lead from one value to another, each with a comma in front. The values are plain.
type difference struct {
	encoder
	count int
	// path is where the values are that are compared.
	path []step
	// whole replaces a field that differs without looking into it.
	whole bool
}

// A step leads to a field or an element.
type step struct {
	name  string // of a field
	index int    // of an element; -1 for a field
}

// pointer returns the path as a JSON pointer (RFC 6901).
func (d *difference) pointer() string {
	var pointer []byte
	for _, s := range d.path {
		pointer = append(pointer, '/')
		if s.index >= 0 {
			pointer = strconv.AppendInt(pointer, int64(s.index), 10)
		} else {
			pointer = append(pointer, escape(s.name)...)
		}
	}
	return string(pointer)
}

// operation writes one operation; a removal has no value.
func (d *difference) operation(op string, value any) {
	d.count++
	d.raw(`,{"op":"` + op + `","path":`).text(d.pointer())
	if op != "remove" {
		d.raw(`,"value":`).value(value)
	}
	d.raw(`}`)
}

// operationAt writes one operation a step further.
func (d *difference) operationAt(s step, op string, value any) {
	d.path = append(d.path, s)
	d.operation(op, value)
	d.path = d.path[:len(d.path)-1]
}

// valuesAt compares values a step further.
func (d *difference) valuesAt(s step, have, want any) {
	d.path = append(d.path, s)
	d.values(have, want)
	d.path = d.path[:len(d.path)-1]
}

func (d *difference) values(have, want any) {
	if !d.whole {
		switch h := have.(type) {
		case map[string]any:
			if w, ok := want.(map[string]any); ok && h != nil && w != nil {
				if identical(h, w) {
					return
				}
				count, size := d.count, len(d.data)
				if !d.objects(h, w) {
					d.count, d.data = count, d.data[:size]
					d.operation("replace", want)
				}
				return
			}
		case []any:
			if w, ok := want.([]any); ok && h != nil && w != nil {
				d.lists(h, w)
				return
			}
		}
	}
	if !equal(have, want) {
		d.operation("replace", want)
	}
}

// objects writes the operations on the fields of an object, by name. It returns false when fields called "" differ: a
// path that ends with them, "/a/", is one that common implementations of JSON patch, the one used here and by the peer
// among them, take for that of the object itself.
func (d *difference) objects(have, want map[string]any) bool {
	var edits []edit
	start, both := len(d.data), 0
	for name, h := range have {
		size := len(d.data)
		if w, kept := want[name]; kept {
			both++
			d.valuesAt(step{name, -1}, h, w)
		} else {
			d.operationAt(step{name, -1}, "remove", nil)
		}
		if len(d.data) > size {
			edits = append(edits, edit{name, size - start, len(d.data) - start})
		}
	}
	if both < len(want) {
		for name, w := range want {
			if _, had := have[name]; !had {
				size := len(d.data)
				d.operationAt(step{name, -1}, "add", w)
				edits = append(edits, edit{name, size - start, len(d.data) - start})
			}
		}
	}
	sortEdits(d.data[start:], edits)
	return len(edits) == 0 || edits[0].name != ""
}

// An edit is what was written about a field.
type edit struct {
	name       string
	start, end int
}

// sortEdits sorts edits, which are all that data is, by name.
func sortEdits(data []byte, edits []edit) {
	byName := func(a, b edit) int { return strings.Compare(a.name, b.name) }
	if slices.IsSortedFunc(edits, byName) {
		return
	}
	slices.SortFunc(edits, byName)
	written := slices.Clone(data)
	data = data[:0]
	for _, c := range edits {
		data = append(data, written[c.start:c.end]...)
	}
}

// ends returns how many elements two lists begin with alike, and how many they end with; none counts for both.
func ends(a, b []any) (start, end int) {
	most := min(len(a), len(b))
	for start < most && equal(a[start], b[start]) {
		start++
	}
	for end < most-start && equal(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	return start, end
}

// lists leaves the elements alone that both begin and end with, and changes those between them in place.
func (d *difference) lists(have, want []any) {
	start, end := ends(have, want)
	have, want = have[start:len(have)-end], want[start:len(want)-end]
	both := min(len(have), len(want))
	for i := range both {
		d.valuesAt(step{index: start + i}, have[i], want[i])
	}
	for i := len(have) - 1; i >= both; i-- {
		d.operationAt(step{index: start + i}, "remove", nil)
	}
	for i := both; i < len(want); i++ {
		d.operationAt(step{index: start + i}, "add", want[i])
	}
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// escape returns name as a reference token of a JSON pointer (RFC 6901).
func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return pointerEscaper.Replace(name)
}
