package laws

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/manifest"
)

// absent stands for a field that is not there.
type absent struct{}

// diff is a field in which two values differ.
type diff struct {
	path manifest.Path
	a, b any
}

// firstDiff returns the first field in which a and b differ; nil when they are the same.
func firstDiff(path manifest.Path, a, b any) *diff {
	if equal(a, b) {
		return nil
	}
	switch av := a.(type) {
	case map[string]any:
		bv, ok := b.(map[string]any)
		if !ok || av == nil || bv == nil {
			break
		}
		for _, key := range unionKeys(av, bv) {
			if d := firstDiff(path.With(key), member(av, key), member(bv, key)); d != nil {
				return d
			}
		}
	case []any:
		bv, ok := b.([]any)
		if !ok || len(av) != len(bv) {
			break
		}
		for i := range av {
			if d := firstDiff(path.With(i), av[i], bv[i]); d != nil {
				return d
			}
		}
	}
	return &diff{path: path, a: a, b: b}
}

func unionKeys(a, b map[string]any) []string {
	keys := slices.Sorted(maps.Keys(a))
	for key := range b {
		if _, ok := a[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func member(m map[string]any, key string) any {
	if value, ok := m[key]; ok {
		return value
	}
	return absent{}
}

// longest is how many bytes of a value a message shows.
const longest = 120

// compact returns a value in one line of JSON, cut when it is long.
func compact(value any) string {
	if _, ok := value.(absent); ok {
		return "absent"
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(data) > longest {
		return string(data[:longest]) + "..."
	}
	return string(data)
}
