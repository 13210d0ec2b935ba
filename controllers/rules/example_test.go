package rules_test

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/controllers/rules"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// Until the control plane's rules are loaded every question is an error, never another link's answer.
func Example() {
	live := rules.New(customizations.Options{Link: "customizations"}, webhook.Options{})
	// live.SetupWithManager(mgr) loads them, and keeps them current.
	client := interpreter.Client{Interpreter: live}
	_, err := client.InterpretHealth(context.Background(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "default"},
	}})
	fmt.Println(errors.Is(err, interpreter.ErrNotReady), err)
	fmt.Println(live.Ready(nil))
	// Output:
	// true InterpretHealth apps/v1 Deployment default/web: rules are not loaded yet
	// customizations and webhooks are not loaded yet
}
