package script_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// What a script returns is decoded strictly; an error names the field.
func ExampleDecode() {
	req := &interpreter.Request{
		Operation: interpreter.InterpretComponent,
		Object:    &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Thing"}},
	}
	resp, err := script.Decode(req, []any{map[string]any{"name": "main", "replicas": 2.0}})
	fmt.Println(resp.Components[0].Name, resp.Components[0].Replicas, err)
	_, err = script.Decode(req, []any{map[string]any{"name": "main", "replicas": 2.9}})
	fmt.Println(err)
	// Output:
	// main 2 <nil>
	// components[0].replicas: want a whole number, got 2.9
}

// A problem shows its place.
func ExampleProblem() {
	fmt.Println(&script.Problem{
		Source: &script.Source{
			Customization: "flink", Operation: interpreter.InterpretHealth, File: "flink.yaml", Line: 12,
			Text: "stauts.phase == 'Running'",
		},
		Line: 1, Column: 1, Message: `undeclared reference to "stauts"`,
	})
	// Output:
	// flink.yaml:12:1: undeclared reference to "stauts"
	//  | stauts.phase == 'Running'
	//  | ^
}
