package members_test

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/controllers/members"
)

func Example() {
	all := members.New(func(cluster string, object *unstructured.Unstructured) {
		fmt.Println("changed in", cluster, object.GetName())
	}, func(cluster string) {
		fmt.Println("known now:", cluster)
	})
	// all.Connect(ctx, "member1", config) makes it reachable.
	_, err := all.Get("member1")
	fmt.Println(errors.Is(err, members.ErrNotConnected), all.Names())
	// Output: true []
}
