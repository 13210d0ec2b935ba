package webhook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// EncodeResponse returns the ResourceInterpreterContext that answers req with resp, or with err when that is not nil.
// A resp that breaks the contract of the operation (interpreter.Validate) is answered as an error. The same answer
// gives the same bytes.
func EncodeResponse(req *interpreter.Request, resp *interpreter.Response, err error) []byte {
	data, _ := encodeResponse(req, resp, err)
	return data
}

// encodeResponse also returns what the answer says went wrong; nil when it is successful.
func encodeResponse(req *interpreter.Request, resp *interpreter.Response, err error) ([]byte, *configv1alpha1.RequestStatus) {
	if err == nil {
		var w *configv1alpha1.ResourceInterpreterResponse
		var data []byte
		if w, err = answer(req, resp); err == nil {
			if data, err = marshalResponse(w); err == nil {
				return data, nil
			}
		}
		err = &StatusError{Code: http.StatusInternalServerError, Message: "the rule's answer: " + err.Error()}
	}
	status := statusOf(err)
	data, _ := marshalResponse(&configv1alpha1.ResourceInterpreterResponse{UID: req.UID, Status: status}) // strings always marshal
	return data, status
}

func marshalResponse(w *configv1alpha1.ResourceInterpreterResponse) ([]byte, error) {
	c := configv1alpha1.ResourceInterpreterContext{Response: w}
	c.Kind, c.APIVersion = contextKind, contextVersion
	return json.Marshal(c)
}

// answer returns the successful answer that resp is.
func answer(req *interpreter.Request, resp *interpreter.Response) (*configv1alpha1.ResourceInterpreterResponse, error) {
	if err := interpreter.Validate(req, resp); err != nil {
		return nil, err
	}
	w := &configv1alpha1.ResourceInterpreterResponse{UID: req.UID, Successful: true}
	switch req.Operation.Info().Result {
	case interpreter.ResultReplicas:
		w.Replicas, w.ReplicaRequirements = &resp.Replicas, resp.ReplicaRequirements
	case interpreter.ResultComponents:
		w.Components = resp.Components
	case interpreter.ResultObject:
		patch, err := createPatch(req.Object.Object, resp.Object.Object)
		if err != nil {
			return nil, err
		}
		if patch != nil {
			jsonPatch := configv1alpha1.PatchTypeJSONPatch
			w.Patch, w.PatchType = patch, &jsonPatch
		}
	case interpreter.ResultStatus:
		raw := []byte("{}")
		if resp.Status != nil {
			var err error
			if raw, err = appendJSON(nil, resp.Status); err != nil {
				return nil, fmt.Errorf("encode the status: %w", err)
			}
		}
		w.RawStatus = &runtime.RawExtension{Raw: raw}
	case interpreter.ResultHealth:
		healthy := resp.Health.Healthy()
		w.Healthy = &healthy
		w.Health = &configv1alpha1.Health{State: string(resp.Health.State), Message: resp.Health.Message}
	case interpreter.ResultDependencies:
		w.Dependencies = resp.Dependencies
	}
	return w, nil
}

// DecodeResponse returns the answer to req in data, a ResourceInterpreterContext. An answer that says that it is
// unsuccessful is a *StatusError; one that breaks the protocol, or the contract of the operation, is another error that
// names the field.
func DecodeResponse(req *interpreter.Request, data []byte) (*interpreter.Response, error) {
	if req.Operation.Info() == nil {
		return nil, fmt.Errorf("unknown operation %q", req.Operation)
	}
	message, err := parseMessage(data)
	if err != nil {
		return nil, err
	}
	if err := message.checkVersion(); err != nil {
		return nil, err
	}
	f := message.within("response")
	if f == nil {
		return nil, message.missing("response")
	}
	if err := checkAnswer(f, req); err != nil {
		return nil, err
	}
	resp := decodeAnswer(f, req)
	if f.err() != nil {
		return nil, f.err()
	}
	if err := interpreter.Validate(req, resp); err != nil {
		return nil, fmt.Errorf("response.%w", err)
	}
	return resp, nil
}

