package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
)

// DefaultMaxRequestBytes is how large a request may be unless HandlerOptions say otherwise. It holds two objects of the
// largest size that Kubernetes stores, and what a thousand members report.
const DefaultMaxRequestBytes = 8 << 20

// HandlerOptions say how a Handler answers. The zero value is useful.
type HandlerOptions struct {
	// MaxRequestBytes is how large a request may be; 0 means DefaultMaxRequestBytes.
	MaxRequestBytes int64
	// Answered is called after each answer, for metrics and logs; nil for none. It must be safe for concurrent use.
	Answered func(context.Context, Answer)
	// Panicked is called with the value and the stack of each panic of a rule, which is answered with code 500; nil for
	// none. It must be safe for concurrent use.
	Panicked func(ctx context.Context, value any, stack []byte)
}

// Answer is one answered request, for metrics and logs.
type Answer struct {
	// Request is the question, with the fields that could be read when it was malformed. It must not be modified.
	Request *interpreter.Request
	// Duration is how long the answer took, the reading of the request's body and the writing of the answer included.
	Duration time.Duration
	// Status is nil for a successful answer, and what the client was told otherwise.
	Status *StatusError
}

// Handler returns the handler that answers interpreter webhook requests as i does, with default options.
func Handler(i interpreter.Interpreter) http.Handler { return HandlerOptions{}.Handler(i) }

// Handler returns the handler that answers interpreter webhook requests as i does. The HTTP status is 200 always, as the
// protocol has it; what went wrong is in the answer's status:
//
//	400  the request is no question: not JSON, an unknown operation, no object
//	405  it was not a POST
//	413  it is too large
//	415  it does not call itself application/json
//	422  the rule could not answer for this object
//	500  the rule broke: it panicked, or its answer breaks the operation's contract
//	501  no rule answers; the reason is NotHandled
//	503  the rules are not loaded yet; the reason is NotReady
//	504  the rule took longer than the client waits
//
// A rule that returns a *StatusError chooses its own. A duration in the query's timeout ("?timeout=10s") is a deadline
// for the rule.
func (o HandlerOptions) Handler(i interpreter.Interpreter) http.Handler {
	if o.MaxRequestBytes == 0 {
		o.MaxRequestBytes = DefaultMaxRequestBytes
	}
	return &handler{HandlerOptions: o, interpreter: i}
}

type handler struct {
	HandlerOptions
	interpreter interpreter.Interpreter
	buffers     sync.Pool // of *bytes.Buffer
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	growStack()
	req, resp, err := h.answer(w, r)
	body, status := encodeResponse(req, resp, err)
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // an error means that nobody listens any more
	if h.Answered != nil {
		a := Answer{Request: req, Duration: time.Since(start)}
		if status != nil {
			a.Status = &StatusError{Code: status.Code, Reason: status.Reason, Message: status.Message}
		}
		h.Answered(r.Context(), a)
	}
}

// growStack makes the stack as large as the answer to a usual object needs it. HTTP/2 has a new goroutine for each
// question, whose small stack would be copied each time that it is full, with more and more on it.
//
//go:noinline
func growStack() {
	var room [9 << 10]byte
	runtime.KeepAlive(&room)
}

// answer returns the question, which is never nil, and its answer or error.
func (h *handler) answer(w http.ResponseWriter, r *http.Request) (*interpreter.Request, *interpreter.Response, error) {
	none := &interpreter.Request{}
	if r.Method != http.MethodPost {
		return none, nil, refuse(http.StatusMethodNotAllowed, "want a POST, got a %s", r.Method)
	}
	if header := r.Header.Get("Content-Type"); header != jsonType {
		if mediaType, _, err := mime.ParseMediaType(header); err != nil || mediaType != jsonType {
			return none, nil, refuse(http.StatusUnsupportedMediaType, "Content-Type: want %s, got %q", jsonType, header)
		}
	}
	ctx, cancel, err := withClientTimeout(r)
	if err != nil {
		return none, nil, err
	}
	defer cancel()
	req, err := h.read(w, r)
	if err != nil {
		return req, nil, err
	}
	resp, err := h.ask(ctx, req)
	return req, resp, err
}

// ask asks the interpreter. A panic of its rule is an error.
func (h *handler) ask(ctx context.Context, req *interpreter.Request) (resp *interpreter.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			resp, err = nil, &StatusError{Code: http.StatusInternalServerError, Message: fmt.Sprintf("the rule panicked: %v", p)}
			if h.Panicked != nil {
				h.Panicked(ctx, p, debug.Stack())
			}
		}
	}()
	rule := h.interpreter.Lookup(req.Kind, req.Operation)
	if rule == nil {
		return nil, fmt.Errorf("%w %s for %s", interpreter.ErrNotHandled, req.Operation, req.Kind)
	}
	return rule(ctx, req)
}

// withClientTimeout returns the request's context, ending when the client stops waiting as its query says.
func withClientTimeout(r *http.Request) (context.Context, context.CancelFunc, error) {
	value, alone := strings.CutPrefix(r.URL.RawQuery, "timeout=")
	if !alone || strings.ContainsAny(value, "&;%+") {
		value = r.URL.Query().Get("timeout")
	}
	if value == "" {
		return r.Context(), func() {}, nil
	}
	timeout, err := time.ParseDuration(value)
	if err != nil || timeout <= 0 {
		return nil, nil, refuse(http.StatusBadRequest, "query: timeout: want a duration such as 10s, got %q", value)
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	return ctx, cancel, nil
}

// read reads the question, which is never nil. Its body is read into a buffer that is used again, since what was decoded
// shares no memory with it.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (*interpreter.Request, error) {
	buffer, ok := h.buffers.Get().(*bytes.Buffer)
	if !ok {
		buffer = new(bytes.Buffer)
	}
	defer func() {
		if buffer.Cap() <= maxPreallocated {
			buffer.Reset()
			h.buffers.Put(buffer)
		}
	}()
	err := readBody(buffer, http.MaxBytesReader(w, r.Body, h.MaxRequestBytes), min(r.ContentLength, h.MaxRequestBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &interpreter.Request{}, refuse(http.StatusRequestEntityTooLarge, "body: want at most %d bytes, got more", h.MaxRequestBytes)
	case err != nil:
		return &interpreter.Request{}, refuse(http.StatusBadRequest, "read the body: %s", err)
	}
	return DecodeRequest(buffer.Bytes())
}

// maxPreallocated is how much memory the mere announcement of a body is worth.
const maxPreallocated = 64 << 10

// readBody reads all of body. A length that is known (not below 0) saves growing the buffer.
func readBody(buffer *bytes.Buffer, body io.Reader, length int64) error {
	// The buffer wants that much room to see the end.
	buffer.Grow(int(min(max(length, 0), maxPreallocated)) + bytes.MinRead)
	_, err := buffer.ReadFrom(body)
	return err
}
