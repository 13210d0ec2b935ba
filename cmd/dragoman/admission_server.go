package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/dragoman-io/dragoman/admission"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	serving "github.com/dragoman-io/dragoman/controllers/certificates"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// admissionOptions are the flags of the webhooks that check rules when they are written.
type admissionOptions struct {
	address       string
	secret        string
	hosts         []string
	configuration string
}

func (o *admissionOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "webhook-bind-address", "0", "where to check customizations when they are written, such as :9443; 0 means nowhere")
	f.StringVar(&o.secret, "webhook-secret", "karmada-system/dragoman-tls", "NAMESPACE/NAME of the Secret in the control plane that keeps the certificate; it is created")
	f.StringSliceVar(&o.hosts, "webhook-host", []string{"dragoman.karmada-system.svc"}, "the names by which the API server calls the webhooks")
	f.StringVar(&o.configuration, "webhook-configuration", "dragoman", "the ValidatingWebhookConfiguration that is made to trust the certificate")
}

// bind returns where the webhooks are served; nothing when they are not.
func (o *admissionOptions) bind() (host string, port int, err error) {
	if o.address == "0" {
		return "", 0, nil
	}
	host, text, err := net.SplitHostPort(o.address)
	if err != nil {
		return "", 0, fmt.Errorf("--webhook-bind-address: want HOST:PORT, :PORT, or 0 for nowhere, got %q", o.address)
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil || number == 0 {
		return "", 0, fmt.Errorf("--webhook-bind-address: want a port from 1 to 65535, got %q", text)
	}
	return host, int(number), nil
}

// server returns the server of the webhooks, which is the manager's to start, and what keeps its certificate. Both are nil when no webhooks
// are asked for.
func (o *admissionOptions) server(ctx context.Context, direct client.Client) (ctrlwebhook.Server, *serving.Keeper, error) {
	if o.address == "0" {
		return nil, nil, nil
	}
	host, port, err := o.bind()
	if err != nil {
		return nil, nil, err
	}
	namespace, name, ok := strings.Cut(o.secret, "/")
	if !ok {
		return nil, nil, fmt.Errorf("--webhook-secret: want NAMESPACE/NAME, got %q", o.secret)
	}
	keeper, err := serving.New(serving.Options{
		Client:     direct,
		Secret:     types.NamespacedName{Namespace: namespace, Name: name},
		Hosts:      o.hosts,
		Validating: []string{o.configuration},
		Report:     func(err error) { ctrl.LoggerFrom(ctx).Error(err, "the webhooks' certificate is not kept up to date") },
	})
	if err != nil {
		return nil, nil, err
	}
	if err := keeper.Ensure(ctx); err != nil {
		return nil, nil, err
	}
	return ctrlwebhook.NewServer(ctrlwebhook.Options{
		Host: host, Port: port,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) {
			c.MinVersion = tls.VersionTLS12
			c.GetCertificate = keeper.GetCertificate
		}},
	}), keeper, nil
}

// addAdmission makes mgr, which was made with the server, answer admission reviews and keep the certificate.
func addAdmission(mgr ctrl.Manager, keeper *serving.Keeper, engines map[script.Language]script.Engine) error {
	handler := &admission.Handler{
		Checker: admission.Checker{Engines: engines},
		Existing: func(ctx context.Context) ([]customizations.Customization, error) {
			var list configv1alpha1.ResourceInterpreterCustomizationList
			if err := mgr.GetClient().List(ctx, &list); err != nil {
				return nil, fmt.Errorf("list ResourceInterpreterCustomizations: %w", err)
			}
			all := make([]customizations.Customization, len(list.Items))
			for i := range list.Items {
				all[i].Object = &list.Items[i]
			}
			return all, nil
		},
	}
	server := mgr.GetWebhookServer()
	server.Register(admission.PathCustomization, handler)
	server.Register(admission.PathWebhookConfiguration, handler)
	if err := mgr.AddReadyzCheck("webhooks", server.StartedChecker()); err != nil {
		return err
	}
	return mgr.Add(keeper)
}
