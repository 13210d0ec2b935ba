package cases

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/manifest"
)

// remove returns value without the field at path, sharing what does not change; value itself stays as it is. An absent
// field is an error: a case that removes what is not there says something other than its author means.
func remove(value any, path manifest.Path) (any, error) {
	changed, ok := removed(value, path)
	if !ok {
		return nil, fmt.Errorf("remove %s: want a field that is there, got none", path)
	}
	return changed, nil
}

func removed(value any, path manifest.Path) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		key, ok := path[0].(string)
		child, there := v[key]
		if !ok || !there {
			return nil, false
		}
		out := maps.Clone(v)
		if len(path) == 1 {
			delete(out, key)
			return out, true
		}
		out[key], ok = removed(child, path[1:])
		return out, ok
	case []any:
		index, ok := path[0].(int)
		if !ok || index >= len(v) {
			return nil, false
		}
		if len(path) == 1 {
			return slices.Delete(slices.Clone(v), index, index+1), true
		}
		out := slices.Clone(v)
		out[index], ok = removed(v[index], path[1:])
		return out, ok
	}
	return nil, false
}

// overlay returns the fields of a case changed by those of a matrix row, sharing what does not change: maps merge,
// anything else replaces. A null stays, since in a patch it says something.
func overlay(base, row any) any {
	changes, ok := row.(map[string]any)
	old, oldOK := base.(map[string]any)
	if _, _, isMatcher := matcherOf(row); !ok || !oldOK || isMatcher {
		return row
	}
	out := maps.Clone(old)
	for key, value := range changes {
		out[key] = overlay(out[key], value)
	}
	return out
}

// merge returns base changed by patch, a JSON merge patch (RFC 7386), sharing what does not change: maps merge, null
// deletes, anything else (a matcher too) replaces.
func merge(base, patch any) any {
	changes, ok := patch.(map[string]any)
	if _, _, isMatcher := matcherOf(patch); !ok || isMatcher {
		return patch
	}
	old, _ := base.(map[string]any)
	out := make(map[string]any, len(old)+len(changes))
	maps.Copy(out, old)
	for key, value := range changes {
		if value == nil {
			delete(out, key)
			continue
		}
		out[key] = merge(out[key], value)
	}
	return out
}
