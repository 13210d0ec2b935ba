package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// jsonType is the Content-Type of questions and answers.
const jsonType = "application/json"

const (
	firstBackoff = 20 * time.Millisecond
	maxBackoff   = time.Second
	// maxResets is how often a connection may break that has carried a question before the webhook, and not the network, is
	// to blame: a server that crashes on an object looks like that.
	maxResets = 4
)

// An endpoint is where webhooks are: a place to send requests to, with its kept connections and its breaker. It is safe
// for concurrent use.
type endpoint struct {
	url         string
	transport   *http.Transport
	header      http.Header // of every request
	maxResponse int64
	breaker     breaker
	connections atomic.Int64 // open ones

	mu      sync.Mutex
	calls   int  // going on
	retired bool // nobody wants its connections any more
}

// retire closes the connections: now those that no call uses, and the others when the last call is over.
func (e *endpoint) retire() {
	e.mu.Lock()
	e.retired = true
	e.mu.Unlock()
	e.transport.CloseIdleConnections()
}

func (e *endpoint) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
}

func (e *endpoint) end() {
	e.mu.Lock()
	e.calls--
	closing := e.retired && e.calls == 0
	e.mu.Unlock()
	if closing {
		e.transport.CloseIdleConnections()
	}
}

// requestHeader returns the header of every request.
func requestHeader() http.Header {
	return http.Header{"Content-Type": {jsonType}, "Accept": {jsonType + ", */*"}, "User-Agent": {"dragoman"}}
}

// newTransport returns a transport that speaks HTTP/2 where the server does, and keeps its connections.
func newTransport(config *tls.Config, dial dialFunc) *http.Transport {
	return &http.Transport{
		TLSClientConfig:       config,
		DialContext:           dial,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   maxTimeout,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		// A connection that went silent is found out, so that calls do not wait on it until their deadline forever.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// post sends body to target, a URL of e, until an answer comes, the error is not one of the connection, or ctx ends.
func (e *endpoint) post(ctx context.Context, target *url.URL, body []byte) (reply, error) {
	e.begin()
	defer e.end()
	backoff, resets := firstBackoff, 0
	for attempt := 1; ; attempt++ {
		traced, sent := ctx, func() bool { return true } // the first time it is not worth its while
		if attempt > 1 {
			traced, sent = traceSent(ctx)
		}
		answer, err := e.postOnce(traced, target, body)
		if err == nil {
			return answer, nil
		}
		retry, connected := connectionError(err)
		if connected && sent() {
			resets++
			e.transport.CloseIdleConnections() // the others that were kept are as old, and may be as dead
		}
		if !retry || resets >= maxResets || ctx.Err() != nil || !sleep(ctx, jitter(backoff)) {
			if attempt > 1 {
				err = fmt.Errorf("tried %d times: %w", attempt, err)
			}
			return reply{}, err
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// traceSent returns a context for a request, and what tells whether it went out: not when there was no connection yet, or
// one that broke before anything was said.
func traceSent(ctx context.Context) (context.Context, func() bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}), sent.Load
}

func (e *endpoint) postOnce(ctx context.Context, target *url.URL, body []byte) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "", bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.URL, req.Host, req.Header = target, target.Host, e.header // they are only read
	// The transport alone follows no redirects: they would carry the object to a place that nobody configured.
	resp, err := e.transport.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode < http.StatusOK || resp.StatusCode > http.StatusPartialContent {
		return reply{}, httpStatusError(resp)
	}
	if resp.ContentLength > e.maxResponse {
		return reply{}, badAnswer("answer: want at most %d bytes, got %d", e.maxResponse, resp.ContentLength)
	}
	var answer bytes.Buffer
	if err := readBody(&answer, io.LimitReader(resp.Body, e.maxResponse+1), resp.ContentLength); err != nil {
		return reply{}, fmt.Errorf("read the answer: %w", err)
	}
	if int64(answer.Len()) > e.maxResponse {
		return reply{}, badAnswer("answer: want at most %d bytes, got more", e.maxResponse)
	}
	return reply{body: answer.Bytes(), contentType: resp.Header.Get("Content-Type")}, nil
}

// A reply is what came back with HTTP status 200.
type reply struct {
	body        []byte
	contentType string
}

// answerError is the error of an answer that arrived, and shows that somebody is there.
type answerError struct{ error }

func (e *answerError) Unwrap() error { return e.error }

func badAnswer(format string, args ...any) error {
	return &answerError{fmt.Errorf(format, args...)}
}

// An httpError is an answer whose HTTP status is not 200.
type httpError struct {
	code   int
	status string
	body   string
}

func httpStatusError(resp *http.Response) error {
	start, _ := io.ReadAll(io.LimitReader(resp.Body, 256))
	return &httpError{code: resp.StatusCode, status: resp.Status, body: strings.Join(strings.Fields(string(start)), " ")}
}

func (e *httpError) Error() string {
	if e.body == "" {
		return fmt.Sprintf("HTTP status: want 200, got %s", e.status)
	}
	return fmt.Sprintf("HTTP status: want 200, got %s: %q", e.status, e.body)
}

// isJSON tells whether a Content-Type announces JSON. One that says nothing does not deny it.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == jsonType {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == jsonType || strings.HasSuffix(mediaType, "+json"))
}

// connectionError tells whether err is one of the connection, so that the same question may fare better on another one,
// and whether there was a connection before it broke.
func connectionError(err error) (retry, connected bool) {
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		notTLS      tls.RecordHeaderError
		resolve     *resolveError
		dns         *net.DNSError
		status      *httpError
		answer      *answerError
		op          *net.OpError
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &notTLS),
		errors.As(err, &resolve), errors.As(err, &status), errors.As(err, &answer):
		return false, false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false, false
	case errors.As(err, &dns):
		return !dns.IsNotFound, false
	case errors.As(err, &op):
		// A TLS alert is an "error" of one side.
		return op.Op != "remote error" && op.Op != "local error", op.Op != "dial"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true, true
	}
	return brokenStream(err), true
}

// brokenStream tells whether err is one of HTTP's own errors about a connection that ended; net/http does not export
// their types.
func brokenStream(err error) bool {
	message := err.Error()
	for _, part := range []string{
		"http2: ", "stream error:", "server closed idle connection", "connection broken",
	} {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// outcomeOf tells what a call with this error says about the endpoint.
func outcomeOf(err error) outcome {
	var answer *answerError
	var status *httpError
	if err == nil || errors.As(err, &answer) || errors.As(err, &status) && status.code < http.StatusInternalServerError {
		return answered
	}
	return failed
}

func jitter(d time.Duration) time.Duration {
	return d/2 + rand.N(d)
}

// sleep waits for d. It returns false, early, when ctx ends before that; and at once when it is known to.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
