package cluster

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/members"
)

// A cluster is connected anew when anything has changed in how it is reached, and only then.
func TestConnectedAnew(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-cluster", Name: "member1"}, Data: map[string][]byte{TokenKey: []byte("secret")}}
	cl := fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret).Build()
	proxy := func() string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	connected := 0
	c := &Controller{Client: cl, Live: cl, Members: members.New(nil, nil), Connected: func(string) { connected++ }}
	defer c.disconnect("member1")
	cluster := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "member1"},
		Spec: clusterv1alpha1.ClusterSpec{
			APIEndpoint: "http://member1.invalid", ProxyURL: proxy(),
			SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: secret.Namespace, Name: secret.Name},
		},
	}
	for i, step := range []struct {
		reason string
		change func()
	}{
		{"it is new", func() {}},
		{"another proxy", func() { cluster.Spec.ProxyURL = proxy() }},
		{"another header for the proxy", func() { cluster.Spec.ProxyHeader = map[string]string{"Proxy-Authorization": "Basic eA=="} }},
		{"another token", func() {
			secret.Data[TokenKey] = []byte("other")
			require.NoError(t, cl.Update(t.Context(), secret))
		}},
		{"no proxy", func() { cluster.Spec.ProxyURL, cluster.Spec.ProxyHeader = "", nil }},
	} {
		step.change()
		for range 2 { // the second time nothing has changed
			conn, err := c.connect(t.Context(), cluster)
			require.NoError(t, err)
			require.NoError(t, c.ensureMember(t.Context(), cluster.Name, conn))
			assert.Equal(t, i+1, connected, step.reason)
		}
	}
}
