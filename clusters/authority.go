package clusters

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is how long certificates of a federation hold. They are issued anew on every start; only the authority is kept.
const validity = 10 * 365 * 24 * time.Hour

// An authority issues the certificates of one federation, for servers and clients alike. Its key never leaves the data folder.
type authority struct {
	dir  string // where issued files go
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// A pair is an issued certificate with its key, as PEM and as files.
type pair struct {
	cert, key         []byte
	certFile, keyFile string
}

// openAuthority loads the authority kept in dir, or makes one there.
func openAuthority(dir string) (*authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a folder for certificates: %w", err)
	}
	a := &authority{dir: dir}
	certPEM, err := os.ReadFile(a.certFile())
	if errors.Is(err, fs.ErrNotExist) {
		return a, a.create()
	}
	if err != nil {
		return nil, fmt.Errorf("load the certificate authority: %w", err)
	}
	keyPEM, err := os.ReadFile(filepath.Join(dir, "ca.key"))
	if err != nil {
		return nil, fmt.Errorf("load the certificate authority: %w", err)
	}
	certBlock, _ := pem.Decode(certPEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("load the certificate authority: %s and ca.key must hold PEM", a.certFile())
	}
	a.pem = certPEM
	if a.cert, err = x509.ParseCertificate(certBlock.Bytes); err != nil {
		return nil, fmt.Errorf("load the certificate authority: %w", err)
	}
	if a.key, err = x509.ParseECPrivateKey(keyBlock.Bytes); err != nil {
		return nil, fmt.Errorf("load the certificate authority: %w", err)
	}
	return a, nil
}

func (a *authority) certFile() string { return filepath.Join(a.dir, "ca.crt") }

// create makes a new self-signed authority.
func (a *authority) create() error {
	template, err := newTemplate("dragoman-clusters", nil)
	if err != nil {
		return err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage |= x509.KeyUsageCertSign
	a.cert = template
	p, key, err := a.sign("ca", template)
	if err != nil {
		return err
	}
	a.pem, a.key = p.cert, key
	block, _ := pem.Decode(p.cert)
	a.cert, err = x509.ParseCertificate(block.Bytes)
	return err
}

// server issues a serving certificate for 127.0.0.1 and the given names, which is a client certificate too, as etcd's peers need.
func (a *authority) server(name string, hosts ...string) (pair, error) {
	template, err := newTemplate(name, nil)
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = append([]string{"localhost"}, hosts...)
	p, _, err := a.sign(name, template)
	return p, err
}

// client issues a client certificate for a user in groups.
func (a *authority) client(file, user string, groups ...string) (pair, error) {
	template, err := newTemplate(user, groups)
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	p, _, err := a.sign(file, template)
	return p, err
}

// newTemplate returns what all certificates have in common.
func newTemplate(name string, organizations []string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("issue certificate %s: %w", name, err)
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: organizations},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

// sign makes a key, signs the template with the authority's key (with the new key while there is none) and writes both files.
func (a *authority) sign(file string, template *x509.Certificate) (pair, *ecdsa.PrivateKey, error) {
	fail := func(err error) (pair, *ecdsa.PrivateKey, error) {
		return pair{}, nil, fmt.Errorf("issue certificate %s: %w", file, err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fail(err)
	}
	signer := a.key
	if signer == nil {
		signer = key
	}
	certDER, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), signer)
	if err != nil {
		return fail(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fail(err)
	}
	p := pair{
		cert:     pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certDER}),
		key:      pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
		certFile: filepath.Join(a.dir, file+".crt"),
		keyFile:  filepath.Join(a.dir, file+".key"),
	}
	if err := os.WriteFile(p.keyFile, p.key, 0o600); err != nil {
		return fail(err)
	}
	if err := os.WriteFile(p.certFile, p.cert, 0o600); err != nil {
		return fail(err)
	}
	return p, key, nil
}

// keepKey returns the file of a key that lives as long as the folder: what it signed stays valid when the federation starts again.
func (a *authority) keepKey(name string) (string, error) {
	path := filepath.Join(a.dir, name+".key")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	p, err := a.client(name, name)
	return p.keyFile, err
}
