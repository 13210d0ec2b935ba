package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// webhookOptions are the flags that let a running webhook answer.
type webhookOptions struct {
	url string
	tls clientTLS
}

func (o *webhookOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "webhook", "", "let the interpreter webhook at this URL answer")
	f.StringVar(&o.tls.ca, "webhook-ca", "", "the file with the certificate authorities of --webhook (default those of the system)")
	f.StringVar(&o.tls.cert, "webhook-cert", "", "the file with the client certificate to show to --webhook (PEM)")
	f.StringVar(&o.tls.key, "webhook-key", "", "the file with the key of --webhook-cert (PEM)")
}

// given returns the flags as they were given.
func (o *webhookOptions) given() string {
	var flags strings.Builder
	for _, flag := range []struct{ name, value string }{
		{"webhook", o.url}, {"webhook-ca", o.tls.ca}, {"webhook-cert", o.tls.cert}, {"webhook-key", o.tls.key},
	} {
		if flag.value != "" {
			flags.WriteString(" --" + flag.name + " " + quoted(flag.value))
		}
	}
	return flags.String()
}

// clientTLS are the files with which a webhook is called: the authorities that it is trusted by, and the certificate that
// it is shown. Empty for none.
type clientTLS struct{ ca, cert, key string }

// config returns what the files say. The names of their flags begin with prefix.
func (c clientTLS) config(prefix string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.ca != "" {
		pool, _, err := readAuthorities("--"+prefix+"ca", c.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if (c.cert == "") != (c.key == "") {
		return nil, unusablef("--%[1]scert, --%[1]skey: want both or neither", prefix)
	}
	if c.cert != "" {
		certificate, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, unusablef("--%scert: %w", prefix, err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// interpreter returns the webhook as an interpreter, when somebody is there.
func (o *webhookOptions) interpreter(ctx context.Context) (interpreter.Interpreter, error) {
	config, err := o.tls.config("webhook-")
	if err != nil {
		return nil, err
	}
	set, err := webhook.ForURL(o.url, webhook.Options{TLS: config})
	if err != nil {
		return nil, unusablef("--webhook: %w", err)
	}
	if err := reach(ctx, o.url, config, 10*time.Second); err != nil {
		return nil, unusablef("--webhook: %w", explainUnreachable(fmt.Errorf("%s: %w", o.url, err), o.url, "--webhook-ca"))
	}
	return set, nil
}

// reach tells why nobody answers at an address in time. What is answered does not matter.
func reach(ctx context.Context, address string, config *tls.Config, timeout time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %s", timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return resp.Body.Close()
}

// explainUnreachable adds to the error of a webhook that could not be asked what may mend it; ca is the flag that names
// its authorities.
func explainUnreachable(err error, address, ca string) error {
	var (
		authority x509.UnknownAuthorityError
		broken    *net.OpError
	)
	switch {
	case errors.As(err, &authority):
		return fmt.Errorf("%w (%s names the file with the authorities to trust)", err, ca)
	case strings.HasPrefix(address, "http://") && errors.As(err, &broken) && broken.Op == "read":
		return fmt.Errorf("%w (webhooks speak HTTPS: is it https%s?)", err, strings.TrimPrefix(address, "http"))
	}
	return err
}
