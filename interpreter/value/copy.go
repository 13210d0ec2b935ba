package value

import "maps"

// Copy returns a copy of v that shares no memory with it. Unlike runtime.DeepCopyJSONValue it does not panic on a value of
// another type than those of the package, which is returned as it is; and it is faster, since it copies the scalars of a
// map together.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return CopyMap(v)
	case []any:
		return CopyList(v)
	default:
		return v
	}
}

// CopyMap is Copy of an object; nil stays nil.
func CopyMap(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for key, v := range m {
		switch v := v.(type) {
		case map[string]any:
			out[key] = CopyMap(v)
		case []any:
			out[key] = CopyList(v)
		}
	}
	return out
}

// CopyList is Copy of a list; nil stays nil.
func CopyList(l []any) []any {
	if l == nil {
		return nil
	}
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = Copy(v)
	}
	return out
}
