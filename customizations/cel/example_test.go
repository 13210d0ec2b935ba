package cel_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	engine, err := cel.New(script.Limits{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rule, _, err := engine.Compile(&script.Source{
		Customization: "flink",
		Operation:     interpreter.ReviseReplica,
		Language:      script.CEL,
		Text:          `{"spec": {"taskManager": {"replicas": replicas}}}`,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"metadata":   map[string]any{"name": "basic"},
		"spec":       map[string]any{"taskManager": map[string]any{"replicas": int64(1)}},
	}}
	req := &interpreter.Request{Operation: interpreter.ReviseReplica, Object: object, DesiredReplicas: 5}
	resp, err := rule(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Object.Object["spec"])
	// Output: map[taskManager:map[replicas:5]]
}

func ExampleEngine_Compile_problems() {
	engine, err := cel.New(script.Limits{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, err = engine.Compile(&script.Source{
		Customization: "flink",
		Operation:     interpreter.InterpretHealth,
		Language:      script.CEL,
		Text:          `object.status.jobStatus.state == "RUNNING" && objct.spec.replicas > 0`,
	})
	fmt.Println(err)
	// Output:
	// flink.healthInterpretation:1:47: there is no variable objct: did you mean object?
	//  | object.status.jobStatus.state == "RUNNING" && objct.spec.replicas > 0
	//  |                                               ^
}
