package crds_test

import (
	"context"
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/api/crds"
)

func ExampleSchema_Admit() {
	definition, err := crds.Get("resourceinterpretercustomizations.config.karmada.io")
	if err != nil {
		log.Fatal(err)
	}
	schema, err := crds.NewSchema(definition, "v1alpha1")
	if err != nil {
		log.Fatal(err)
	}
	var customization unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(`
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: workload}
spec:
  target: {apiVersion: "example.com/*", kind: Workload, label: a}
  customizations:
    healthInterpretation:
      luaScript: function InterpretHealth(o) return true end
      celExpression: "true"
`), &customization); err != nil {
		log.Fatal(err)
	}
	_, dropped, errs := schema.Admit(context.Background(), &customization)
	fmt.Println("dropped:", dropped)
	fmt.Println(errs.ToAggregate())
	// Output:
	// dropped: [spec.target.label]
	// spec.customizations.healthInterpretation: Invalid value: exactly one of luaScript and celExpression must be set, got both
}
