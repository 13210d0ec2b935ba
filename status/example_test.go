package status_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/status"
)

func ExampleObservedGeneration() {
	template := map[string]any{"metadata": map[string]any{"generation": int64(3)}}
	items := []interpreter.StatusItem{{
		ClusterName: "member1",
		Status: map[string]any{
			"generation": int64(7), "observedGeneration": int64(7), "resourceTemplateGeneration": int64(3),
		},
	}}
	fmt.Println(status.ObservedGeneration(template, items))
	// Output: 3 true <nil>
}
