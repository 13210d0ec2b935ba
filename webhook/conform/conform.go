package conform

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// Options say what to ask, and how to reach the webhook. The zero value is useful.
type Options struct {
	// Objects are what to ask about: objects of the kinds that the webhook answers, well-formed, with a status. Nil means a
	// Deployment.
	Objects []*unstructured.Unstructured
	// TLS is what connections begin with; nil means the defaults, with the authorities of the system.
	TLS *tls.Config
	// Timeout is how long an answer may take; 0 means 10 s.
	Timeout time.Duration
	// Wait is for how long to try again when nobody answers at first; 0 means not at all.
	Wait time.Duration
}

// maxAnswer is how much of an answer is read.
const maxAnswer = 16 << 20

// Run checks the webhook at url, which may be http. It is an error when nobody answers there, or an object is none.
func Run(ctx context.Context, url string, o Options) (*Report, error) {
	c, err := newChecker(url, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var asked []question
	for _, object := range c.objects {
		qs, err := questions(object)
		if err != nil {
			return nil, err
		}
		asked = append(asked, qs...)
	}
	if err := c.reach(ctx, asked[0], o.Wait); err != nil {
		return nil, err
	}
	answered := c.wellFormed(ctx, asked)
	broken, err := malformedQuestions(health(asked))
	if err != nil {
		return nil, err
	}
	for _, m := range broken {
		c.checkMalformed(ctx, m)
	}
	c.transport(ctx, cmpOr(answered, asked[0]))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.report, nil
}

// health returns the question about a health among qs; there is one for each object.
func health(qs []question) question {
	for _, q := range qs {
		if q.req.Operation == interpreter.InterpretHealth {
			return q
		}
	}
	return qs[0]
}

func cmpOr(q *question, other question) question {
	if q != nil {
		return *q
	}
	return other
}

type checker struct {
	url     string
	timeout time.Duration
	objects []*unstructured.Unstructured
	given   bool // the objects, by the caller
	// http1 speaks HTTP/1.1, as the peer's client does; http2 prefers HTTP/2.
	http1, http2 *http.Client
	report       *Report
}

func newChecker(address string, o Options) (*checker, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("url: want https://host[/path], got %q", address)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("url: want no user information, query or fragment, got %q", u.Redacted())
	}
	c := &checker{url: address, timeout: o.Timeout, objects: o.Objects, given: len(o.Objects) > 0, report: &Report{URL: address}}
	if c.timeout == 0 {
		c.timeout = 10 * time.Second
	}
	if !c.given {
		c.objects = samples()
	}
	c.http1, c.http2 = newClient(o.TLS, false), newClient(o.TLS, true)
	return c, nil
}

func newClient(config *tls.Config, http2 bool) *http.Client {
	transport := &http.Transport{TLSClientConfig: config.Clone(), DisableCompression: true, MaxIdleConnsPerHost: parallel, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(http2)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (c *checker) close() {
	c.http1.CloseIdleConnections()
	c.http2.CloseIdleConnections()
}

// record adds a check: passed without problems, else with the worst of them.
func (c *checker) record(name string, f findings) {
	check := Check{Name: name, Outcome: Passed}
	switch {
	case len(f.errors) > 0:
		check.Outcome = Failed
	case f.skipped != "":
		check.Outcome, check.Problems = Skipped, []string{f.skipped}
	case len(f.warnings) > 0:
		check.Outcome = Warned
	}
	check.Problems = append(append(check.Problems, f.errors...), f.warnings...)
	c.report.Checks = append(c.report.Checks, check)
}

// findings are what a check found.
type findings struct {
	errors, warnings []string
	skipped          string
}

func (f *findings) fail(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *findings) warn(format string, args ...any) {
	f.warnings = append(f.warnings, fmt.Sprintf(format, args...))
}

// message is an HTTP answer.
type message struct {
	status      int
	contentType string
	proto       string
	body        []byte
	reused      bool // the connection
}

// send sends one request and returns what came back.
func (c *checker) send(ctx context.Context, client *http.Client, method, contentType string, body []byte) (*message, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	m := &message{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { m.reused = info.Reused }})
	req, err := http.NewRequestWithContext(ctx, method, c.url+"?timeout="+c.timeout.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json, */*")
	resp, err := client.Do(req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("no answer within %s", c.timeout)
		}
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	m.status, m.contentType, m.proto = resp.StatusCode, resp.Header.Get("Content-Type"), resp.Proto
	if m.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1)); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(m.body) > maxAnswer {
		return nil, fmt.Errorf("answer: want at most %d bytes, got more", maxAnswer)
	}
	return m, nil
}

func (c *checker) post(ctx context.Context, body []byte) (*message, error) {
	return c.send(ctx, c.http1, http.MethodPost, "application/json", body)
}

// reach waits until anybody answers at all.
func (c *checker) reach(ctx context.Context, q question, wait time.Duration) error {
	body, err := webhook.EncodeRequest(&q.req)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(wait); ; {
		if _, err = c.post(ctx, body); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: %w", c.url, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
