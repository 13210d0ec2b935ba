package manifest_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/manifest"
)

// Errors about a field can name the place where it is written.
func Example() {
	objects, err := manifest.Objects("pods.yaml", []byte(`
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
  spec:
    nodeName: "?"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range objects {
		fmt.Println(o.GetKind(), o.GetName())
		fmt.Println(o.Errorf(manifest.Path{"spec", "nodeName"}, "want a name"))
	}
	// Output:
	// Pod a
	// pods.yaml:9: want a name
}
