package webhook_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

func dialTLS(t *testing.T, url string, ca *authority) net.Conn {
	t.Helper()
	conn, err := (&tls.Dialer{Config: &tls.Config{RootCAs: ca.pool(), MinVersion: tls.VersionTLS12}}).DialContext(t.Context(), "tcp", url[len("https://"):])
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestServerHealth(t *testing.T) {
	var notReady atomic.Bool
	h := (&webhook.Server{
		Interpreter: always,
		Ready: func(context.Context) error {
			if notReady.Load() {
				return errors.New("customizations are not loaded yet")
			}
			return nil
		},
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answers_total 1\n") }),
	}).Handler()
	for _, want := range []struct {
		path string
		code int
		body string
	}{
		{"/healthz", 200, "ok\n"}, {"/readyz", 200, "ok\n"}, {"/metrics", 200, "answers_total 1\n"},
	} {
		code, body := get(t, h, want.path)
		assert.Equal(t, want.code, code, want.path)
		assert.Equal(t, want.body, body, want.path)
	}
	notReady.Store(true)
	code, body := get(t, h, "/readyz")
	assert.Equal(t, 503, code)
	assert.Equal(t, "customizations are not loaded yet\n", body)
	code, _ = get(t, h, "/healthz")
	assert.Equal(t, 200, code, "it serves, though it is not ready")
}

func TestServerWithoutMetrics(t *testing.T) {
	code, body := get(t, (&webhook.Server{Interpreter: always}).Handler(), "/metrics")
	assert.Equal(t, 200, code)
	assert.Contains(t, body, "want a POST, got a GET", "a path like any other")
}

// TestServerShutsDownGracefully stops a server while it answers.
func TestServerShutsDownGracefully(t *testing.T) {
	for _, tc := range []struct {
		reason string
		takes  time.Duration
		err    string
	}{
		{"the last question is answered", 5 * time.Second, ""},
		{"but not waited for without end", time.Hour, "shut down within 10s: context deadline exceeded"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ca, network := newAuthority(t), newMemory()
				asked := make(chan struct{})
				server := &webhook.Server{
					Interpreter: answering(func(ctx context.Context, _ *interpreter.Request) (*interpreter.Response, error) {
						close(asked)
						select {
						case <-time.After(tc.takes):
						case <-ctx.Done():
							return nil, ctx.Err()
						}
						return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
					}),
					Certificate: certificate(ca.issue(t, "webhook.example.com", time.Hour)),
					Grace:       10 * time.Second,
					Configure:   quiet,
				}
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- server.Serve(ctx, network) }()
				long := int32(30)
				config := configuration("https://webhook.example.com", ca.bundle)
				config[0].Webhooks[0].TimeoutSeconds = &long
				set := webhook.New(config, webhook.Options{Dial: network.dial})
				answered := make(chan error, 1)
				go func() { answered <- askHealth(t, set) }()
				<-asked
				code, _ := get(t, server.Handler(), "/readyz")
				assert.Equal(t, 200, code)
				cancel()
				synctest.Wait()
				code, body := get(t, server.Handler(), "/readyz")
				assert.Equal(t, 503, code)
				assert.Equal(t, "shutting down\n", body)
				if tc.err == "" {
					require.NoError(t, <-answered)
					set.Close()
					require.NoError(t, <-served)
					return
				}
				require.EqualError(t, <-served, tc.err)
				require.Error(t, <-answered)
				set.Close()
			})
		})
	}
}

// A client that asks and never reads is not waited for without end, nor with HTTP/2, where nothing else ends a write.
func TestServerOfAClientThatDoesNotRead(t *testing.T) {
	for protocol, question := range map[string]string{
		"http/1.1": "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
		"h2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
			"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x7f\xff\xff\xff" + // SETTINGS: streams may send as much as they like,
			"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\x00\x00\x00" + // WINDOW_UPDATE: and the connection;
			"\x00\x00\x0c\x01\x05\x00\x00\x00\x01\x82\x87\x44\x08/metrics", // HEADERS: GET, https, /metrics
	} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ca, network := newAuthority(t), newMemory()
				var count connections
				server := &webhook.Server{
					Interpreter: always, Certificate: certificate(ca.issue(t, "webhook.example.com", time.Hour)), Configure: count.configure,
					Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) }),
				}
				stop := serve(t, server, network)
				conn, err := network.dial(t.Context(), "", "")
				require.NoError(t, err)
				defer conn.Close()
				client := tls.Client(conn, &tls.Config{RootCAs: ca.pool(), ServerName: "webhook.example.com", NextProtos: []string{protocol}, MinVersion: tls.VersionTLS12})
				_, err = io.WriteString(client, question)
				require.NoError(t, err)
				time.Sleep(5 * time.Minute)
				opened, open := count.counts()
				assert.Equal(t, 1, opened)
				assert.Zero(t, open)
				stop()
			})
		})
	}
}

// A server that can take no more connections is at its end, and so are those that it has.
func TestServerWhoseListenerBreaks(t *testing.T) {
	ca := newAuthority(t)
	var count connections
	server := &webhook.Server{Interpreter: always, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour)), Configure: count.configure}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), listener) }()
	set := webhook.New(configuration("https://"+listener.Addr().String(), ca.bundle), webhook.Options{})
	defer set.Close()
	require.NoError(t, askHealth(t, set))
	require.NoError(t, listener.Close())
	require.ErrorContains(t, <-served, "serve "+listener.Addr().String()+": ")
	count.closesAll(t)
}

func TestServerWithoutCertificate(t *testing.T) {
	network := newMemory()
	require.EqualError(t, (&webhook.Server{Interpreter: always}).Serve(t.Context(), network), "serve: want a certificate, got none")
	_, err := network.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestFileCertificate(t *testing.T) {
	ca := newAuthority(t)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(name+".new", data, 0o600))
		require.NoError(t, os.Rename(name+".new", name))
	}
	_, err := webhook.NewFileCertificate(certFile, keyFile)
	require.ErrorContains(t, err, "certificate: stat "+certFile)

	firstCert, firstKey := ca.issuePEM(t, "a.example.com", time.Hour)
	secondCert, secondKey := ca.issuePEM(t, "b.example.com", time.Hour)
	write(certFile, firstCert)
	write(keyFile, secondKey)
	_, err = webhook.NewFileCertificate(certFile, keyFile)
	require.ErrorContains(t, err, "private key does not match public key")

	write(keyFile, firstKey)
	files, err := webhook.NewFileCertificate(certFile, keyFile)
	require.NoError(t, err)
	name := func() string {
		c, err := files.Certificate(nil)
		require.NoError(t, err)
		return c.Leaf.DNSNames[0]
	}
	assert.Equal(t, "a.example.com", name())
	write(certFile, secondCert)
	assert.Equal(t, "a.example.com", name(), "half of a rotation is none")
	write(keyFile, secondKey)
	assert.Equal(t, "b.example.com", name())
	require.NoError(t, os.Remove(keyFile))
	assert.Equal(t, "b.example.com", name(), "what was good stays")
}

func TestSelfSigned(t *testing.T) {
	self, bundle, err := webhook.SelfSigned([]string{"127.0.0.1", "dragoman.system.svc"}, time.Hour)
	require.NoError(t, err)
	url, _ := start(t, &webhook.Server{Interpreter: always, Certificate: certificate(self)})
	set := webhook.New(configuration(url, bundle), webhook.Options{})
	defer set.Close()
	require.NoError(t, askHealth(t, set))
}
