package interpreter

import (
	"bytes"
	"errors"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// unmarshal decodes one JSON value with whole numbers as int64.
func unmarshal(data []byte, into *map[string]any) error {
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("got " + jsonKind(trimmed))
	}
	return utiljson.Unmarshal(data, into)
}

func jsonKind(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}
