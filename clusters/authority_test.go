package clusters

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAuthorityIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first, err := openAuthority(dir)
	require.NoError(t, err)
	key, err := first.keepKey("service-account")
	require.NoError(t, err)
	before, err := os.ReadFile(key)
	require.NoError(t, err)

	second, err := openAuthority(dir)
	require.NoError(t, err)
	assert.Equal(t, first.pem, second.pem)
	again, err := second.keepKey("service-account")
	require.NoError(t, err)
	after, err := os.ReadFile(again)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestCertificatesHold(t *testing.T) {
	a, err := openAuthority(t.TempDir())
	require.NoError(t, err)
	server, err := a.server("member1-apiserver", "kubernetes.default.svc")
	require.NoError(t, err)
	client, err := a.client("member1-admin", "admin", "system:masters")
	require.NoError(t, err)

	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(a.pem))
	parse := func(p pair) *x509.Certificate {
		both, err := tls.X509KeyPair(p.cert, p.key)
		require.NoError(t, err)
		return both.Leaf
	}
	for _, host := range []string{"127.0.0.1", "localhost", "kubernetes.default.svc"} {
		_, err := parse(server).Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		require.NoError(t, err, host)
	}
	user := parse(client)
	assert.Equal(t, "admin", user.Subject.CommonName)
	assert.Equal(t, []string{"system:masters"}, user.Subject.Organization)
	_, err = user.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.NoError(t, err)
	_, err = user.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	require.Error(t, err, "a client cannot pose as a server")

	for _, file := range []string{server.keyFile, client.keyFile, filepath.Join(a.dir, "ca.key")} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.EqualValues(t, 0o600, info.Mode().Perm(), file)
	}
}

func TestBrokenAuthorityIsTold(t *testing.T) {
	tests := []struct {
		reason, file, content, want string
	}{
		{"no PEM", "ca.crt", "nothing", "must hold PEM"},
		{"no certificate", "ca.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "load the certificate authority: x509"},
		{"no key", "ca.key", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n", "load the certificate authority: x509"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			_, err := openAuthority(dir)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, test.file), []byte(test.content), 0o600))
			_, err = openAuthority(dir)
			require.ErrorContains(t, err, test.want)
		})
	}
}
