package certificates_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dragoman-io/dragoman/controllers/certificates"
)

func ExampleKeeper() {
	keeper, err := certificates.New(certificates.Options{
		Client: fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(),
		Secret: types.NamespacedName{Namespace: "dragoman-system", Name: "dragoman-tls"},
		Hosts:  []string{"dragoman.dragoman-system.svc"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := keeper.Ensure(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	certificate, err := keeper.GetCertificate(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(certificate.Leaf.DNSNames)
	// Output: [dragoman.dragoman-system.svc]
}
