package webhook

import (
	"encoding/base64"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
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
		var data []byte
		if data, err = encodeAnswer(req, resp); err == nil {
			return data, nil
		}
		err = &StatusError{Code: http.StatusInternalServerError, Message: "the rule's answer: " + err.Error()}
	}
	status := statusOf(err)
	return beginResponse(req, "false").raw(`,"status":`).value(status).raw(`}}`).data, status // strings always marshal
}

// beginResponse writes what every answer begins with. The fields are in the order in which the API type has them.
func beginResponse(req *interpreter.Request, successful string) *encoder {
	e := &encoder{data: make([]byte, 0, 512)}
	e.raw(`{"kind":"` + contextKind + `","apiVersion":"` + contextVersion + `","response":{"uid":`).text(string(req.UID))
	return e.raw(`,"successful":`).raw(successful)
}

// encodeAnswer returns the successful answer that resp is.
func encodeAnswer(req *interpreter.Request, resp *interpreter.Response) ([]byte, error) {
	if err := interpreter.Validate(req, resp); err != nil {
		return nil, err
	}
	e := beginResponse(req, "true")
	switch req.Operation.Info().Result {
	case interpreter.ResultReplicas:
		if resp.ReplicaRequirements != nil {
			e.raw(`,"replicaRequirements":`).value(resp.ReplicaRequirements)
		}
		e.raw(`,"replicas":`).value(int64(resp.Replicas))
	case interpreter.ResultComponents:
		if len(resp.Components) > 0 {
			e.raw(`,"components":`).value(resp.Components)
		}
	case interpreter.ResultObject:
		patch, err := createPatch(req.Object.Object, resp.Object.Object)
		if err != nil {
			return nil, err
		}
		if patch != nil {
			e.raw(`,"patch":"`)
			e.data = base64.StdEncoding.AppendEncode(e.data, patch)
			e.raw(`","patchType":"` + string(configv1alpha1.PatchTypeJSONPatch) + `"`)
		}
	case interpreter.ResultStatus:
		status := resp.Status
		if status == nil {
			status = map[string]any{}
		}
		if e.raw(`,"rawStatus":`).value(status); e.err != nil {
			return nil, fmt.Errorf("encode the status: %w", e.err)
		}
	case interpreter.ResultHealth:
		e.raw(`,"healthy":`).value(resp.Health.Healthy()).raw(`,"health":{"state":`).text(string(resp.Health.State))
		if resp.Health.Message != "" {
			e.raw(`,"message":`).text(resp.Health.Message)
		}
		e.raw(`}`)
	case interpreter.ResultDependencies:
		if len(resp.Dependencies) > 0 {
			e.raw(`,"dependencies":`).value(resp.Dependencies)
		}
	}
	return e.raw(`}}`).data, e.err
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
		return &unstructured.Unstructured{Object: value.CopyMap(req.Object.Object)}
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
	for name, field := range object.Object {
		if name != "status" {
			out[name] = value.Copy(field)
		}
	}
	if status, ok := other.Object["status"]; ok {
		out["status"] = status
	}
	return &unstructured.Unstructured{Object: out}
}
