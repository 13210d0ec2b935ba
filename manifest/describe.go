package manifest

import "github.com/dragoman-io/dragoman/interpreter/value"

// Describe returns a value that Document.Decode gives in words, for an error, as value.Describe does.
func Describe(v any) string { return value.Describe(v) }
