package certificates

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The keys of the Secret. AuthoritiesKey may hold more than one certificate: while an authority is replaced, the old one stays
// until it expires, so that clients that have not heard of the new one are served.
const (
	AuthoritiesKey  = "ca.crt"
	AuthorityKeyKey = "ca.key"
)

// attempts is how often a write is tried again when another replica was faster.
const attempts = 5

// Options say what to keep.
type Options struct {
	// Client reads and writes the Secret and the configurations. It must not read from a cache. Required.
	Client client.Client
	// Secret is where the certificate is kept. It is created when it is missing. Required.
	Secret types.NamespacedName
	// Hosts are the names by which the server is called; the first one is the certificate's common name. Required.
	Hosts []string
	// Validating are the names of the ValidatingWebhookConfigurations whose webhooks trust the certificate.
	Validating []string
	// Period is how often the Secret is looked at; 0 means every ten minutes.
	Period time.Duration
	// Report gets the errors of Start, which tries again after Period; nil drops them.
	Report func(error)
	// Clock tells the time; nil means the system's.
	Clock clock.Clock
}

// A Keeper serves the certificate of a Secret. Make one with New; it is safe for concurrent use.
type Keeper struct {
	options Options
	current atomic.Pointer[tls.Certificate]
}

// New returns a Keeper that has no certificate yet: call Ensure.
func New(o Options) (*Keeper, error) {
	if o.Client == nil || o.Secret.Name == "" || o.Secret.Namespace == "" || len(o.Hosts) == 0 {
		return nil, errors.New("keep a certificate: want a client, the namespace and name of a Secret, and at least one host")
	}
	if o.Period == 0 {
		o.Period = 10 * time.Minute
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Keeper{options: o}, nil
}

// GetCertificate returns the certificate, for tls.Config. It is an error before the first Ensure.
func (k *Keeper) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if certificate := k.current.Load(); certificate != nil {
		return certificate, nil
	}
	return nil, errors.New("there is no certificate yet")
}

// Ensure makes the Secret hold a certificate that is good for a while, serves it, and makes the configurations trust it. A configuration
// that does not exist is left alone.
func (k *Keeper) Ensure(ctx context.Context) error {
	authorities, err := k.ensureSecret(ctx)
	if err != nil {
		return fmt.Errorf("keep the certificate in Secret %s: %w", k.options.Secret, err)
	}
	for _, name := range k.options.Validating {
		if err := k.trust(ctx, name, authorities); err != nil {
			return fmt.Errorf("trust the certificate in ValidatingWebhookConfiguration %s: %w", name, err)
		}
	}
	return nil
}

// Start calls Ensure now and then until ctx ends. It is a controller-runtime Runnable.
func (k *Keeper) Start(ctx context.Context) error {
	for {
		if err := k.Ensure(ctx); err != nil && ctx.Err() == nil {
			k.options.Report(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-k.options.Clock.After(k.options.Period):
		}
	}
}

// NeedLeaderElection tells the manager that every replica keeps the certificate.
func (k *Keeper) NeedLeaderElection() bool { return false }

// ensureSecret returns the authorities of the Secret when it holds a good certificate, which is served from now on.
func (k *Keeper) ensureSecret(ctx context.Context) ([]byte, error) {
	for range attempts {
		authorities, err := k.tryEnsureSecret(ctx)
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue // Another replica wrote one. It is read now.
		}
		return authorities, err
	}
	return nil, errors.New("it changes all the time")
}

func (k *Keeper) tryEnsureSecret(ctx context.Context) ([]byte, error) {
	secret := &corev1.Secret{}
	err := k.options.Client.Get(ctx, k.options.Secret, secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return nil, err
	}
	now := k.options.Clock.Now()
	if certificate := usable(secret.Data, k.options.Hosts, now); certificate != nil {
		k.current.Store(certificate)
		return secret.Data[AuthoritiesKey], nil
	}
	data, err := issue(secret.Data, k.options.Hosts, now)
	if err != nil {
		return nil, err
	}
	if missing {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: k.options.Secret.Namespace, Name: k.options.Secret.Name}
		secret.Type = corev1.SecretTypeTLS
		secret.Data = data
		err = k.options.Client.Create(ctx, secret)
	} else {
		secret.Data = data
		err = k.options.Client.Update(ctx, secret)
	}
	if err != nil {
		return nil, err
	}
	certificate := usable(data, k.options.Hosts, now)
	if certificate == nil {
		return nil, errors.New("the certificate that was issued is of no use")
	}
	k.current.Store(certificate)
	return data[AuthoritiesKey], nil
}

// trust sets the caBundle of all webhooks of a configuration.
func (k *Keeper) trust(ctx context.Context, name string, authorities []byte) error {
	for range attempts {
		configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := k.options.Client.Get(ctx, types.NamespacedName{Name: name}, configuration); err != nil {
			return client.IgnoreNotFound(err)
		}
		changed := false
		for i := range configuration.Webhooks {
			if to := &configuration.Webhooks[i].ClientConfig; !bytes.Equal(to.CABundle, authorities) {
				to.CABundle, changed = authorities, true
			}
		}
		if !changed {
			return nil
		}
		if err := k.options.Client.Update(ctx, configuration); !apierrors.IsConflict(err) {
			return err
		}
	}
	return errors.New("it changes all the time")
}
