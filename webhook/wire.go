package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// contextKind and contextVersion are what a message on the wire calls itself.
const contextKind = "ResourceInterpreterContext"

var contextVersion = configv1alpha1.GroupVersion.String()

// wireContext is a ResourceInterpreterContext whose objects are plain values, so that one pass writes them. The fields
// are in the order in which the API type has them.
type wireContext struct {
	Kind       string      `json:"kind"`
	APIVersion string      `json:"apiVersion"`
	Request    wireRequest `json:"request"`
}

type wireRequest struct {
	UID              types.UID                    `json:"uid"`
	Kind             metav1.GroupVersionKind      `json:"kind"`
	Name             string                       `json:"name"`
	Namespace        string                       `json:"namespace,omitempty"`
	Operation        interpreter.Operation        `json:"operation"`
	Object           map[string]any               `json:"object"`
	ObservedObject   map[string]any               `json:"observedObject,omitzero"`
	DesiredReplicas  int32                        `json:"replicas"` // always sent, as the peer's client does
	AggregatedStatus []wireItem                   `json:"aggregatedStatus,omitzero"`
	Cluster          string                       `json:"cluster,omitempty"`
	Targets          []workv1alpha2.TargetCluster `json:"targets,omitempty"`
}

type wireItem struct {
	ClusterName    string                      `json:"clusterName"`
	Status         map[string]any              `json:"status,omitzero"`
	Applied        bool                        `json:"applied,omitempty"`
	AppliedMessage string                      `json:"appliedMessage,omitempty"`
	Health         workv1alpha2.ResourceHealth `json:"health,omitempty"`
}

// EncodeRequest returns the ResourceInterpreterContext that asks req, which must be complete (Request.Complete). The
// fields that the operation does not take are left out, but replicas, which is 0 then. The same request gives the same
// bytes.
func EncodeRequest(req *interpreter.Request) ([]byte, error) {
	info := req.Operation.Info()
	if info == nil {
		return nil, fmt.Errorf("unknown operation %q", req.Operation)
	}
	w := wireRequest{
		UID:       req.UID,
		Kind:      metav1.GroupVersionKind(req.Kind),
		Name:      req.Name,
		Namespace: req.Namespace,
		Operation: req.Operation,
		Object:    req.Object.Object,
	}
	if info.Takes(interpreter.InputObserved) {
		w.ObservedObject = req.ObservedObject.Object
	}
	if info.Takes(interpreter.InputReplicas) {
		w.DesiredReplicas = req.DesiredReplicas
	}
	if info.Takes(interpreter.InputItems) && req.AggregatedStatus != nil {
		w.AggregatedStatus = make([]wireItem, len(req.AggregatedStatus))
		for i, item := range req.AggregatedStatus {
			w.AggregatedStatus[i] = wireItem(item)
		}
	}
	if info.Takes(interpreter.InputContext) {
		w.Cluster, w.Targets = req.Cluster, req.Targets
	}
	data, err := json.Marshal(wireContext{Kind: contextKind, APIVersion: contextVersion, Request: w})
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return data, nil
}

// DecodeRequest returns the complete request that data, a ResourceInterpreterContext, asks. Its error is a *StatusError
// with the code that answers it. The request is never nil: what could be read of a wrong one, the UID above all, is
// there.
func DecodeRequest(data []byte) (*interpreter.Request, error) {
	req := &interpreter.Request{}
	if err := decodeRequest(data, req); err != nil {
		if req.UID == "" && json.Valid(data) {
			req.UID = types.UID(gjson.GetBytes(data, "request.uid").String())
		}
		return req, refuse(http.StatusBadRequest, "%s", err)
	}
	return req, nil
}

