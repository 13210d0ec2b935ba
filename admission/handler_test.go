package admission_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

const (
	healthy = `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: caches}
spec:
  target: {apiVersion: example.com/v1, kind: Cache}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(observed)
          return observed.status.ready
        end
`
	hook = `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: caches.interpreter.example.com
  clientConfig: {url: "https://example.com/interpret"}
  rules: [{operations: ["*"], apiGroups: [example.com], apiVersions: [v1], kinds: [Cache]}]
  interpreterContextVersions: [v1alpha1]
`
)

func newHandler(t *testing.T) *admission.Handler {
	t.Helper()
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	return &admission.Handler{Checker: admission.Checker{Engines: engines}}
}

// review returns the review of an object in YAML.
func review(t *testing.T, operation admissionv1.Operation, object, old string) admissionv1.AdmissionReview {
	t.Helper()
	raw := func(text string) runtime.RawExtension {
		if text == "" {
			return runtime.RawExtension{}
		}
		data, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
		return runtime.RawExtension{Raw: data}
	}
	var meta metav1.TypeMeta
	require.NoError(t, yaml.Unmarshal([]byte(object+old), &meta))
	gvk := meta.GroupVersionKind()
	r := admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "7", Operation: operation, Object: raw(object), OldObject: raw(old),
		Kind: metav1.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
	}}
	r.APIVersion, r.Kind = "admission.k8s.io/v1", "AdmissionReview"
	return r
}

// post returns the HTTP status and the answer.
func post(t *testing.T, h http.Handler, contentType string, body any) (int, string) {
	t.Helper()
	data, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		require.NoError(t, err)
		data = string(encoded)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, admission.PathCustomization, strings.NewReader(data))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestHandler(t *testing.T) {
	other, err := customizations.Decode("", []byte(strings.Replace(healthy, "name: caches", "name: other", 1)))
	require.NoError(t, err)
	withoutRules, _, _ := strings.Cut(healthy, "    healthInt")
	broken := strings.Replace(healthy, "return observed.status.ready", "return", 1)
	broken = strings.Replace(broken, "InterpretHealth(observed)", "InterpretHealth(observed", 1)
	for _, tc := range []struct {
		reason      string
		operation   admissionv1.Operation
		object, old string
		existing    []customizations.Customization
		denied      string
		warning     string
	}{
		{"nothing is wrong", admissionv1.Create, healthy, "", nil, "", ""},
		{"a script that does not compile", admissionv1.Create, broken, "", nil, "ResourceInterpreterCustomization caches: spec.customizations.healthInterpretation: ", ""},
		{"a function that is not there", admissionv1.Create, strings.Replace(healthy, "InterpretHealth(", "Health(", 1), "", nil, "InterpretHealth", ""},
		{"a target that is none", admissionv1.Create, strings.Replace(healthy, "example.com/v1", "a/b/c", 1), "", nil, "spec.target.apiVersion", ""},
		{"a rule that there is already", admissionv1.Create, healthy, "", other, "other answers InterpretHealth of example.com/v1 Cache too", ""},
		{"a rule of its own name", admissionv1.Update, healthy, broken, customizationsOf(t, healthy), "", ""},
		{"no rule", admissionv1.Create, withoutRules + "    {}\n", "", nil, "", "spec.customizations: there is no rule"},
		{"what was wrong before does not keep the object from being labeled", admissionv1.Update, strings.Replace(broken, "name: caches", "name: caches, labels: {a: b}", 1), broken, nil, "", ""},
		{"what becomes wrong", admissionv1.Update, broken, healthy, nil, "spec.customizations.healthInterpretation", ""},
		{"a deletion", admissionv1.Delete, "", broken, nil, "", ""},
		{"a webhook", admissionv1.Create, hook, "", nil, "", ""},
		{"a webhook without TLS", admissionv1.Create, strings.Replace(hook, "https://", "http://", 1), "", nil, "webhooks[0].clientConfig.url", ""},
		{"a webhook whose authorities are none", admissionv1.Create, strings.Replace(hook, `/interpret"`, `/interpret", caBundle: Q0E=`, 1), "", nil, "webhooks[0].clientConfig.caBundle: want certificates in PEM, in base64, got none", ""},
		{"a webhook whose authorities are no base64", admissionv1.Create, strings.Replace(hook, `/interpret"`, `/interpret", caBundle: "!!"`, 1), "", nil, `webhooks[0].clientConfig.caBundle: must be of type byte: "!!"`, ""},
		{"a webhook of no version", admissionv1.Create, strings.Replace(hook, "[v1alpha1]", "[v2]", 1), "", nil, "must include v1alpha1", ""},
		{"an object of another kind", admissionv1.Create, "apiVersion: config.karmada.io/v1alpha1\nkind: Cache\n", "", nil, "got a Cache: the webhook's rules select too much", ""},
		{"an object of another group", admissionv1.Create, "apiVersion: v1\nkind: Pod\n", "", nil, `got one of "": the webhook's rules select too much`, ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			h := newHandler(t)
			h.Existing = func(context.Context) ([]customizations.Customization, error) { return tc.existing, nil }
			code, body := post(t, h, "application/json", review(t, tc.operation, tc.object, tc.old))
			require.Equal(t, http.StatusOK, code, body)
			var answer admissionv1.AdmissionReview
			require.NoError(t, json.Unmarshal([]byte(body), &answer))
			assert.Equal(t, "AdmissionReview", answer.Kind)
			assert.Equal(t, "admission.k8s.io/v1", answer.APIVersion)
			assert.EqualValues(t, "7", answer.Response.UID)
			assert.Equal(t, tc.denied == "", answer.Response.Allowed, "%v", answer.Response.Result)
			if tc.denied != "" {
				assert.Contains(t, answer.Response.Result.Message, tc.denied)
				assert.NotContains(t, answer.Response.Result.Message, ":0")
			}
			if tc.warning != "" {
				require.Len(t, answer.Response.Warnings, 1)
				assert.Contains(t, answer.Response.Warnings[0], tc.warning)
			}
		})
	}
}

func customizationsOf(t *testing.T, text string) []customizations.Customization {
	t.Helper()
	found, err := customizations.Decode("", []byte(text))
	require.NoError(t, err)
	return found
}

func TestHandlerThatCannotSeeTheOthers(t *testing.T) {
	h := newHandler(t)
	h.Existing = func(context.Context) ([]customizations.Customization, error) { return nil, errors.New("not synced") }
	_, body := post(t, h, "application/json", review(t, admissionv1.Create, healthy, ""))
	assert.Contains(t, body, `"allowed":false`)
	assert.Contains(t, body, "find the other customizations: not synced")
}

func TestHandlerRefuses(t *testing.T) {
	h := newHandler(t)
	for _, tc := range []struct {
		reason, contentType, body string
		code                      int
		want                      string
	}{
		{"another content type", "text/plain", "{}", 415, "Content-Type: want application/json"},
		{"no JSON", "application/json", "x", 400, "want an AdmissionReview: invalid character"},
		{"another kind", "application/json", `{"kind":"Pod","apiVersion":"v1"}`, 400, `got kind "Pod" of apiVersion "v1"`},
		{"no request", "application/json", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`, 400, "with a request"},
		{"too large", "application/json", `"` + strings.Repeat("a", 9<<20) + `"`, 413, "want at most 8388608 bytes"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			code, body := post(t, h, tc.contentType, tc.body)
			assert.Equal(t, tc.code, code)
			assert.Contains(t, body, tc.want)
		})
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}
