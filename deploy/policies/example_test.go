package policies_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/deploy/policies"
)

func ExampleObjects() {
	objects, err := policies.Objects()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, object := range objects[:2] {
		fmt.Println(object.GetKind(), object.GetName())
	}
	// Output:
	// ValidatingAdmissionPolicy deletion-protection.dragoman.io
	// ValidatingAdmissionPolicyBinding deletion-protection.dragoman.io
}
