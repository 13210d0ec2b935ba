package webhook_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// always is an Interpreter whose every answer is that all is well.
var always = interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule {
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return &interpreter.Response{Health: interpreter.HealthOf(true)}, nil
	}
})

// connections counts those that a server has.
type connections struct {
	mu           sync.Mutex
	opened, open int
}

func (c *connections) configure(s *http.Server) {
	quiet(s)
	s.ConnState = func(_ net.Conn, state http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch state {
		case http.StateNew:
			c.opened++
			c.open++
		case http.StateClosed, http.StateHijacked:
			c.open--
		case http.StateActive, http.StateIdle:
		}
	}
}

func (c *connections) counts() (opened, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened, c.open
}

// closesAll waits until the server has no connection left.
func (c *connections) closesAll(t *testing.T) {
	t.Helper()
	assert.Eventually(t, func() bool {
		_, open := c.counts()
		return open == 0
	}, time.Minute, time.Millisecond, "connections are left open")
}

func TestConnectionRefused(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "https://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	second := int32(1)
	set := webhook.New(configuration(url, nil, func(hook *configv1alpha1.ResourceInterpreterWebhook) {
		hook.TimeoutSeconds = &second
	}), webhook.Options{})
	defer set.Close()
	err = askHealth(t, set)
	require.ErrorContains(t, err, "webhook tests/all.example.com at "+url+": tried ")
	assert.ErrorContains(t, err, "connection refused")
}

func TestConnectionResetInTheMidstOfAnAnswer(t *testing.T) {
	ca := newAuthority(t)
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 2 {
			reply(healthy)(w, r)
			return
		}
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		fmt.Fprint(buffer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		assert.NoError(t, buffer.Flush())
		if tcp, ok := conn.(*tls.Conn).NetConn().(*net.TCPConn); assert.True(t, ok) {
			assert.NoError(t, tcp.SetLinger(0))
			assert.NoError(t, tcp.Close())
		}
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{*ca.issue(t, "127.0.0.1", time.Hour)}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	set := webhook.New(configuration(server.URL, ca.bundle), webhook.Options{})
	defer set.Close()
	require.NoError(t, askHealth(t, set))
	assert.EqualValues(t, 3, asked.Load())
}

// TestKeptConnectionsThatAreGone has connections that were kept and of which the other side, or a balancer between, knows
// nothing any more.
func TestKeptConnectionsThatAreGone(t *testing.T) {
	t.Run("and are ended: the question is put again on a new one", func(t *testing.T) {
		require.NoError(t, askHealth(t, withKeptConnections(t, func(*http.Request) { panic(http.ErrAbortHandler) })))
	})
	t.Run("and are silent: one question finds it out for all", func(t *testing.T) {
		set := withKeptConnections(t, func(r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or nobody sees that the connection ends
			<-r.Context().Done()
		})
		require.ErrorContains(t, askHealth(t, set), "no answer within 1s")
		require.NoError(t, askHealth(t, set))
	})
}

// withKeptConnections returns a set that has more connections than a question is tried on. When they are used again, they
// do as gone does.
func withKeptConnections(t *testing.T, gone func(*http.Request)) *webhook.Set {
	const kept = 10
	ca := newAuthority(t)
	var (
		opened, last atomic.Int64
		together     sync.WaitGroup
	)
	together.Add(kept)
	type number struct{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case last.Load() == 0:
			together.Done()
			together.Wait()
		case r.Context().Value(number{}).(int64) <= last.Load():
			gone(r)
			return
		}
		reply(healthy)(w, r)
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, number{}, opened.Add(1))
	}
	quiet(server.Config)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{*ca.issue(t, "127.0.0.1", time.Hour)}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	second := int32(1)
	set := webhook.New(configuration(server.URL, ca.bundle, func(hook *configv1alpha1.ResourceInterpreterWebhook) {
		hook.TimeoutSeconds = &second
	}), webhook.Options{})
	t.Cleanup(set.Close)
	var wg sync.WaitGroup
	for range kept {
		wg.Go(func() { assert.NoError(t, askHealth(t, set)) })
	}
	wg.Wait()
	last.Store(kept)
	return set
}

