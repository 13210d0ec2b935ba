package builtin

import (
	"fmt"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// inner returns the object that path leads to from m, a copy that may be changed; what is not there is made.
func inner(m map[string]any, path ...string) (map[string]any, error) {
	for i, field := range path {
		next, err := value.Map(m, field)
		if err != nil {
			for ; i > 0; i-- {
				err = value.In(path[i-1], err)
			}
			return nil, err
		}
		if next == nil {
			next = map[string]any{}
			m[field] = next
		}
		m = next
	}
	return m, nil
}

// setList sets field of m to list, or removes it when list is empty.
func setList(m map[string]any, field string, list []any) {
	if len(list) == 0 {
		delete(m, field)
		return
	}
	m[field] = list
}

// setText sets field of m to text, or removes it when text is empty.
func setText(m map[string]any, field, text string) {
	if text == "" {
		delete(m, field)
		return
	}
	m[field] = text
}

// replace makes field of m what it is in from, a copy of it; it is removed when from does not have it.
func replace(m, from map[string]any, field string) {
	v, ok := from[field]
	if !ok {
		delete(m, field)
		return
	}
	m[field] = value.Copy(v)
}

// inObserved returns err as one about the observed object; nil stays nil.
func inObserved(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("observed object: %w", err)
}
