package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
)

// DefaultGrace is how long a Server waits for its last answers unless it says otherwise.
const DefaultGrace = 30 * time.Second

// A Server serves an Interpreter as an interpreter webhook over HTTPS, with HTTP/1.1 and HTTP/2:
//
//	/         questions, at every path that is none of these
//	/healthz  200 while the process serves
//	/readyz   200 while it wants questions: Ready agrees and it is not shutting down
//	/metrics  Metrics, when there is one
//
// Its fields must not be changed after the first call of a method.
type Server struct {
	// Interpreter answers; it must not be nil.
	Interpreter interpreter.Interpreter
	HandlerOptions
	// Certificate returns the server's certificate for a connection; FileCertificate and StaticCertificate make one. It
	// must not be nil for Serve.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// ClientCAs are the authorities of client certificates. When set, questions need one; the health endpoints do not.
	ClientCAs *x509.CertPool
	// Ready tells why the server is not ready, or nil when it is; nil means always ready. It must be safe for concurrent
	// use.
	Ready func(context.Context) error
	// Metrics answers /metrics; nil for none.
	Metrics http.Handler
	// Grace is how long Serve waits for the last answers; 0 means DefaultGrace.
	Grace time.Duration
	// Configure changes the http.Server that Serve uses: its ErrorLog, which is told about connections that fail, or its
	// timeouts. Nil changes nothing.
	Configure func(*http.Server)

	stopping atomic.Bool
}

// Handler returns what the server serves.
func (s *Server) Handler() http.Handler {
	questions := s.HandlerOptions.Handler(s.Interpreter)
	if s.ClientCAs != nil {
		questions = s.authenticated(questions)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/healthz":
			writeText(w, http.StatusOK, "ok")
		case path == "/readyz":
			s.serveReady(w, r)
		case path == "/metrics" && s.Metrics != nil:
			s.Metrics.ServeHTTP(w, r)
		default:
			questions.ServeHTTP(w, r)
		}
	})
}

// authenticated refuses questions of clients without a certificate.
func (s *Server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			body := EncodeResponse(&interpreter.Request{}, nil, refuse(http.StatusUnauthorized, "want a client certificate, got none"))
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body) // an error means that nobody listens any more
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		writeText(w, http.StatusServiceUnavailable, "shutting down")
		return
	}
	if s.Ready != nil {
		if err := s.Ready(r.Context()); err != nil {
			writeText(w, http.StatusServiceUnavailable, err.Error())
			return
		}
	}
	writeText(w, http.StatusOK, "ok")
}

func writeText(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintln(w, text)
}

// ListenAndServe answers at the TCP address, such as ":9443", as Serve does.
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return s.Serve(ctx, listener)
}

// Serve answers on l, which it closes, until ctx ends. Then it takes no new connections, waits for the questions that
// are being answered, and returns nil when all were, within Grace. When l fails it ends likewise, with the error of l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.Certificate == nil {
		return errors.Join(errors.New("serve: want a certificate, got none"), l.Close())
	}
	server := &http.Server{
		Handler:           s.Handler(),
		TLSConfig:         s.tlsConfig(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2 * maxTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		// With HTTP/2, WriteTimeout ends an answer and leaves the connection, which may wait for its client forever.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: maxTimeout},
	}
	if s.Configure != nil {
		s.Configure(server)
	}
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(gatheredListener{l}, "", "") }()
	select {
	case ended := <-served:
		return errors.Join(fmt.Errorf("serve %s: %w", l.Addr(), ended), s.shutDown(ctx, server))
	case <-ctx.Done():
	}
	err := s.shutDown(ctx, server)
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// shutDown waits for the questions that are being answered, within Grace, and closes what is left of the server.
func (s *Server) shutDown(ctx context.Context, server *http.Server) error {
	s.stopping.Store(true)
	grace := s.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(fmt.Errorf("shut down within %s: %w", grace, err), server.Close())
	}
	return nil
}

func (s *Server) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.Certificate}
	if s.ClientCAs != nil {
		config.ClientCAs, config.ClientAuth = s.ClientCAs, tls.VerifyClientCertIfGiven
	}
	return config
}