func decodeRequest(data []byte, req *interpreter.Request) error {
	body, err := openContext(data, "request")
	if err != nil {
		return err
	}
	var kind metav1.GroupVersionKind
	err = eachField(body, func(name string, value gjson.Result) error {
		switch name {
		case "uid":
			return into(value, &req.UID)
		case "kind":
			return into(value, &kind)
		case "operation":
			return into(value, &req.Operation)
		case "object":
			return intoObject(value, &req.Object)
		case "observedObject":
			return intoObject(value, &req.ObservedObject)
		case "replicas":
			return into(value, &req.DesiredReplicas)
		case "aggregatedStatus":
			return intoItems(value, &req.AggregatedStatus)
		case "cluster":
			return into(value, &req.Cluster)
		case "targets":
			return into(value, &req.Targets)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("request.%w", err)
	}
	if req.UID == "" {
		return errors.New("request.uid: want an identifier of the question, got none")
	}
	if err := req.Complete(); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if asked := schema.GroupVersionKind(kind); !asked.Empty() && asked != req.Kind {
		return fmt.Errorf("request.kind: want that of the object, %s, got %s", req.Kind, asked)
	}
	return nil
}

// openContext returns the member called name of the ResourceInterpreterContext in data.
func openContext(data []byte, name string) (gjson.Result, error) {
	var none gjson.Result
	if !json.Valid(data) { // it bounds the depth too, which gjson does not
		return none, syntaxError(data)
	}
	var kind, version string
	var member gjson.Result
	err := eachField(gjson.ParseBytes(data), func(field string, value gjson.Result) error {
		switch field {
		case "kind":
			return into(value, &kind)
		case "apiVersion":
			return into(value, &version)
		case name:
			member = value
		}
		return nil
	})
	switch {
	case err != nil:
		return none, err
	case kind == "" && version == "": // both may be left out
	case kind != contextKind || version != contextVersion:
		return none, fmt.Errorf("want a %s of %s, got kind %q of apiVersion %q", contextKind, contextVersion, kind, version)
	}
	if !member.Exists() || member.Type == gjson.Null {
		return none, fmt.Errorf("%s: want one, got none", name)
	}
	return member, nil
}

// syntaxError says why data is not one JSON value.
func syntaxError(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("want a JSON object, got nothing")
	}
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("want a JSON object: byte %d of %d: %w", syntax.Offset, len(data), err)
	}
	return fmt.Errorf("want a JSON object: %w", err)
}

// eachField calls visit for each field of object, in order, so that the last of equal names wins, as it does elsewhere
// in Kubernetes. It names the field in the error.
func eachField(object gjson.Result, visit func(name string, value gjson.Result) error) error {
	if !object.IsObject() {
		return errors.New("want an object, got " + jsonType(object))
	}
	var err error
	object.ForEach(func(name, value gjson.Result) bool {
		if err = visit(name.Str, value); err != nil {
			err = fmt.Errorf("%s: %w", name.Str, err)
		}
		return err == nil
	})
	return err
}

// into decodes value into what target points to. Null leaves it as it is.
func into(value gjson.Result, target any) error {
	switch t := target.(type) {
	case *string:
		return intoString(value, t)
	case *types.UID:
		return intoString(value, t)
	case *interpreter.Operation:
		return intoString(value, t)
	case *int32:
		return intoInt32(value, t)
	}
	return utiljson.Unmarshal([]byte(value.Raw), target)
}

func intoString[S ~string](value gjson.Result, target *S) error {
	switch value.Type {
	case gjson.Null:
	case gjson.String:
		*target = S(value.Str)
	default:
		return errors.New("want a string, got " + jsonType(value))
	}
	return nil
}

func intoInt32(value gjson.Result, target *int32) error {
	switch value.Type {
	case gjson.Null:
	case gjson.Number:
		if value.Num != math.Trunc(value.Num) || value.Num < math.MinInt32 || value.Num > math.MaxInt32 {
			return fmt.Errorf("want a whole number of 32 bits, got %s", value.Raw)
		}
		*target = int32(value.Num)
	default:
		return errors.New("want a number, got " + jsonType(value))
	}
	return nil
}

// intoObject decodes value with whole numbers as int64.
func intoObject(value gjson.Result, target **unstructured.Unstructured) error {
	content, err := plainObject(value)
	if err != nil || content == nil {
		return err
	}
	*target = &unstructured.Unstructured{Object: content}
	return nil
}

// plainObject returns the object that value is, with whole numbers as int64; nil for null.
func plainObject(value gjson.Result) (map[string]any, error) {
	switch {
	case value.Type == gjson.Null:
		return nil, nil
	case !value.IsObject():
		return nil, errors.New("want an object, got " + jsonType(value))
	}
	var content map[string]any
	if err := utiljson.Unmarshal([]byte(value.Raw), &content); err != nil {
		return nil, err
	}
	return content, nil
}

func intoItems(value gjson.Result, target *[]interpreter.StatusItem) error {
	var items []workv1alpha2.AggregatedStatusItem
	if err := into(value, &items); err != nil {
		return err
	}
	decoded, err := interpreter.DecodeItems(items)
	if err != nil {
		return err
	}
	*target = decoded
	return nil
}

func jsonType(value gjson.Result) string {
	switch {
	case value.Type == gjson.Null:
		return "null"
	case value.IsArray():
		return "a list"
	case value.IsObject():
		return "an object"
	case value.IsBool():
		return "a boolean"
	case value.Type == gjson.String:
		return "a string"
	default:
		return "a number"
	}
}
