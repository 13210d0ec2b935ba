package certificates

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const host = "dragoman.dragoman-system.svc"

var secretName = types.NamespacedName{Namespace: "dragoman-system", Name: "dragoman-tls"}

// configuration returns a configuration with two webhooks that trust nobody.
func configuration() *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "dragoman"},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{{Name: "a"}, {Name: "b"}},
	}
}

// newKeeper returns a Keeper on a clock that begins now.
func newKeeper(t *testing.T, c client.Client, clock *testingclock.FakeClock) *Keeper {
	t.Helper()
	k, err := New(Options{Client: c, Secret: secretName, Hosts: []string{host, "127.0.0.1"}, Validating: []string{"dragoman", "missing"}, Clock: clock})
	require.NoError(t, err)
	return k
}

// newClient returns a client of an API server with the objects.
func newClient(objects ...runtime.Object) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(scheme.Scheme).WithRuntimeObjects(objects...).Build()
}

func newClock() *testingclock.FakeClock {
	return testingclock.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
}

// served verifies what the Keeper serves as a client would that trusts the configuration's caBundle, and returns it.
func served(t *testing.T, k *Keeper, c client.Client, now time.Time) *x509.Certificate {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	require.NoError(t, c.Get(t.Context(), types.NamespacedName{Name: "dragoman"}, configuration))
	certificate, err := k.GetCertificate(&tls.ClientHelloInfo{})
	require.NoError(t, err)
	for _, webhook := range configuration.Webhooks {
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(webhook.ClientConfig.CABundle))
		for _, name := range []string{host, "127.0.0.1"} {
			_, err = certificate.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now})
			require.NoError(t, err, name)
		}
	}
	return certificate.Leaf
}

func TestCertificateIsIssuedOnce(t *testing.T) {
	c, clock := newClient(configuration()), newClock()
	first := newKeeper(t, c, clock)
	_, err := first.GetCertificate(nil)
	require.ErrorContains(t, err, "no certificate yet")
	require.NoError(t, first.Ensure(t.Context()))
	one := served(t, first, c, clock.Now())

	second := newKeeper(t, c, clock)
	require.NoError(t, second.Ensure(t.Context()))
	require.NoError(t, first.Ensure(t.Context()))
	assert.Equal(t, one.SerialNumber, served(t, second, c, clock.Now()).SerialNumber, "replicas share it")
	assert.Equal(t, one.SerialNumber, served(t, first, c, clock.Now()).SerialNumber)

	secret := &corev1.Secret{}
	require.NoError(t, c.Get(t.Context(), secretName, secret))
	assert.Equal(t, corev1.SecretTypeTLS, secret.Type)
}

func TestCertificateIsRenewedInTime(t *testing.T) {
	c, clock := newClient(configuration()), newClock()
	k := newKeeper(t, c, clock)
	require.NoError(t, k.Ensure(t.Context()))
	one := served(t, k, c, clock.Now())

	clock.Step(certificateLife / 2)
	require.NoError(t, k.Ensure(t.Context()))
	assert.Equal(t, one.SerialNumber, served(t, k, c, clock.Now()).SerialNumber, "half of its life is enough")

	clock.Step(certificateLife / 4)
	require.NoError(t, k.Ensure(t.Context()))
	two := served(t, k, c, clock.Now())
	assert.NotEqual(t, one.SerialNumber, two.SerialNumber)
	assert.Equal(t, one.AuthorityKeyId, two.AuthorityKeyId, "of the same authority")
}

