package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// The paths at which Karmada's webhooks validate the two kinds. A Handler answers for both kinds at any path.
const (
	PathCustomization        = "/validate-resourceinterpretercustomization"
	PathWebhookConfiguration = "/validate-resourceinterpreterwebhookconfiguration"
)

// maxReview is how large a review may be: two objects of the largest size that Kubernetes stores, and more.
const maxReview = 8 << 20

// A Handler answers the admission reviews (admission.k8s.io/v1) of customizations and webhook configurations: it denies
// what has errors, and passes warnings on. An update that does not change what the object says, such as one of its labels
// or finalizers, is always allowed, and so is a deletion. It is safe for concurrent use.
type Handler struct {
	// Checker finds what is wrong.
	Checker Checker
	// Existing returns the customizations that there are, to look for conflicts with. Its error denies the request, which
	// may then be tried again. Nil looks for none.
	Existing func(context.Context) ([]customizations.Customization, error)
}

var _ http.Handler = (*Handler)(nil)

// ServeHTTP answers one review. What is no review is answered with an HTTP status of 400, 405, 413 or 415.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	review, code, err := readReview(w, r)
	if err != nil {
		http.Error(w, err.Error(), code)
		return
	}
	answer := admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: h.Review(r.Context(), review.Request)}
	answer.Response.UID = review.Request.UID
	data, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // an error means that nobody listens any more
}

// readReview returns the review in the request's body, or the HTTP status that says what is wrong.
func readReview(w http.ResponseWriter, r *http.Request) (review *admissionv1.AdmissionReview, code int, err error) {
	if r.Method != http.MethodPost {
		return nil, http.StatusMethodNotAllowed, fmt.Errorf("want a POST, got a %s", r.Method)
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("Content-Type: want application/json, got %q", r.Header.Get("Content-Type"))
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReview))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("body: want at most %d bytes, got more", large.Limit)
	case err != nil:
		return nil, http.StatusBadRequest, fmt.Errorf("read the body: %w", err)
	}
	review = &admissionv1.AdmissionReview{}
	if err := json.Unmarshal(data, review); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("want an AdmissionReview: %w", err)
	}
	if review.APIVersion != admissionv1.SchemeGroupVersion.String() || review.Kind != "AdmissionReview" || review.Request == nil {
		return nil, http.StatusBadRequest, fmt.Errorf("want an AdmissionReview of %s with a request, got kind %q of apiVersion %q",
			admissionv1.SchemeGroupVersion, review.Kind, review.APIVersion)
	}
	return review, 0, nil
}

// Review answers one request. The answer has no UID.
func (h *Handler) Review(ctx context.Context, req *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	if req.Operation == admissionv1.Delete {
		return &admissionv1.AdmissionResponse{Allowed: true}
	}
	if req.Operation == admissionv1.Update && sameContent(req.OldObject.Raw, req.Object.Raw) {
		return &admissionv1.AdmissionResponse{Allowed: true}
	}
	var problems []Problem
	var err error
	switch {
	case req.Kind.Group != configv1alpha1.GroupVersion.Group:
		err = fmt.Errorf("want an object of %s, got one of %q: the webhook's rules select too much", configv1alpha1.GroupVersion.Group, req.Kind.Group)
	case req.Kind.Kind == customizations.Kind:
		problems, err = h.customization(ctx, req.Object.Raw)
	case req.Kind.Kind == webhookKind:
		problems, err = h.webhookConfiguration(ctx, req.Object.Raw)
	default:
		err = fmt.Errorf("want a %s or %s, got a %s: the webhook's rules select too much", customizations.Kind, webhookKind, req.Kind.Kind)
	}
	if err != nil {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Code: http.StatusInternalServerError, Message: err.Error()}}
	}
	return verdict(sorted(problems))
}

// customization returns what is wrong with the customization in data, by itself and beside the others.
func (h *Handler) customization(ctx context.Context, data []byte) ([]Problem, error) {
	found, err := customizations.Decode("", data)
	if err != nil {
		return fileProblems(err), nil
	}
	var existing []customizations.Customization
	if h.Existing != nil {
		if existing, err = h.Existing(ctx); err != nil {
			return nil, fmt.Errorf("find the other customizations: %w", err)
		}
	}
	var problems []Problem
	for _, c := range found {
		problems = append(problems, h.Checker.Customization(c)...)
		problems = append(problems, Conflicts(c, existing)...)
	}
	return problems, nil
}

func (h *Handler) webhookConfiguration(ctx context.Context, data []byte) ([]Problem, error) {
	objects, err := manifest.Objects("", data)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for i := range objects {
		problems = append(problems, h.Checker.webhookConfiguration(ctx, &objects[i])...)
	}
	return problems, nil
}

// sameContent tells whether two objects differ in their metadata and status at most.
func sameContent(a, b []byte) bool {
	var objects [2]map[string]any
	for i, data := range [][]byte{a, b} {
		if utiljson.Unmarshal(data, &objects[i]) != nil {
			return false
		}
		delete(objects[i], "metadata")
		delete(objects[i], "status")
	}
	return equality.Semantic.DeepEqual(objects[0], objects[1])
}

// verdict denies when one of problems is an error.
func verdict(problems []Problem) *admissionv1.AdmissionResponse {
	resp := &admissionv1.AdmissionResponse{Allowed: true}
	var denied []string
	for _, p := range problems {
		p.Line, p.Column = 0, 0 // of JSON that nobody has seen; the snippet shows the place
		if p.Severity == script.Error {
			denied = append(denied, p.Error())
			continue
		}
		p.Severity, p.Snippet, p.Object = "", "", "" // clients say that it is a warning, and about which object
		resp.Warnings = append(resp.Warnings, p.Error())
	}
	if len(denied) > 0 {
		resp.Allowed = false
		resp.Result = &metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: strings.Join(denied, "\n"),
		}
	}
	return resp
}