// checkAnswer tells why there is no successful answer to req.
func checkAnswer(f *fields, req *interpreter.Request) error {
	var uid string
	var successful bool
	var status *StatusError
	text(f, "uid", &uid)
	f.boolean("successful", &successful)
	if s := f.within("status"); s != nil {
		status = &StatusError{}
		s.number("code", &status.Code)
		text(s, "reason", &status.Reason)
		text(s, "message", &status.Message)
	}
	switch {
	case f.err() != nil:
	case uid == "" && !successful && status != nil: // refused unread, perhaps
		f.fail("uid", "want %q, that of the request, got none; the status says %s", req.UID, status)
	case uid != string(req.UID):
		f.fail("uid", "want %q, that of the request, got %q", req.UID, uid)
	case successful:
		return nil
	case status == nil:
		f.fail("status", "want one that says why the answer is not successful, got none")
	default:
		return status
	}
	return f.err()
}

// decodeAnswer returns what a successful answer says to the question req.
func decodeAnswer(f *fields, req *interpreter.Request) *interpreter.Response {
	resp := &interpreter.Response{}
	switch req.Operation.Info().Result {
	case interpreter.ResultReplicas:
		if !f.has("replicas") {
			f.fail("replicas", "want a number, got none")
		}
		f.number("replicas", &resp.Replicas)
		structured(f, "replicaRequirements", &resp.ReplicaRequirements)
	case interpreter.ResultComponents:
		structured(f, "components", &resp.Components)
	case interpreter.ResultObject:
		resp.Object = decodeObject(f, req)
	case interpreter.ResultStatus:
		if resp.Status = f.object("rawStatus"); resp.Status == nil {
			f.fail("rawStatus", "want the status, got none")
		}
	case interpreter.ResultHealth:
		resp.Health = decodeHealth(f)
	case interpreter.ResultDependencies:
		structured(f, "dependencies", &resp.Dependencies)
		resp.Dependencies = interpreter.SortDependencies(resp.Dependencies)
	}
	return resp
}

func decodeHealth(f *fields) interpreter.Health {
	if !f.has("healthy") {
		f.fail("healthy", "want true or false, got none")
	}
	var healthy bool
	f.boolean("healthy", &healthy)
	h := f.within("health")
	if h == nil {
		return interpreter.HealthOf(healthy)
	}
	var health interpreter.Health
	text(h, "state", &health.State)
	text(h, "message", &health.Message)
	if health.Healthy() != healthy {
		h.fail("state", "%s contradicts healthy: %t", health.State, healthy)
	}
	return health
}

// decodeObject returns the object of req with the answer's patch applied; of an aggregation only the status.
func decodeObject(f *fields, req *interpreter.Request) *unstructured.Unstructured {
	if f.has("patch") != f.has("patchType") {
		f.fail("patch", "want patch and patchType, or neither, got only one of them")
	}
	if !f.has("patch") {
		return req.Object.DeepCopy()
	}
	var patchType configv1alpha1.PatchType
	text(f, "patchType", &patchType)
	if patchType != configv1alpha1.PatchTypeJSONPatch {
		f.fail("patchType", "want %s, got %q", configv1alpha1.PatchTypeJSONPatch, patchType)
	}
	var encoded string
	text(f, "patch", &encoded)
	patch, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		f.fail("patch", "want base64: %w", err)
	}
	if f.err() != nil {
		return nil
	}
	content, err := applyPatch(req.Object.Object, patch)
	if err != nil {
		f.fail("patch", "%w", err)
		return nil
	}
	object := &unstructured.Unstructured{Object: content}
	if req.Operation != interpreter.AggregateStatus || interpreter.ValidateIdentity(req.Object, object) != nil {
		return object
	}
	return withStatusOf(req.Object, object)
}

// withStatusOf returns a copy of object that has the status of other, or none when other has none.
func withStatusOf(object, other *unstructured.Unstructured) *unstructured.Unstructured {
	out := make(map[string]any, len(object.Object)+1)
	for name, value := range object.Object {
		if name != "status" {
			out[name] = runtime.DeepCopyJSONValue(value)
		}
	}
	if status, ok := other.Object["status"]; ok {
		out["status"] = status
	}
	return &unstructured.Unstructured{Object: out}
}
