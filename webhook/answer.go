package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
			if raw, err = json.Marshal(resp.Status); err != nil {
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

// response is an answer taken apart, with the parts that only some operations need left as they came.
type response struct {
	uid        string
	successful bool
	status     *configv1alpha1.RequestStatus
	patchType  string
	// healthy and replicas are nil when the answer has none.
	healthy  *bool
	replicas *int32
	health   *configv1alpha1.Health

	// These do not exist (Result.Exists) when the answer has none, or null.
	patch, requirements, components, dependencies, rawStatus gjson.Result
}

// DecodeResponse returns the answer to req in data, a ResourceInterpreterContext. sent is what EncodeRequest returned
// for req. An answer that says that it is unsuccessful is a *StatusError; one that breaks the protocol, or the contract of
// the operation, is another error that names the field.
func DecodeResponse(req *interpreter.Request, sent, data []byte) (*interpreter.Response, error) {
	body, err := openContext(data, "response")
	if err != nil {
		return nil, err
	}
	r, err := takeApart(body)
	if err != nil {
		return nil, fmt.Errorf("response.%w", err)
	}
	switch {
	case r.uid == string(req.UID):
	case r.uid == "" && r.status != nil: // refused unread, perhaps
		return nil, fmt.Errorf("response.uid: want %q, that of the request, got none; the status says %d: %s", req.UID, r.status.Code, r.status.Message)
	default:
		return nil, fmt.Errorf("response.uid: want %q, that of the request, got %q", req.UID, r.uid)
	}
	if !r.successful {
		if r.status == nil {
			return nil, errors.New("response.status: want one that says why the answer is not successful, got none")
		}
		return nil, &StatusError{Code: r.status.Code, Reason: r.status.Reason, Message: r.status.Message}
	}
	resp, err := r.decode(req, sent)
	if err != nil {
		return nil, fmt.Errorf("response.%w", err)
	}
	if err := interpreter.Validate(req, resp); err != nil {
		return nil, fmt.Errorf("response.%w", err)
	}
	return resp, nil
}

func takeApart(body gjson.Result) (*response, error) {
	r := &response{}
	err := eachField(body, func(name string, value gjson.Result) error {
		if value.Type == gjson.Null {
			return nil
		}
		switch name {
		case "uid":
			return into(value, &r.uid)
		case "successful":
			return intoBool(value, &r.successful)
		case "status":
			return into(value, &r.status)
		case "patch":
			r.patch = value
		case "patchType":
			return into(value, &r.patchType)
		case "replicaRequirements":
			r.requirements = value
		case "replicas":
			r.replicas = new(int32)
			return into(value, r.replicas)
		case "components":
			r.components = value
		case "dependencies":
			r.dependencies = value
		case "rawStatus":
			r.rawStatus = value
		case "healthy":
			r.healthy = new(bool)
			return intoBool(value, r.healthy)
		case "health":
			return into(value, &r.health)
		}
		return nil
	})
	return r, err
}

func intoBool(value gjson.Result, target *bool) error {
	if !value.IsBool() {
		return errors.New("want a boolean, got " + jsonType(value))
	}
	*target = value.Bool()
	return nil
}

// decode returns what a successful answer says to the question req, which sent holds. Its errors begin with the field.
func (r *response) decode(req *interpreter.Request, sent []byte) (*interpreter.Response, error) {
	switch req.Operation.Info().Result {
	case interpreter.ResultReplicas:
		return r.decodeReplicas()
	case interpreter.ResultComponents:
		components, err := list[workv1alpha2.Component]("components", r.components)
		return &interpreter.Response{Components: components}, err
	case interpreter.ResultObject:
		object, err := r.decodeObject(req, sent)
		return &interpreter.Response{Object: object}, err
	case interpreter.ResultStatus:
		if !r.rawStatus.Exists() {
			return nil, errors.New("rawStatus: want the status, got none")
		}
		status, err := plainObject(r.rawStatus)
		if err != nil {
			return nil, fmt.Errorf("rawStatus: %w", err)
		}
		return &interpreter.Response{Status: status}, nil
	case interpreter.ResultHealth:
		health, err := r.decodeHealth()
		return &interpreter.Response{Health: health}, err
	case interpreter.ResultDependencies:
		refs, err := list[configv1alpha1.DependentObjectReference]("dependencies", r.dependencies)
		return &interpreter.Response{Dependencies: interpreter.SortDependencies(refs)}, err
	}
	return nil, fmt.Errorf("uid: unknown operation %q", req.Operation)
}

func (r *response) decodeReplicas() (*interpreter.Response, error) {
	if r.replicas == nil {
		return nil, errors.New("replicas: want a number, got none")
	}
	resp := &interpreter.Response{Replicas: *r.replicas}
	if r.requirements.Exists() {
		if err := into(r.requirements, &resp.ReplicaRequirements); err != nil {
			return nil, fmt.Errorf("replicaRequirements: %w", err)
		}
	}
	return resp, nil
}

func (r *response) decodeHealth() (interpreter.Health, error) {
	if r.healthy == nil {
		return interpreter.Health{}, errors.New("healthy: want true or false, got none")
	}
	if r.health == nil {
		return interpreter.HealthOf(*r.healthy), nil
	}
	health := interpreter.Health{State: interpreter.HealthState(r.health.State), Message: r.health.Message}
	if health.Healthy() != *r.healthy {
		return interpreter.Health{}, fmt.Errorf("health.state: %s contradicts healthy: %t", health.State, *r.healthy)
	}
	return health, nil
}

// decodeObject returns the object that was sent with the answer's patch applied; of an aggregation only the status.
func (r *response) decodeObject(req *interpreter.Request, sent []byte) (*unstructured.Unstructured, error) {
	if (r.patchType != "") != r.patch.Exists() {
		return nil, errors.New("patch: want patch and patchType, or neither, got only one of them")
	}
	if !r.patch.Exists() {
		return req.Object.DeepCopy(), nil
	}
	if r.patchType != string(configv1alpha1.PatchTypeJSONPatch) {
		return nil, fmt.Errorf("patchType: want %s, got %q", configv1alpha1.PatchTypeJSONPatch, r.patchType)
	}
	if r.patch.Type != gjson.String {
		return nil, errors.New("patch: want a string in base64, got " + jsonType(r.patch))
	}
	patch, err := base64.StdEncoding.DecodeString(r.patch.Str)
	if err != nil {
		return nil, fmt.Errorf("patch: want base64: %w", err)
	}
	content, err := applyPatch([]byte(gjson.GetBytes(sent, "request.object").Raw), patch)
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	object := &unstructured.Unstructured{Object: content}
	if req.Operation != interpreter.AggregateStatus {
		return object, nil
	}
	if err := interpreter.ValidateIdentity(req.Object, object); err != nil {
		return nil, err
	}
	return withStatusOf(req.Object, object), nil
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

// list returns the list that the answer's field is; nil when it has none.
func list[T any](name string, value gjson.Result) ([]T, error) {
	if !value.Exists() {
		return nil, nil
	}
	var out []T
	if err := into(value, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
