package manifest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Path leads to a field of a value: each step is a string, the key of a map, an int, the index of a list, or an Element.
type Path []any

// String returns the path as it is written in case files and reports: spec.containers[0].image,
// metadata.annotations["example.com/owner"].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case Element:
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

// Element is the step to the element of a list that a name identifies, such as a component.
type Element string

var plainKey = regexp.MustCompile(`^[^."\[\]\s]+$`)

// With returns a path of its own that goes one step further.
func (p Path) With(step any) Path { return append(slices.Clip(p), step) }

// Leaf returns the last key of the path, or "".
func (p Path) Leaf() string {
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
		switch rest[0] {
		case '[':
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
