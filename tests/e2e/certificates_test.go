package e2e

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/certificates"
)

// TestWebhookIsTrusted has the API server call a webhook whose certificate is kept in a Secret.
func TestWebhookIsTrusted(t *testing.T) {
	c := Federation().ControlPlane()
	namespace := NewNamespace(t, c)
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	Apply(t, c, namespace, strings.NewReplacer("NAMESPACE", namespace, "ADDRESS", listener.Addr().String()).Replace(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAMESPACE}
webhooks:
- name: test.dragoman.io
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  clientConfig: {url: "https://ADDRESS/"}
`))
	direct, err := client.New(c.Config(), client.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		require.NoError(t, direct.Delete(cleanupContext(t), configuration))
	})
	keeper, err := certificates.New(certificates.Options{
		Client: direct, Secret: types.NamespacedName{Namespace: namespace, Name: "tls"}, Hosts: []string{"127.0.0.1"}, Validating: []string{namespace},
	})
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&review)) {
			return
		}
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Allowed: review.Request.Name != "refused", Result: &metav1.Status{Message: "asked and refused"},
		}
		assert.NoError(t, json.NewEncoder(w).Encode(review))
	})}
	serving := make(chan error, 1)
	go func() {
		serving <- server.Serve(tls.NewListener(listener, &tls.Config{GetCertificate: keeper.GetCertificate, MinVersion: tls.VersionTLS12}))
	}()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-serving, http.ErrServerClosed)
	})
	create := func(name string) error {
		return direct.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	}

	require.ErrorContains(t, create("early"), "failed calling webhook", "nobody trusts it before there is a certificate")
	require.NoError(t, keeper.Ensure(t.Context()))
	WaitFor(t, "the API server to trust the webhook", func(context.Context) error {
		return client.IgnoreAlreadyExists(create("accepted"))
	})
	require.ErrorContains(t, create("refused"), "asked and refused")
}
