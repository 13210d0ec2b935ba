package certificates

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
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	authorityLife   = 10 * 365 * 24 * time.Hour
	certificateLife = 365 * 24 * time.Hour
	// remaining is how much of its life a certificate must have before it, to be used on.
	remaining = 1.0 / 3
	// skew is how far the clocks of others may be behind.
	skew = time.Hour
)

// usable returns the certificate in data when it is signed by an authority in data, holds for the hosts and has a third of its life
// before it; else nil.
func usable(data map[string][]byte, hosts []string, now time.Time) *tls.Certificate {
	certificate, err := tls.X509KeyPair(data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil
	}
	authority, _ := authorityOf(data, now)
	roots := x509.NewCertPool()
	if authority == nil || !roots.AppendCertsFromPEM(data[AuthoritiesKey]) || old(certificate.Leaf, now) {
		return nil
	}
	for _, host := range hosts {
		if _, err := certificate.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: now}); err != nil {
			return nil
		}
	}
	return &certificate
}

// old tells whether most of a certificate's life is over.
func old(c *x509.Certificate, now time.Time) bool {
	life := c.NotAfter.Sub(c.NotBefore)
	return now.Before(c.NotBefore) || c.NotAfter.Sub(now) < time.Duration(float64(life)*remaining)
}

// authorityOf returns the authority in data that issues certificates: the first one, with its key. It is nil when there is none that will
// last.
func authorityOf(data map[string][]byte, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey) {
	certificates := parseCertificates(data[AuthoritiesKey])
	block, _ := pem.Decode(data[AuthorityKeyKey])
	if len(certificates) == 0 || block == nil {
		return nil, nil
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	first := certificates[0]
	if err != nil || !key.PublicKey.Equal(first.PublicKey) || !first.IsCA || old(first, now) {
		return nil, nil
	}
	return first, key
}

// parseCertificates returns the certificates in PEM data; what is none is left out.
func parseCertificates(data []byte) []*x509.Certificate {
	var found []*x509.Certificate
	for {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			return found
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			found = append(found, c)
		}
	}
}

// issue returns the data of a Secret with a new certificate, from the authority in the old data if that will last.
func issue(before map[string][]byte, hosts []string, now time.Time) (map[string][]byte, error) {
	data := map[string][]byte{AuthorityKeyKey: before[AuthorityKeyKey]}
	authority, authorityKey := authorityOf(before, now)
	if authority == nil {
		template, err := newTemplate("dragoman", authorityLife, now)
		if err != nil {
			return nil, err
		}
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage |= x509.KeyUsageCertSign
		if data[AuthoritiesKey], data[AuthorityKeyKey], authorityKey, err = sign(template, nil, nil); err != nil {
			return nil, err
		}
		authority = parseCertificates(data[AuthoritiesKey])[0]
	}
	for _, c := range parseCertificates(before[AuthoritiesKey]) {
		if c.IsCA && now.Before(c.NotAfter) {
			data[AuthoritiesKey] = append(data[AuthoritiesKey], pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
		}
	}
	template, err := newTemplate(hosts[0], certificateLife, now)
	if err != nil {
		return nil, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range slices.Compact(slices.Sorted(slices.Values(hosts))) {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey], _, err = sign(template, authority, authorityKey)
	return data, err
}

// newTemplate returns what both kinds of certificates have in common.
func newTemplate(name string, life time.Duration, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %s: %w", name, err)
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-skew),
		NotAfter:     now.Add(life),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

// sign makes a key and a certificate for it, signed by the parent, or by itself when that is nil. Both are returned as PEM.
func sign(template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (certificate, key []byte, signer *ecdsa.PrivateKey, err error) {
	fail := func(err error) ([]byte, []byte, *ecdsa.PrivateKey, error) {
		return nil, nil, nil, fmt.Errorf("issue a certificate for %s: %w", template.Subject.CommonName, err)
	}
	signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	if parent == nil {
		parent, parentKey = template, signer
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, signer.Public(), parentKey)
	if err != nil {
		return fail(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(signer)
	if err != nil {
		return fail(err)
	}
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	return certificate, key, signer, nil
}
