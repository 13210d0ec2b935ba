package cluster

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Ready follows what is seen only when it has been seen for long enough.
func TestReadyFollowsAfterTheThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Controller{FailureThreshold: 30 * time.Second, SuccessThreshold: 10 * time.Second}
		cluster, conn := &clusterv1alpha1.Cluster{}, &connection{}
		see := func(online bool) metav1.ConditionStatus {
			ready := c.settled(cluster, conn, condition(online, online, "", 1))
			meta.SetStatusCondition(&cluster.Status.Conditions, ready)
			return ready.Status
		}
		assert.Equal(t, metav1.ConditionTrue, see(true), "the first time counts at once")
		time.Sleep(time.Minute)
		assert.Equal(t, metav1.ConditionTrue, see(false), "it has only begun to fail")
		time.Sleep(29 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, see(false))
		assert.Equal(t, metav1.ConditionTrue, see(true), "it answers again: the failure is forgotten")
		assert.Equal(t, metav1.ConditionTrue, see(false))
		time.Sleep(30 * time.Second)
		assert.Equal(t, metav1.ConditionFalse, see(false), "it failed for long enough")
		assert.Equal(t, metav1.ConditionFalse, see(true))
		time.Sleep(10 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, see(true), "it answered for long enough")
	})
}

func TestRESTConfigSaysWhatIsMissing(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	secret := func(data map[string][]byte) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-cluster", Name: "m1"}, Data: data}
	}
	ref := &clusterv1alpha1.LocalSecretReference{Namespace: "karmada-cluster", Name: "m1"}
	for _, tc := range []struct {
		reason string
		spec   clusterv1alpha1.ClusterSpec
		secret *corev1.Secret
		want   string
	}{
		{"no endpoint", clusterv1alpha1.ClusterSpec{}, secret(nil), "spec.apiEndpoint: want the URL of the cluster's API server, got none"},
		{"no secret", clusterv1alpha1.ClusterSpec{APIEndpoint: "m1:6443"}, secret(nil), "spec.secretRef: want a Secret with the keys token and caBundle, got none"},
		{"no token", clusterv1alpha1.ClusterSpec{APIEndpoint: "m1:6443", SecretRef: ref}, secret(nil), "spec.secretRef: Secret karmada-cluster/m1: want a token under the key token, got none"},
		{"all there", clusterv1alpha1.ClusterSpec{APIEndpoint: "m1:6443", SecretRef: ref}, secret(map[string][]byte{"token": []byte("t\n"), "caBundle": []byte("ca")}), ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			reader := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.secret).Build()
			config, err := RESTConfig(t.Context(), reader, &clusterv1alpha1.Cluster{Spec: tc.spec})
			if tc.want != "" {
				require.EqualError(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"https://m1:6443", "t", "ca"}, []string{config.Host, config.BearerToken, string(config.CAData)})
		})
	}
}