func TestCertificatesThatAreNotTrusted(t *testing.T) {
	ca := newAuthority(t)
	for _, tc := range []struct {
		reason      string
		certificate *tls.Certificate
		bundle      []byte
		want        string
	}{
		{"expired", ca.issue(t, "127.0.0.1", -time.Minute), ca.bundle, "certificate has expired or is not yet valid"},
		{"of another host", ca.issue(t, "example.com", time.Hour), ca.bundle, "cannot validate certificate for 127.0.0.1"},
		{"of another authority", ca.issue(t, "127.0.0.1", time.Hour), newAuthority(t).bundle, "certificate signed by unknown authority"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var count connections
			url, _ := start(t, &webhook.Server{Interpreter: always, Certificate: certificate(tc.certificate), Configure: count.configure})
			set := webhook.New(configuration(url, tc.bundle), webhook.Options{})
			defer set.Close()
			err := askHealth(t, set)
			require.ErrorContains(t, err, "webhook tests/all.example.com at "+url+": tls: failed to verify certificate: x509: ")
			require.ErrorContains(t, err, tc.want)
			opened, _ := count.counts()
			assert.Equal(t, 1, opened, "trying again does not help")
			count.closesAll(t)
		})
	}
}

func TestAServerThatSpeaksNoTLS(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	set := webhook.New(configuration("https"+server.URL[len("http"):], nil), webhook.Options{})
	defer set.Close()
	require.ErrorContains(t, askHealth(t, set), "first record does not look like a TLS handshake")
}

func TestConnectionsAreKept(t *testing.T) {
	ca := newAuthority(t)
	var count connections
	url, _ := start(t, &webhook.Server{Interpreter: always, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour)), Configure: count.configure})
	set := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	for range 20 {
		require.NoError(t, askHealth(t, set))
	}
	opened, _ := count.counts()
	assert.Equal(t, 1, opened)

	next := set.Replace(configuration(url, ca.bundle, ignore))
	require.NoError(t, askHealth(t, next))
	opened, _ = count.counts()
	assert.Equal(t, 1, opened, "an endpoint that is configured as before keeps its connection")

	next.Replace(nil)
	count.closesAll(t)
}

// load asks from many goroutines until stop is called, which returns how often it was answered and every error.
func load(t *testing.T, i interpreter.Interpreter) (stop func() (int, []error)) {
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		errs     []error
		answered atomic.Int64
		stopped  = make(chan struct{})
	)
	for range 16 {
		wg.Go(func() {
			for {
				select {
				case <-stopped:
					return
				default:
				}
				if err := askHealth(t, i); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
				answered.Add(1)
			}
		})
	}
	return func() (int, []error) {
		close(stopped)
		wg.Wait()
		return int(answered.Load()), errs
	}
}

// askTimes asks n times, one after the other.
func askTimes(t *testing.T, i interpreter.Interpreter, n int) {
	t.Helper()
	for range n {
		require.NoError(t, askHealth(t, i))
	}
}

func TestCertificateRotatedUnderLoad(t *testing.T) {
	ca := newAuthority(t)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write := func() {
		certPEM, keyPEM := ca.issuePEM(t, "127.0.0.1", time.Hour)
		for name, data := range map[string][]byte{certFile: certPEM, keyFile: keyPEM} {
			require.NoError(t, os.WriteFile(name+".new", data, 0o600))
			require.NoError(t, os.Rename(name+".new", name))
		}
	}
	write()
	files, err := webhook.NewFileCertificate(certFile, keyFile)
	require.NoError(t, err)
	var count connections
	url, _ := start(t, &webhook.Server{Interpreter: always, Certificate: files.Certificate, Configure: count.configure})
	set := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	stop := load(t, set)
	seen := map[string]bool{}
	for range 5 {
		write()
		fresh := webhook.New(configuration(url, ca.bundle), webhook.Options{}) // has to connect
		askTimes(t, fresh, 5)
		fresh.Close()
		set.Close() // the load connects anew too
		current, err := files.Certificate(nil)
		require.NoError(t, err)
		seen[string(current.Certificate[0])] = true
	}
	answered, errs := stop()
	assert.Empty(t, errs)
	assert.Positive(t, answered)
	assert.Len(t, seen, 5, "each new certificate was used")
	set.Close()
	count.closesAll(t)
}

func TestServerRestartedUnderLoad(t *testing.T) {
	ca := newAuthority(t)
	server := func() *webhook.Server {
		return &webhook.Server{Interpreter: always, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour)), Configure: quiet}
	}
	url, stopServer := start(t, server())
	set := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	stop := load(t, set)
	for range 3 {
		askTimes(t, set, 20)
		stopServer()
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", url[len("https://"):])
		require.NoError(t, err)
		stopServer = serve(t, server(), listener)
	}
	askTimes(t, set, 20)
	answered, errs := stop()
	assert.Empty(t, errs)
	assert.Positive(t, answered)
	set.Close()
}

