package status

import "github.com/dragoman-io/dragoman/interpreter/value"

// Condition returns the first of a status's conditions that has the given type; nil when none has. It is the status's own.
func Condition(status map[string]any, kind string) (map[string]any, error) {
	var out map[string]any
	err := value.Each(status, "conditions", func(condition map[string]any) error {
		got, err := value.String(condition, "type")
		if out == nil && got == kind {
			out = condition
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
