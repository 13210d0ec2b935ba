package v1alpha1_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// Where the copy of Deployment default/web for the cluster member1 is found.
func ExampleWorkName() {
	fmt.Println(v1alpha1.ExecutionNamespace("member1"), v1alpha1.WorkName("Deployment", "default", "web"))
	// Output: karmada-es-member1 web-7b7cc5b9ff
}
