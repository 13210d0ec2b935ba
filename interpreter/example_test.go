package interpreter_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

// A rule of one's own for one kind, in front of one for every kind. The first extends what the second answers.
func Example() {
	paused := interpreter.Func(func(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
		if gvk.Kind != "Crontab" || op != interpreter.InterpretHealth {
			return nil
		}
		return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			if suspended, _, _ := unstructured.NestedBool(req.Object.Object, "spec", "suspend"); suspended {
				return &interpreter.Response{Health: interpreter.Health{State: interpreter.Suspended, Message: "spec.suspend is true"}}, nil
			}
			return interpreter.Next(ctx, req)
		}
	})
	everything := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
		}
	})

	client := interpreter.Client{Interpreter: interpreter.Chain{paused, everything}}
	for _, suspend := range []bool{true, false} {
		crontab := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Crontab",
			"metadata": map[string]any{"name": "nightly"},
			"spec":     map[string]any{"suspend": suspend},
		}}
		health, err := client.InterpretHealth(context.Background(), crontab)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q healthy=%t\n", health.State, health.Message, health.Healthy())
	}
	// Output:
	// Suspended "spec.suspend is true" healthy=true
	// Healthy "" healthy=true
}