func TestReplacedAuthorityStaysTrusted(t *testing.T) {
	c, clock := newClient(configuration()), newClock()
	k := newKeeper(t, c, clock)
	require.NoError(t, k.Ensure(t.Context()))
	one := served(t, k, c, clock.Now())

	clock.Step(authorityLife * 3 / 4)
	require.NoError(t, k.Ensure(t.Context()))
	two := served(t, k, c, clock.Now())
	assert.NotEqual(t, one.AuthorityKeyId, two.AuthorityKeyId)
	secret := &corev1.Secret{}
	require.NoError(t, c.Get(t.Context(), secretName, secret))
	assert.Len(t, parseCertificates(secret.Data[AuthoritiesKey]), 2, "another replica may still serve the old certificate")

	clock.Step(authorityLife / 2)
	require.NoError(t, k.Ensure(t.Context()))
	served(t, k, c, clock.Now())
	require.NoError(t, c.Get(t.Context(), secretName, secret))
	assert.Len(t, parseCertificates(secret.Data[AuthoritiesKey]), 1, "what has expired is dropped")
}

func TestUnusableSecretIsReplaced(t *testing.T) {
	clock := newClock()
	good, err := issue(nil, []string{host, "127.0.0.1"}, clock.Now())
	require.NoError(t, err)
	foreign, err := issue(nil, []string{host, "127.0.0.1"}, clock.Now())
	require.NoError(t, err)
	other, err := issue(good, []string{"other.svc"}, clock.Now())
	require.NoError(t, err)
	with := func(data map[string][]byte, key string, value []byte) map[string][]byte {
		changed := map[string][]byte{key: value}
		for k, v := range data {
			if k != key {
				changed[k] = v
			}
		}
		return changed
	}
	tests := []struct {
		reason string
		data   map[string][]byte
	}{
		{"an empty Secret, made by hand", nil},
		{"no key", with(good, corev1.TLSPrivateKeyKey, nil)},
		{"the key of another certificate", with(good, corev1.TLSPrivateKeyKey, foreign[corev1.TLSPrivateKeyKey])},
		{"no authority", with(good, AuthoritiesKey, nil)},
		{"an authority that did not sign", with(good, AuthoritiesKey, foreign[AuthoritiesKey])},
		{"the key of another authority", with(good, AuthorityKeyKey, foreign[AuthorityKeyKey])},
		{"nonsense", with(with(good, AuthoritiesKey, []byte("x")), corev1.TLSCertKey, []byte("y"))},
		{"for other hosts", other},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := newClient(configuration(), &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name}, Data: test.data,
			})
			k := newKeeper(t, c, clock)
			require.NoError(t, k.Ensure(t.Context()))
			served(t, k, c, clock.Now())
		})
	}
}

func TestFasterReplicaWins(t *testing.T) {
	base, clock := newClient(configuration()), newClock()
	faster := newKeeper(t, base, clock)
	raced := false
	slow := interceptor.NewClient(base, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
			raced = true
			if err := faster.Ensure(ctx); err != nil {
				return err
			}
			return c.Create(ctx, object, opts...)
		},
	})
	k := newKeeper(t, slow, clock)
	require.NoError(t, k.Ensure(t.Context()))
	require.True(t, raced)
	assert.Equal(t, served(t, faster, base, clock.Now()).SerialNumber, served(t, k, base, clock.Now()).SerialNumber)
}

func TestErrorsSayWhere(t *testing.T) {
	broken := errors.New("broken")
	c := interceptor.NewClient(newClient(), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return broken
		},
	})
	err := newKeeper(t, c, newClock()).Ensure(t.Context())
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "keep the certificate in Secret dragoman-system/dragoman-tls")
	_, err = New(Options{Client: c, Secret: secretName})
	require.ErrorContains(t, err, "at least one host")
}

func TestStartTriesAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clock := newClock()
	var calls int
	c := interceptor.NewClient(newClient(), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("broken")
		},
	})
	k, err := New(Options{Client: c, Secret: secretName, Hosts: []string{host}, Clock: clock, Report: func(error) {
		if calls++; calls == 3 {
			cancel()
		}
	}})
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- k.Start(ctx) }()
	for ctx.Err() == nil {
		if clock.HasWaiters() {
			clock.Step(10 * time.Minute)
		}
	}
	require.NoError(t, <-done)
	assert.Equal(t, 3, calls)
	assert.False(t, k.NeedLeaderElection())
}
