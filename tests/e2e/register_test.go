package e2e

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestRegisteredMemberCanBeReached(t *testing.T) {
	require.NoError(t, Federation().Register(t.Context()))
	controlPlane := Federation().ControlPlane().Dynamic()
	for _, member := range Federation().Members() {
		cluster, err := controlPlane.Resource(clusterv1alpha1.GroupVersion.WithResource("clusters")).
			Get(t.Context(), member.Name, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "Push", text(cluster, "spec", "syncMode"))
		secret, err := controlPlane.Resource(namespaces.GroupVersion().WithResource("secrets")).
			Namespace(text(cluster, "spec", "secretRef", "namespace")).
			Get(t.Context(), text(cluster, "spec", "secretRef", "name"), metav1.GetOptions{})
		require.NoError(t, err)
		token, err := base64.StdEncoding.DecodeString(text(secret, "data", "token"))
		require.NoError(t, err)
		authority, err := base64.StdEncoding.DecodeString(text(secret, "data", "caBundle"))
		require.NoError(t, err)

		client, err := dynamic.NewForConfig(&rest.Config{
			Host:            text(cluster, "spec", "apiEndpoint"),
			BearerToken:     string(token),
			TLSClientConfig: rest.TLSClientConfig{CAData: authority},
		})
		require.NoError(t, err)
		nodes, err := client.Resource(namespaces.GroupVersion().WithResource("nodes")).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, nodes.Items, 3)
		assert.Contains(t, nodes.Items[0].GetName(), member.Name)
	}
}
