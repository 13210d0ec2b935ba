package main

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// webhookOptions are the flags that let a running webhook answer.
type webhookOptions struct {
	url string
	ca  string
}

func (o *webhookOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "webhook", "", "let the interpreter webhook at this URL answer")
	f.StringVar(&o.ca, "webhook-ca", "", "the file with the certificate authorities of --webhook (default those of the system)")
}

// interpreter returns the webhook as an interpreter.
func (o *webhookOptions) interpreter() (interpreter.Interpreter, error) {
	var options webhook.Options
	if o.ca != "" {
		bundle, err := readFile(o.ca)
		if err != nil {
			return nil, unusablef("--webhook-ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(bundle.data) {
			return nil, unusablef("--webhook-ca: %s: want PEM certificates, got none", o.ca)
		}
		options.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	set, err := webhook.ForURL(o.url, options)
	if err != nil {
		return nil, unusablef("--webhook: %w", err)
	}
	return set, nil
}
