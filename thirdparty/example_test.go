package thirdparty_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

func Example() {
	catalogue, err := thirdparty.New(script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := interpreter.Client{Interpreter: catalogue}
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch.volcano.sh/v1alpha1",
		"kind":       "Job",
		"metadata":   map[string]any{"name": "train", "namespace": "ml"},
		"spec": map[string]any{"tasks": []any{
			map[string]any{"name": "ps", "minAvailable": int64(1)},
			map[string]any{"name": "worker", "minAvailable": int64(4)},
		}},
	}}
	components, err := client.InterpretComponent(context.Background(), job)
	for _, c := range components {
		fmt.Println(c.Name, c.Replicas)
	}
	fmt.Println(err)
	// Output:
	// ps 1
	// worker 4
	// <nil>
}
