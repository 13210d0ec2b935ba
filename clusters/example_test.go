package clusters_test

import (
	"context"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/clusters"
)

func ExampleStart() {
	ctx := context.Background()
	federation, err := clusters.Start(ctx, clusters.Options{Members: 1, Out: os.Stderr})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := federation.Stop(); err != nil {
			fmt.Println(err)
		}
	}()
	nodes, err := federation.Cluster("member1").Dynamic().
		Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, node := range nodes.Items {
		fmt.Println(node.GetName())
	}
	// Output:
	// member1-node-1
	// member1-node-2
	// member1-node-3
}
