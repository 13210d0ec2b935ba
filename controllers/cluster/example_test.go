package cluster_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/cluster"
)

// A Cluster says where its API server is, and in which Secret the token for it.
func ExampleRESTConfig() {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-cluster", Name: "member1"},
		Data:       map[string][]byte{cluster.TokenKey: []byte("secret"), cluster.CABundleKey: []byte("PEM")},
	}
	config, err := cluster.RESTConfig(context.Background(), fake.NewClientBuilder().WithObjects(secret).Build(), &clusterv1alpha1.Cluster{
		Spec: clusterv1alpha1.ClusterSpec{
			APIEndpoint: "https://member1.example.com:6443",
			SecretRef:   &clusterv1alpha1.LocalSecretReference{Namespace: secret.Namespace, Name: secret.Name},
		},
	})
	fmt.Println(config.Host, config.BearerToken, err)
	// Output: https://member1.example.com:6443 secret <nil>
}
