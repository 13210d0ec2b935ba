package cases_test

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Any interpreter can be tested by case files.
func Example() {
	found, err := cases.Decode("replicas.yaml", []byte(`
name: a widget has three replicas
reason: widgets always do
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
output: {replica: 3}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	two := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
			return &interpreter.Response{Replicas: 2}, nil
		}
	})
	results := cases.Runner{Rules: cases.Fixed(two)}.Run(context.Background(), found)
	if err := (cases.Text{}).Write(os.Stdout, results); err != nil {
		fmt.Println(err)
	}
	// Output:
	// FAIL  a widget has three replicas  (replicas.yaml:2)
	//       replica  want 3  got 2
	// 0 passed, 1 failed
}
