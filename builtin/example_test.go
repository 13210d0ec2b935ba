package builtin_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	client := interpreter.Client{Interpreter: interpreter.Chain{builtin.Interpreter{}, builtin.Generic{}}}
	deployment := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   map[string]any{"name": "web", "namespace": "shop", "generation": int64(2)},
		"spec":       map[string]any{"replicas": int64(3)},
		"status":     map[string]any{"observedGeneration": int64(2), "updatedReplicas": int64(1)},
	}}
	health, err := client.InterpretHealth(context.Background(), deployment)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", health.State, health.Message)
	// Output: Progressing: 1 of 3 replicas updated
}

func ExamplePodTemplatePaths() {
	fmt.Println(builtin.PodTemplatePaths(schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}))
	// Output: [[spec jobTemplate spec template]]
}
