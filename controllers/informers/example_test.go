package informers_test

import (
	"fmt"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/dragoman-io/dragoman/controllers/informers"
)

// A cache that is made with these options makes its informers there.
func Example() {
	held := informers.For(clientgoscheme.Scheme)
	options := cache.Options{Scheme: clientgoscheme.Scheme, NewInformer: held.New}
	fmt.Println(options.NewInformer != nil, len(held.Objects()))
	// Output: true 0
}
