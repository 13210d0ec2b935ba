package dependencies_test

import (
	"fmt"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
)

// The binding of a dependency is found by the bindings that require it.
func ExampleIndexKeys() {
	secret := &workv1alpha2.ResourceBinding{}
	secret.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "shop", Name: "web-deployment"}, {Namespace: "shop", Name: "jobs-cronjob"}}
	fmt.Println(dependencies.IndexKeys(secret))
	// Output: [shop/web-deployment shop/jobs-cronjob]
}
