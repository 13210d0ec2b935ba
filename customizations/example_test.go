package customizations_test

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	data := []byte(`
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata:
  name: web
spec:
  target:
    apiVersion: apps.example.com/*
    kind: Web
  customizations:
    replicaResource:
      celExpression: "3"
`)
	cs, err := customizations.Decode("web.yaml", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	var live customizations.Live
	live.Store(customizations.New(options(&wordEngine{})).With(cs...))

	client := interpreter.Client{Interpreter: &live}
	replicas, _, err := client.InterpretReplica(context.Background(), object("apps.example.com/v1", "Web"))
	fmt.Println(replicas, err)
	for _, source := range live.Explain(object("apps.example.com/v1", "Web").GroupVersionKind(), interpreter.InterpretReplica) {
		fmt.Println(source, source.Position)
	}
	// Output:
	// 3 <nil>
	// customizations web.replicaResource (cel) web.yaml:12
}
