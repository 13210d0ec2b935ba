package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// result is what came of a question: findings, and success, or a refusal in the protocol, or neither.
type result struct {
	findings
	answered bool
	refused  *webhook.StatusError
}

// wellFormed puts every question, and returns one that was answered, or nil.
func (c *checker) wellFormed(ctx context.Context, qs []question) *question {
	type subject struct {
		object    *unstructured.Unstructured
		operation interpreter.Operation
	}
	var first *question // that was answered
	var why string
	answered := map[subject]bool{}
	results := make([]result, len(qs))
	for i := range qs {
		results[i] = c.checkQuestion(ctx, &qs[i])
		if results[i].answered {
			answered[subject{qs[i].req.Object, qs[i].req.Operation}] = true
			if first == nil {
				first = &qs[i]
			}
		}
	}
	for i := range results {
		r := &results[i]
		if r.refused != nil {
			r.refuse(r.refused, answered[subject{qs[i].req.Object, qs[i].req.Operation}])
			if why == "" && !notHandled(r.refused) {
				why = fmt.Sprintf("; %s was refused with %s", qs[i].name(), r.refused)
			}
		}
		c.record(qs[i].name(), r.findings)
	}
	if first != nil {
		return first
	}
	var f findings
	say := f.warn
	if c.given {
		say = f.fail
	}
	say("no question was answered with success: want objects of the kinds that the webhook is for%s", why)
	c.record("some operation is answered", f)
	return nil
}

// refuse says what a refusal means: nothing, when nobody said that the webhook answers the operation; answered tells that
// it answers other questions of it about the same object.
func (f *findings) refuse(s *webhook.StatusError, answered bool) {
	switch {
	case notHandled(s):
		f.skipped = fmt.Sprintf("not answered: %s", s)
	case s.Code == http.StatusInternalServerError:
		f.warn("not answered, and it says that the webhook is at fault: %s", s)
	case answered:
		f.warn("not answered, though other questions of this operation are: %s", s)
	default:
		f.skipped = fmt.Sprintf("not answered: %s", s)
	}
}

func notHandled(s *webhook.StatusError) bool {
	return errors.Is(s, interpreter.ErrNotHandled) || s.Code == http.StatusNotImplemented
}

// checkQuestion puts a question twice.
func (c *checker) checkQuestion(ctx context.Context, q *question) result {
	var r result
	sent, err := webhook.EncodeRequest(&q.req)
	if err != nil {
		r.fail("%s", err)
		return r
	}
	m, err := c.post(ctx, sent)
	if err != nil {
		r.fail("%s", err)
		return r
	}
	m.check(&r.findings)
	resp, err := webhook.DecodeResponse(&q.req, m.body)
	switch {
	case errors.As(err, &r.refused):
		checkStatus(&r.findings, r.refused)
		return r
	case err != nil:
		r.fail("%s", err)
		return r
	}
	r.answered = true
	checkPatch(&r.findings, &q.req, m.body)
	checkRevision(&r.findings, &q.req, resp)
	again, err := c.post(ctx, sent)
	switch {
	case err != nil:
		r.fail("the same question again: %s", err)
	case !bytes.Equal(m.body, again.body):
		r.warn("the same question got two different answers")
	}
	return r
}

// check looks at what holds for every answer.
func (m *message) check(f *findings) {
	if m.status != http.StatusOK {
		f.fail("HTTP status: want 200 always, got %d", m.status)
	}
	switch mediaType, _, err := mime.ParseMediaType(m.contentType); {
	case m.contentType == "":
		f.warn("Content-Type: want application/json, got none")
	case err != nil:
		f.fail("Content-Type: want application/json, got %q: %s", m.contentType, err)
	case mediaType == "text/plain":
		f.warn("Content-Type: want application/json, got %q", m.contentType)
	case mediaType != "application/json":
		f.fail("Content-Type: want application/json, got %q", m.contentType)
	}
}

func checkStatus(f *findings, s *webhook.StatusError) {
	if s.Code < 400 || s.Code > 599 {
		f.fail("response.status.code: want 400 to 599 for an answer that is not successful, got %d", s.Code)
	}
	if s.Message == "" {
		f.warn("response.status.message: want what went wrong, got none")
	}
}

// checkPatch warns of an aggregation that changes more than the status, the rest being of no consequence, and of a revision
// to no replicas that leaves their number out.
func checkPatch(f *findings, req *interpreter.Request, body []byte) {
	aggregates := req.Operation == interpreter.AggregateStatus
	toNone := req.Operation == interpreter.ReviseReplica && req.DesiredReplicas == 0
	patch, err := decodePatch(body)
	if err != nil || !aggregates && !toNone {
		return // DecodeResponse has accepted it
	}
	for _, operation := range gjson.ParseBytes(patch).Array() {
		path := operation.Get("path").String()
		if aggregates && path != "/status" && !strings.HasPrefix(path, "/status/") {
			f.warn("response.patch: an aggregation takes only /status, so that %s is of no consequence", path)
		}
		if toNone && operation.Get("op").String() == "remove" {
			f.warn("response.patch: for no replicas it removes %s, which may have another default: want it to be 0", path)
		}
	}
}

