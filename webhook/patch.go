package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const (
	// maxPatchOperations bounds the work that a patch can ask for.
	maxPatchOperations = 10_000
	// maxPatchCopies bounds the bytes that a patch's copy operations add.
	maxPatchCopies = 16 << 20
)

// patchOperation is one operation of RFC 6902.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// MarshalJSON leaves the value out of a removal, and of nothing else: null is a value.
func (o patchOperation) MarshalJSON() ([]byte, error) {
	if o.Op == "remove" {
		return json.Marshal(struct {
			Op   string `json:"op"`
			Path string `json:"path"`
		}{o.Op, o.Path})
	}
	return json.Marshal(struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}{o.Op, o.Path, o.Value})
}

// createPatch returns the JSON patch that makes want of have, or nil when they are equal. The patch shares no memory
// with either.
func createPatch(have, want map[string]any) ([]byte, error) {
	if unnamedDiffers(have, want) {
		return nil, errors.New("a field without a name changed, which no patch can say")
	}
	d := &difference{}
	d.objects("", have, want)
	if len(d.operations) > maxPatchOperations { // more than anybody applies: one operation for each field at the top then
		d = &difference{whole: true}
		d.objects("", have, want)
	}
	if len(d.operations) == 0 {
		return nil, nil
	}
	patch, err := json.Marshal(d.operations)
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	return patch, nil
}

// difference collects the operations that lead from one value to another. The values are plain.
type difference struct {
	operations []patchOperation
	// whole replaces a field that differs without looking into it.
	whole bool
}

func (d *difference) add(op, path string, value any) {
	d.operations = append(d.operations, patchOperation{Op: op, Path: path, Value: value})
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
		d.add("replace", path, want)
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
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if value, ok := want[name]; ok {
			d.values(path+"/"+escape(name), have[name], value)
		} else {
			d.add("remove", path+"/"+escape(name), nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := have[name]; !ok {
			d.add("add", path+"/"+escape(name), want[name])
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
		d.add("remove", path+"/"+strconv.Itoa(start+i), nil)
	}
	for i := both; i < len(want); i++ {
		d.add("add", path+"/"+strconv.Itoa(start+i), want[i])
	}
}

// equal compares plain values. Lists and objects that are nil are null on the wire, and not empty.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil, bool, int64, string, float64:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// escape returns name as a reference token of a JSON pointer (RFC 6901).
func escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return pointerEscaper.Replace(name)
}

// applyPatch returns what the JSON patch makes of the JSON object, with whole numbers as int64. What the patch does not
// touch comes back as it was.
func applyPatch(object, patch []byte) (map[string]any, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, fmt.Errorf("want a list of operations (RFC 6902): %w", err)
	}
	if len(operations) > maxPatchOperations {
		return nil, fmt.Errorf("want at most %d operations, got %d", maxPatchOperations, len(operations))
	}
	options := jsonpatch.NewApplyOptions()
	options.AccumulatedCopySizeLimit = maxPatchCopies
	patched, err := operations.ApplyWithOptions(object, options)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(patched, &content); err != nil {
		return nil, fmt.Errorf("want it to leave an object: %w", err)
	}
	if content == nil {
		return nil, errors.New("want it to leave an object, got null")
	}
	return content, nil
}
