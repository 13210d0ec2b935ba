package observability_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/interpreter"
)

func ExampleMetrics() {
	registry := prometheus.NewRegistry()
	metrics, err := observability.NewMetrics(registry)
	if err != nil {
		fmt.Println(err)
		return
	}
	healthy := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
		}
	})
	client := interpreter.Client{Interpreter: interpreter.Wrap(healthy, metrics.Link("mine"))}
	_, err = client.InterpretHealth(context.Background(), widget())
	fmt.Println(err, testutil.CollectAndCount(registry, "dragoman_interpreter_answers_total"))
	// Output: <nil> 1
}
