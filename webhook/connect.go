package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// endpointKey identifies the endpoint of a webhook: where it is, and whom it is trusted as.
func (r *remote) endpointKey() string {
	address, _ := r.address()
	key := address + "\n"
	if r.webhook.ClientConfig.Service != nil {
		key += "service"
	}
	if ref := r.webhook.ClientCertificate; ref != nil {
		key += ref.Namespace + "/" + ref.Name
	}
	return key + "\n" + string(r.webhook.ClientConfig.CABundle)
}

// newEndpoint returns the endpoint of r.
func (o Options) newEndpoint(r *remote) (*endpoint, error) {
	address, err := r.address()
	if err != nil {
		return nil, err
	}
	config, err := o.tlsConfig(r)
	if err != nil {
		return nil, err
	}
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: maxTimeout}).DialContext
	}
	e := &endpoint{url: address, header: requestHeader(), maxResponse: o.MaxResponseBytes}
	dial = gatheredDial(counted(dial, &e.connections))
	transport := newTransport(config, dial)
	transport.Proxy = http.ProxyFromEnvironment
	if service := r.webhook.ClientConfig.Service; service != nil {
		transport.Proxy = nil
		if o.Services != nil {
			transport.DialContext = dialService(o.Services, dial, *service)
		}
	}
	e.transport = transport
	return e, nil
}

func (o Options) tlsConfig(r *remote) (*tls.Config, error) {
	config := o.TLS.Clone()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if bundle := r.webhook.ClientConfig.CABundle; len(bundle) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(bundle) {
			return nil, errors.New("clientConfig.caBundle: want certificates in PEM, got none")
		}
	}
	if s := r.webhook.ClientConfig.Service; s != nil {
		config.ServerName = s.Name + "." + s.Namespace + ".svc"
	}
	if ref := r.webhook.ClientCertificate; ref != nil {
		source := o.Certificates
		if source == nil {
			return nil, fmt.Errorf("clientCertificate: Secret %s/%s: no source of certificates was configured", ref.Namespace, ref.Name)
		}
		secret := *ref
		config.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			certificate, err := source.Certificate(info.Context(), secret)
			if err != nil {
				return nil, &resolveError{fmt.Errorf("clientCertificate: Secret %s/%s: %w", secret.Namespace, secret.Name, err)}
			}
			return certificate, nil
		}
	}
	return config, nil
}

// resolveError is the error of something that has to be found before a connection can be tried.
type resolveError struct{ error }

func (e *resolveError) Unwrap() error { return e.error }

func servicePort(s *configv1alpha1.ServiceReference) string {
	if s.Port == nil {
		return "443"
	}
	return strconv.Itoa(int(*s.Port))
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialService returns a dial function that goes to where the Service is now, whatever the address.
func dialService(services ServiceSource, dial dialFunc, ref configv1alpha1.ServiceReference) dialFunc {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		address, err := resolve(ctx, services, ref)
		if err != nil {
			return nil, &resolveError{fmt.Errorf("service %s/%s: %w", ref.Namespace, ref.Name, err)}
		}
		return dial(ctx, network, address)
	}
}

// resolve returns the address of the Service: its cluster IP or external name. One that does not exist here is left to
// DNS, since it may be in the cluster that this process runs in.
func resolve(ctx context.Context, services ServiceSource, ref configv1alpha1.ServiceReference) (string, error) {
	port := servicePort(&ref)
	service, err := services.Service(ctx, ref.Namespace, ref.Name)
	if apierrors.IsNotFound(err) {
		return net.JoinHostPort(ref.Name+"."+ref.Namespace+".svc", port), nil
	}
	if err != nil {
		return "", err
	}
	switch service.Spec.Type {
	case corev1.ServiceTypeExternalName:
		if service.Spec.ExternalName == "" {
			return "", errors.New("spec.externalName: want a name, got none")
		}
		return net.JoinHostPort(service.Spec.ExternalName, port), nil
	case "", corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer:
		if ip := service.Spec.ClusterIP; ip == "" || ip == corev1.ClusterIPNone {
			return "", fmt.Errorf("spec.clusterIP: want an address, got %q", ip)
		}
		if !hasPort(service, port) {
			return "", fmt.Errorf("spec.ports: want port %s among them, got %s", port, portList(service))
		}
		return net.JoinHostPort(service.Spec.ClusterIP, port), nil
	default:
		return "", fmt.Errorf("spec.type: want ClusterIP, NodePort, LoadBalancer or ExternalName, got %q", service.Spec.Type)
	}
}

func hasPort(service *corev1.Service, port string) bool {
	for _, p := range service.Spec.Ports {
		if strconv.Itoa(int(p.Port)) == port {
			return true
		}
	}
	return false
}

func portList(service *corev1.Service) string {
	if len(service.Spec.Ports) == 0 {
		return "none"
	}
	ports := make([]string, len(service.Spec.Ports))
	for i, p := range service.Spec.Ports {
		ports[i] = strconv.Itoa(int(p.Port))
	}
	return strings.Join(ports, ", ")
}
