package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// ReasonNotReady is the reason of a webhook that has not loaded its rules yet (code 503).
const ReasonNotReady = "NotReady"

// StatusError is an answer that says why there is no better one: the client returns it when a webhook answers
// successful: false, and a rule that is served may return one to choose what is answered.
//
// errors.Is(err, interpreter.ErrNotHandled) holds when the reason is NotHandled, and errors.Is(err,
// interpreter.ErrNotReady) when it is NotReady.
type StatusError struct {
	// Code is an HTTP status code: 4xx when the question is at fault, 5xx when the webhook is. A rule's 0 is answered as 422.
	Code int32
	// Reason is a machine-readable reason; often empty.
	Reason string
	// Message says what went wrong, for a person.
	Message string
}

// Error returns, for example, "422: member1: status.replicas: want a number, got a string".
func (e *StatusError) Error() string {
	return fmt.Sprintf("%d: %s", e.Code, e.Message)
}

// Is tells whether the reason is the one that target stands for.
func (e *StatusError) Is(target error) bool {
	switch target {
	case interpreter.ErrNotHandled:
		return e.Reason == configv1alpha1.ReasonNotHandled
	case interpreter.ErrNotReady:
		return e.Reason == ReasonNotReady
	}
	return false
}

// refuse returns the StatusError of a question that cannot be answered as it was put.
func refuse(code int32, format string, args ...any) *StatusError {
	return &StatusError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// statusOf returns the status that tells a client about err.
func statusOf(err error) *configv1alpha1.RequestStatus {
	status := &configv1alpha1.RequestStatus{Code: http.StatusUnprocessableEntity, Message: err.Error()}
	var refused *StatusError
	switch {
	case errors.Is(err, interpreter.ErrNotHandled):
		status.Code, status.Reason = http.StatusNotImplemented, configv1alpha1.ReasonNotHandled
	case errors.Is(err, interpreter.ErrNotReady):
		status.Code, status.Reason = http.StatusServiceUnavailable, ReasonNotReady
	case errors.As(err, &refused):
		status.Code, status.Reason = cmp.Or(refused.Code, status.Code), refused.Reason
		if err == error(refused) { //nolint:errorlint // only the bare error: context that was added to it is worth keeping
			status.Message = refused.Message
		}
	case errors.Is(err, context.DeadlineExceeded):
		status.Code = http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		status.Code = http.StatusServiceUnavailable
	}
	return status
}
