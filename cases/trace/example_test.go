package trace_test

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cases/trace"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, _, err := engines[script.CEL].Compile(&script.Source{
		Link: "customizations", Customization: "widgets", Operation: interpreter.InterpretHealth, Language: script.CEL,
		Text: "object.status.ready >= object.spec.replicas",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := trace.New()
	_, err = answer(interpreter.WithTrace(context.Background(), recorder.Trace()), &interpreter.Request{
		Operation: interpreter.InterpretHealth, Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget",
			"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"ready": int64(1)},
		}},
	})
	if err != nil {
		fmt.Println(err)
	}
	if err := recorder.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// customizations widgets.healthInterpretation (cel)
	//      1:21  object.status.ready >= object.spec.replicas = false
	//      1:14    object.status.ready = 1
	//      1:7       object.status = {"ready":1}
	//      1:35    object.spec.replicas = 2
	//      1:30      object.spec = {"replicas":2}
	//   read: object.spec.replicas, object.status.ready
	//   cost: 7 steps, 40 bytes
	//   answered
}
