package namespace_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/controllers/namespace"
)

// Of namespaces only the metadata is watched.
func ExampleKind() {
	fmt.Printf("%T of %s\n", namespace.Kind(), namespace.Kind().GroupVersionKind())
	// Output: *v1.PartialObjectMetadata of /v1, Kind=Namespace
}
