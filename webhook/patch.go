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
	if unnamedDiffers(have, want) {
		return nil, errors.New("a field without a name changed, which no patch can say")
	}
	d := &difference{}
	d.objects("", have, want)
	if d.count > maxPatchOperations { // more than anybody applies: one operation for each field at the top then
		d = &difference{whole: true}
		d.objects("", have, want)
	}
	if d.count == 0 {
		return nil, nil
	}
	if d.err != nil {
		return nil, fmt.Errorf("encode the patch: %w", d.err)
	}
	return append(d.data, ']'), nil
}

// difference writes the operations that lead from one value to another. The values are plain.
type difference struct {
	encoder
	count int
	// whole replaces a field that differs without looking into it.
	whole bool
}

// operation writes one operation; a removal has no value.
func (d *difference) operation(op, path string, value any) {
	separator := byte(',')
	if d.count++; d.count == 1 {
		separator = '['
	}
	d.data = append(d.data, separator)
	d.raw(`{"op":"` + op + `","path":`).value(path)
	if op != "remove" {
		d.raw(`,"value":`).value(value)
	}
	d.raw(`}`)
}

func (d *difference) values(path string, have, want any) {
	if !d.whole {
		switch h := have.(type) {
		case map[string]any:
			if w, ok := want.(map[string]any); ok && h != nil && w != nil && !unnamedDiffers(h, w) {
				d.objects(path, h, w)
				return
			}
		case []any:
			if w, ok := want.([]any); ok && h != nil && w != nil {
				d.lists(path, h, w)
				return
			}
		}
	}
	if !equal(have, want) {
		d.operation("replace", path, want)
	}
}

// unnamedDiffers tells whether the fields called "" differ. A path that ends with them, "/a/", is one that common
// implementations of JSON patch, the one used here and by the peer among them, take for that of the object itself.
func unnamedDiffers(have, want map[string]any) bool {
	h, inHave := have[""]
	w, inWant := want[""]
	return inHave != inWant || !equal(h, w)
}

func (d *difference) objects(path string, have, want map[string]any) {
	var differ []string
	for name, value := range have {
		if w, ok := want[name]; !ok || !equal(value, w) {
			differ = append(differ, name)
		}
	}
	for name := range want {
		if _, ok := have[name]; !ok {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	for _, name := range differ {
		h, had := have[name]
		w, has := want[name]
		switch at := path + "/" + escape(name); {
		case had && has:
			d.values(at, h, w)
		case has:
			d.operation("add", at, w)
		default:
			d.operation("remove", at, nil)
		}
	}
}

// lists leaves the elements alone that both begin and end with, and changes those between them in place.
func (d *difference) lists(path string, have, want []any) {
	start := 0
	for start < min(len(have), len(want)) && equal(have[start], want[start]) {
		start++
	}
	have, want = have[start:], want[start:]
	for len(have) > 0 && len(want) > 0 && equal(have[len(have)-1], want[len(want)-1]) {
		have, want = have[:len(have)-1], want[:len(want)-1]
	}
	both := min(len(have), len(want))
	for i := range both {
		d.values(path+"/"+strconv.Itoa(start+i), have[i], want[i])
	}
	for i := len(have) - 1; i >= both; i-- {
		d.operation("remove", path+"/"+strconv.Itoa(start+i), nil)
	}
	for i := both; i < len(want); i++ {
		d.operation("add", path+"/"+strconv.Itoa(start+i), want[i])
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
