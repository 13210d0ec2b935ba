package status

import (
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Whole returns a copy of the status of observed; nil when it has none.
func Whole(observed map[string]any) (map[string]any, error) {
	status, err := value.Map(observed, "status")
	if err != nil || status == nil {
		return nil, err
	}
	return value.CopyMap(status), nil
}

// Pick returns a copy of those of fields that the status of observed has; nil when it has no status, or an empty one.
func Pick(observed map[string]any, fields ...string) (map[string]any, error) {
	status, err := value.Map(observed, "status")
	if err != nil || len(status) == 0 {
		return nil, err
	}
	out := make(map[string]any, len(fields)+2)
	for _, field := range fields {
		if v, ok := status[field]; ok {
			out[field] = value.Copy(v)
		}
	}
	return out, nil
}
