package cases

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Path leads to a field of a value: each step is a string, the key of a map, or an int, the index of a list.
type Path []any

// String returns the path as it is written in case files and reports: spec.containers[0].image,
// metadata.annotations["example.com/owner"].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case element:
			fmt.Fprintf(&b, "[%s]", string(s))
		case string:
			switch {
			case !plainKey.MatchString(s):
				fmt.Fprintf(&b, "[%q]", s)
			case b.Len() > 0:
				b.WriteString("." + s)
			default:
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// element is the step to the element of a list that a name identifies, such as a component.
type element string

var plainKey = regexp.MustCompile(`^[^."\[\]\s]+$`)

// with returns a path of its own that goes one step further.
func (p Path) with(step any) Path { return append(slices.Clip(p), step) }

// leaf returns the last key of the path, or "".
func (p Path) leaf() string {
	for _, step := range slices.Backward(p) {
		if key, ok := step.(string); ok {
			return key
		}
	}
	return ""
}

// ParsePath is the inverse of Path.String for paths of keys and indices.
func ParsePath(text string) (Path, error) {
	var path Path
	for rest := text; rest != ""; {
		switch {
		case rest[0] == '[':
			step, tail, err := parseBracket(rest)
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", text, err)
			}
			path, rest = append(path, step), tail
		default:
			if len(path) > 0 {
				if rest[0] != '.' {
					return nil, fmt.Errorf("path %q: want a dot or a bracket before %q", text, rest)
				}
				rest = rest[1:]
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("path %q: want a key, got none before %q", text, rest)
			}
			path, rest = append(path, rest[:end]), rest[end:]
		}
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("path: want a field such as spec.replicas, got none")
	}
	return path, nil
}

// parseBracket reads [0] or ["key"] and returns the step and what follows.
func parseBracket(text string) (any, string, error) {
	if strings.HasPrefix(text, `["`) {
		quoted, err := strconv.QuotedPrefix(text[1:])
		if err != nil || !strings.HasPrefix(text[1+len(quoted):], "]") {
			return nil, "", fmt.Errorf(`want a key in quotes and brackets such as ["a.b"], got %s`, text)
		}
		key, err := strconv.Unquote(quoted)
		return key, text[len(quoted)+2:], err
	}
	digits, tail, ok := strings.Cut(text[1:], "]")
	index, err := strconv.Atoi(digits)
	if !ok || err != nil || index < 0 {
		return nil, "", fmt.Errorf("want an index in brackets such as [0], got %s", text)
	}
	return index, tail, nil
}

// remove returns value without the field at path, sharing what does not change; value itself stays as it is. An absent
// field is an error: a case that removes what is not there says something other than its author means.
func remove(value any, path Path) (any, error) {
	changed, ok := removed(value, path)
	if !ok {
		return nil, fmt.Errorf("remove %s: want a field that is there, got none", path)
	}
	return changed, nil
}

func removed(value any, path Path) (any, bool) {
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
