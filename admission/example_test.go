package admission_test

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// A file is checked as the control plane would check its objects.
func Example() {
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	checker := admission.Checker{Engines: engines}
	report := checker.Files(context.Background(), admission.File{Name: "rules.yaml", Data: []byte(`
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    replicaResource:
      celExpression: object.spec.replicas +
`)})
	for _, problem := range report.Problems {
		fmt.Println(problem.Error())
	}
	// Output:
	// rules.yaml:9:44: ResourceInterpreterCustomization widgets: spec.customizations.replicaResource: the expression ends here, where something is missing
	//  | object.spec.replicas +
	//  |                       ^
}
