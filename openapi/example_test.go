package openapi_test

import (
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/openapi"
)

func ExampleLoad() {
	snapshot, err := openapi.Load()
	if err != nil {
		log.Fatal(err)
	}
	deployment := snapshot.Schema(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	properties := deployment["properties"].(map[string]any)
	spec := snapshot.Definition(properties["spec"].(map[string]any)["$ref"].(string))
	fmt.Println(spec["required"])
	fmt.Println(spec["properties"].(map[string]any)["replicas"])
	// Output:
	// [selector template]
	// map[default:1 type:integer]
}
