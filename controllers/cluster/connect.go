package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Keys of the Secret with which a cluster is reached.
const (
	// TokenKey holds the bearer token.
	TokenKey = "token"
	// CABundleKey holds the certificates of the authority, in PEM.
	CABundleKey = "caBundle"
)

// RESTConfig returns how the cluster is reached: its endpoint, with the token and the authority in its Secret.
func RESTConfig(ctx context.Context, reader client.Reader, cluster *clusterv1alpha1.Cluster) (*rest.Config, error) {
	spec := &cluster.Spec
	if spec.APIEndpoint == "" {
		return nil, errors.New("spec.apiEndpoint: want the URL of the cluster's API server, got none")
	}
	if spec.SecretRef == nil {
		return nil, errors.New("spec.secretRef: want a Secret with the keys token and caBundle, got none")
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: spec.SecretRef.Namespace, Name: spec.SecretRef.Name}
	if err := reader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("spec.secretRef: get Secret %s: %w", key, err)
	}
	token := secret.Data[TokenKey]
	if len(token) == 0 {
		return nil, fmt.Errorf("spec.secretRef: Secret %s: want a token under the key %s, got none", key, TokenKey)
	}
	host := spec.APIEndpoint
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	config := &rest.Config{Host: host, BearerToken: strings.TrimSpace(string(token)), UserAgent: "dragoman-controller-manager"}
	if spec.InsecureSkipTLSVerification {
		config.Insecure = true
	} else {
		config.CAData = secret.Data[CABundleKey]
	}
	if spec.ProxyURL != "" {
		proxy, err := url.Parse(spec.ProxyURL)
		if err != nil {
			return nil, fmt.Errorf("spec.proxyURL: %w", err)
		}
		config.Proxy = http.ProxyURL(proxy)
		if len(spec.ProxyHeader) > 0 {
			header := http.Header{}
			for k, v := range spec.ProxyHeader {
				header.Set(k, v)
			}
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				if t, ok := next.(*http.Transport); ok {
					t = t.Clone()
					t.ProxyConnectHeader = header
					return t
				}
				return next
			})
		}
	}
	return config, nil
}
