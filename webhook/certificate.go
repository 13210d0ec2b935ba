package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"sync"
	"time"
)

// A FileCertificate is a certificate in two files that may be replaced while it is in use, as the kubelet replaces those
// of a mounted Secret. It is safe for concurrent use.
type FileCertificate struct {
	certFile, keyFile string

	mu          sync.Mutex
	certificate *tls.Certificate
	read        [2]os.FileInfo
}

// NewFileCertificate returns the certificate in certFile, followed by its intermediates, and its key in keyFile, all in
// PEM. The error says which file is wrong.
func NewFileCertificate(certFile, keyFile string) (*FileCertificate, error) {
	f := &FileCertificate{certFile: certFile, keyFile: keyFile}
	if err := f.reload(); err != nil {
		return nil, err
	}
	return f, nil
}

// Certificate returns the current certificate; it is a Server's Certificate. The files are read again when they have
// changed. While they cannot be read, or do not belong together (one of them has not been replaced yet), the certificate
// stays what it was.
func (f *FileCertificate) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.reload() // the next connection tries again
	return f.certificate, nil
}

func (f *FileCertificate) reload() error {
	var now [2]os.FileInfo
	for i, name := range []string{f.certFile, f.keyFile} {
		var err error
		if now[i], err = os.Stat(name); err != nil {
			return fmt.Errorf("certificate: %w", err)
		}
	}
	if same(f.read[0], now[0]) && same(f.read[1], now[1]) {
		return nil
	}
	certificate, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		return fmt.Errorf("certificate: %s and %s: %w", f.certFile, f.keyFile, err)
	}
	f.certificate, f.read = &certificate, now
	return nil
}

func same(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// StaticCertificate returns a Server's Certificate that is always c.
func StaticCertificate(c *tls.Certificate) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c, nil }
}

// SelfSigned returns a new certificate for the host names and IP addresses, which is its own authority, and the PEM of
// that for a caBundle. It is valid for the given time from an hour before now, so that clocks may differ.
func SelfSigned(hosts []string, valid time.Duration) (*tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("self-signed certificate: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("self-signed certificate: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "dragoman"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(valid),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, fmt.Errorf("self-signed certificate: %w", err)
	}
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, bundle, nil
}