// checkRevision warns of a revision that loses a field at the top of the object.
func checkRevision(f *findings, req *interpreter.Request, resp *interpreter.Response) {
	if req.Operation != interpreter.ReviseReplica && req.Operation != interpreter.Retain {
		return
	}
	for name := range req.Object.Object {
		if _, ok := resp.Object.Object[name]; !ok && name != "status" {
			f.warn("response.patch: removes the object's %s", name)
		}
	}
}

// checkMalformed puts a question that nobody can understand: the webhook has to say so.
func (c *checker) checkMalformed(ctx context.Context, q malformed) {
	var f findings
	defer func() { c.record("malformed: "+q.name, f) }()
	method, contentType := http.MethodPost, "application/json"
	if q.method != "" {
		method = q.method
	}
	if q.contentType != "" {
		contentType = q.contentType
	}
	m, err := c.send(ctx, c.http1, method, contentType, []byte(q.body))
	if err != nil {
		f.fail("%s", err)
		return
	}
	m.check(&f)
	if !json.Valid(m.body) || !gjson.GetBytes(m.body, "response").IsObject() {
		f.fail("want a ResourceInterpreterContext with a response, got %q", abbreviate(m.body))
		return
	}
	response := gjson.GetBytes(m.body, "response")
	if response.Get("successful").Bool() {
		f.fail("response.successful: want false, got true")
		return
	}
	if !response.Get("status").IsObject() {
		f.fail("response.status: want one that says why the answer is not successful, got none")
		return
	}
	checkStatus(&f, &webhook.StatusError{Code: int32(response.Get("status.code").Int()), Message: response.Get("status.message").String()}) //nolint:gosec // out of range is reported
	if got := types.UID(response.Get("uid").String()); got != q.uid && q.uid != "" {
		f.warn("response.uid: want %q, that of the request, got %q", q.uid, got)
	}
}

func abbreviate(body []byte) string {
	if len(body) > 200 {
		return string(body[:200]) + "..."
	}
	return string(body)
}

// parallel is how many questions are put at once.
const parallel = 16

// transport looks at how the webhook speaks HTTP, and whether it still does after all that was asked.
func (c *checker) transport(ctx context.Context, q question) {
	sent, err := webhook.EncodeRequest(&q.req)
	if err != nil {
		return // it was encoded before
	}
	var f findings
	first, err := c.post(ctx, sent)
	if err != nil {
		f.fail("%s", err)
		c.record("it answers after malformed questions", f)
		return
	}
	c.record("it answers after malformed questions", f)

	f = findings{}
	if again, err := c.post(ctx, sent); err != nil {
		f.fail("%s", err)
	} else if !again.reused {
		f.warn("want a connection to be kept for the next question, got it closed")
	}
	c.record("connections are kept", f)

	f = findings{}
	if m, err := c.send(ctx, c.http2, http.MethodPost, "application/json", sent); err != nil {
		f.fail("%s", err)
	} else if m.proto != "HTTP/2.0" && strings.HasPrefix(c.url, "https:") {
		f.warn("want HTTP/2 for many questions at once, got %s", m.proto)
	}
	c.record("HTTP/2", f)

	f = findings{}
	future := bytes.Replace(sent, []byte(`"request":{`), []byte(`"future":{"a":[]},"request":{"future":{"a":[]},`), 1)
	if m, err := c.post(ctx, future); err != nil {
		f.fail("%s", err)
	} else if !bytes.Equal(m.body, first.body) {
		f.fail("want the same answer as without them, got %q", abbreviate(m.body))
	}
	c.record("unknown fields are ignored", f)
	c.record(fmt.Sprintf("%d questions at once", parallel), c.together(ctx, sent, first.body))
}

// together puts a question many times at once.
func (c *checker) together(ctx context.Context, sent, want []byte) findings {
	var (
		f  findings
		mu sync.Mutex
		wg sync.WaitGroup
	)
	for range parallel {
		wg.Go(func() {
			m, err := c.send(ctx, c.http2, http.MethodPost, "application/json", sent)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				f.fail("%s", err)
			case !bytes.Equal(m.body, want):
				f.fail("want the answer that one question alone gets, got %q", abbreviate(m.body))
			}
		})
	}
	wg.Wait()
	return f
}
