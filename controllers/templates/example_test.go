package templates_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/templates"
)

func ExampleKey() {
	fmt.Println(templates.Key{Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Namespace: "shop", Name: "web"})
	// Output: apps/v1 Deployment shop/web
}
