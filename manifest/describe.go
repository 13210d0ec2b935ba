package manifest

import "fmt"

// Describe returns a short text for a value in an error: a plain one as it is written, a map or a list by its type.
func Describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		if len(v) == 0 {
			return "an empty map"
		}
		return "a map"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case string:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
