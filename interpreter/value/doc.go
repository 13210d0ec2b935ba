// Package value reads plain values: what decoding JSON with int64 gives (nil, bool, int64, float64, string,
// map[string]any and []any).
//
// An absent field and an explicit null read alike, as nothing. A value of another type than the wanted one is an *Error
// that names the field; whoever descended to it puts the path before it with In, so that reading costs nothing as long as
// all is well:
//
//	containers, err := value.List(spec, "containers")
//	if err != nil {
//		return value.In("spec", err) // spec.containers: want a list, got a string
//	}
//
// Nothing here modifies or copies what it reads.
package value
