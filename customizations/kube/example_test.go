package kube_test

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/customizations/kube"
)

// An engine binds the functions under their names, checks the arguments of a call, and makes it.
func Example() {
	functions := map[string]kube.Function{}
	for _, f := range kube.Functions() {
		functions[f.Name] = f
	}
	sum := functions["sum"]
	call := func(args ...any) {
		checked, err := sum.Check(args)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(sum.Call(&kube.Call{Context: context.Background()}, checked))
	}
	items := []any{
		map[string]any{"clusterName": "member1", "status": map[string]any{"readyReplicas": int64(2)}},
		map[string]any{"clusterName": "member2", "status": map[string]any{"readyReplicas": int64(3)}},
		map[string]any{"clusterName": "member3"},
	}
	call(items, "readyReplicas")
	call(items, true)
	// Output:
	// 5 <nil>
	// kube.sum: field: want a string, got true
}