// TestServerKilledUnderLoad closes every connection at once, without a word.
func TestServerKilledUnderLoad(t *testing.T) {
	ca := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{*ca.issue(t, "127.0.0.1", time.Hour)}, MinVersion: tls.VersionTLS12}
	run := func(address string) (*httptest.Server, string) {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		require.NoError(t, err)
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: webhook.Handler(always), ReadHeaderTimeout: time.Minute}, TLS: config, EnableHTTP2: true}
		quiet(server.Config)
		server.StartTLS()
		return server, listener.Addr().String()
	}
	server, address := run("127.0.0.1:0")
	set := webhook.New(configuration("https://"+address, ca.bundle), webhook.Options{})
	stop := load(t, set)
	for range 3 {
		askTimes(t, set, 20)
		kill(server)
		server, _ = run(address)
	}
	askTimes(t, set, 20)
	_, errs := stop()
	assert.Empty(t, errs)
	set.Close()
	server.Close()
}

func kill(server *httptest.Server) {
	server.Listener.Close()
	_ = server.Config.Close()
}

func TestClientCertificates(t *testing.T) {
	ca := newAuthority(t)
	var count connections
	url, _ := start(t, &webhook.Server{
		Interpreter: always, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour)), ClientCAs: ca.pool(), Configure: count.configure,
	})
	secret := configv1alpha1.SecretReference{Namespace: "system", Name: "client"}
	shows := func(hook *configv1alpha1.ResourceInterpreterWebhook) { hook.ClientCertificate = &secret }

	without := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	require.ErrorContains(t, askHealth(t, without), "the status says 401: want a client certificate, got none")
	without.Close()

	with := webhook.New(configuration(url, ca.bundle, shows), webhook.Options{Certificates: secrets{secret: ca.issue(t, "client", time.Hour)}})
	require.NoError(t, askHealth(t, with))
	with.Close()

	missing := webhook.New(configuration(url, ca.bundle, shows), webhook.Options{Certificates: secrets{}})
	require.ErrorContains(t, askHealth(t, missing), "clientCertificate: Secret system/client: not found")
	missing.Close()

	nowhere := webhook.New(configuration(url, ca.bundle, shows), webhook.Options{})
	require.ErrorContains(t, nowhere.Err(), "clientCertificate: Secret system/client: no source of certificates was configured")
	count.closesAll(t)
}

type secrets map[configv1alpha1.SecretReference]*tls.Certificate

func (s secrets) Certificate(_ context.Context, ref configv1alpha1.SecretReference) (*tls.Certificate, error) {
	if c := s[ref]; c != nil {
		return c, nil
	}
	return nil, errors.New("not found")
}

// TestAuthorityRotatedUnderLoad changes the authority as one does: trust both, change the certificate, trust the new one.
func TestAuthorityRotatedUnderLoad(t *testing.T) {
	older, newer := newAuthority(t), newAuthority(t)
	var current atomic.Pointer[tls.Certificate]
	current.Store(older.issue(t, "127.0.0.1", time.Hour))
	var count connections
	url, _ := start(t, &webhook.Server{
		Interpreter: always, Configure: count.configure,
		Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current.Load(), nil },
	})
	var set atomic.Pointer[webhook.Set]
	set.Store(webhook.New(configuration(url, older.bundle), webhook.Options{}))
	live := interpreter.Func(func(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
		return set.Load().Lookup(gvk, op)
	})
	stop := load(t, live)
	askTimes(t, live, 20)
	set.Store(set.Load().Replace(configuration(url, slices.Concat(older.bundle, newer.bundle))))
	askTimes(t, live, 20)
	current.Store(newer.issue(t, "127.0.0.1", time.Hour))
	set.Load().Close() // connections are made anew
	askTimes(t, live, 20)
	set.Store(set.Load().Replace(configuration(url, newer.bundle)))
	askTimes(t, live, 20)
	_, errs := stop()
	assert.Empty(t, errs)

	stale := webhook.New(configuration(url, older.bundle), webhook.Options{})
	require.ErrorContains(t, askHealth(t, stale), "certificate signed by unknown authority", "the new certificate is in use")
	set.Load().Replace(nil)
	stale.Close()
	count.closesAll(t)
}

// TestServerWithoutHTTP2 has a connection for each caller at once; they are kept, and closed in the end.
func TestServerWithoutHTTP2(t *testing.T) {
	ca := newAuthority(t)
	var count connections
	url, _ := start(t, &webhook.Server{
		Interpreter: always, Certificate: certificate(ca.issue(t, "127.0.0.1", time.Hour)),
		Configure: func(s *http.Server) {
			count.configure(s)
			s.Protocols = new(http.Protocols)
			s.Protocols.SetHTTP1(true)
		},
	})
	set := webhook.New(configuration(url, ca.bundle), webhook.Options{})
	stop := load(t, set)
	askTimes(t, set, 50)
	answered, errs := stop()
	assert.Empty(t, errs)
	opened, _ := count.counts()
	assert.Less(t, opened, answered, "connections are used again")
	set.Replace(nil)
	count.closesAll(t)
}
