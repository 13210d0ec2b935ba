package webhook_test

import (
	"context"
	"fmt"
	"net"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// Cache is an operator's own type.
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Nodes int32 `json:"nodes"`
	} `json:"spec"`
	Status CacheStatus `json:"status"`
}

type CacheStatus struct {
	Phase string `json:"phase"`
}

// A kind is written on the operator's types, served over TLS, and asked like any other Interpreter.
func Example() {
	caches := webhook.Kind[Cache, CacheStatus]{
		Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Cache"},
		Revise: func(_ context.Context, c *Cache, replicas int32) error {
			c.Spec.Nodes = replicas
			return nil
		},
		Health: func(_ context.Context, c *Cache) (interpreter.Health, error) {
			return interpreter.HealthOf(c.Status.Phase == "Up"), nil
		},
	}

	self, bundle, err := webhook.SelfSigned([]string{"127.0.0.1"}, time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := webhook.Server{Interpreter: caches, Certificate: certificate(self)}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan error)
	go func() { done <- server.Serve(ctx, listener) }()

	set := webhook.New(configuration("https://"+listener.Addr().String(), bundle), webhook.Options{})
	client := interpreter.Client{Interpreter: set}
	cache := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Cache", "metadata": map[string]any{"name": "c"},
		"spec": map[string]any{"nodes": int64(1), "color": "blue"},
	}}
	revised, err := client.ReviseReplica(ctx, cache, 3, interpreter.Placement{})
	fmt.Println(revised.Object["spec"], err)
	health, err := client.InterpretHealth(ctx, cache)
	fmt.Println(health.State, err)

	set.Close()
	stop()
	fmt.Println(<-done)
	// Output:
	// map[color:blue nodes:3] <nil>
	// Degraded <nil>
	// <nil>
}
