package webhook

import (
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// contextKind and contextVersion are what a message on the wire calls itself.
const (
	contextKind    = "ResourceInterpreterContext"
	contextVersion = configv1alpha1.GroupName + "/v1alpha1"
)

// EncodeRequest returns the ResourceInterpreterContext that asks req, which must be complete (Request.Complete). The
// fields that the operation does not take are left out, but replicas, which is 0 then. The fields are in the order in
// which the API type has them; the same request gives the same bytes.
func EncodeRequest(req *interpreter.Request) ([]byte, error) {
	info := req.Operation.Info()
	if info == nil {
		return nil, fmt.Errorf("unknown operation %q", req.Operation)
	}
	if req.Object == nil || info.Takes(interpreter.InputObserved) && req.ObservedObject == nil {
		return nil, errors.New("want a complete request, got one without its object")
	}
	e := &encoder{data: make([]byte, 0, 4<<10)}
	e.raw(`{"kind":"` + contextKind + `","apiVersion":"` + contextVersion + `","request":{"uid":`).text(string(req.UID))
	e.raw(`,"kind":{"group":`).text(req.Kind.Group).raw(`,"version":`).text(req.Kind.Version).raw(`,"kind":`).text(req.Kind.Kind)
	e.raw(`},"name":`).text(req.Name)
	if req.Namespace != "" {
		e.raw(`,"namespace":`).text(req.Namespace)
	}
	e.raw(`,"operation":`).text(string(req.Operation)).raw(`,"object":`).value(req.Object.Object)
	if info.Takes(interpreter.InputObserved) {
		e.raw(`,"observedObject":`).value(req.ObservedObject.Object)
	}
	var replicas int32 // always sent, as the peer's client does
	if info.Takes(interpreter.InputReplicas) {
		replicas = req.DesiredReplicas
	}
	e.raw(`,"replicas":`).value(int64(replicas))
	if info.Takes(interpreter.InputItems) && req.AggregatedStatus != nil {
		e.items(req.AggregatedStatus)
	}
	if info.Takes(interpreter.InputContext) {
		if req.Cluster != "" {
			e.raw(`,"cluster":`).text(req.Cluster)
		}
		if len(req.Targets) > 0 {
			e.raw(`,"targets":`).value(req.Targets)
		}
	}
	e.raw(`}}`)
	if e.err != nil {
		return nil, fmt.Errorf("encode the request: %w", e.err)
	}
	return e.data, nil
}

// encoder writes JSON until the first error.
type encoder struct {
	data []byte
	err  error
}

func (e *encoder) raw(text string) *encoder {
	e.data = append(e.data, text...)
	return e
}

func (e *encoder) text(s string) *encoder {
	e.data = appendString(e.data, s)
	return e
}

func (e *encoder) value(v any) *encoder {
	if e.err == nil {
		e.data, e.err = appendJSON(e.data, v)
	}
	return e
}

func (e *encoder) items(items []interpreter.StatusItem) {
	separator := `,"aggregatedStatus":[`
	if len(items) == 0 {
		e.raw(separator)
	}
	for _, item := range items {
		e.raw(separator).raw(`{"clusterName":`).text(item.ClusterName)
		if item.Status != nil {
			e.raw(`,"status":`).value(item.Status)
		}
		if item.Applied {
			e.raw(`,"applied":true`)
		}
		if item.AppliedMessage != "" {
			e.raw(`,"appliedMessage":`).text(item.AppliedMessage)
		}
		if item.Health != "" {
			e.raw(`,"health":`).text(string(item.Health))
		}
		e.raw(`}`)
		separator = `,`
	}
	e.raw(`]`)
}

// DecodeRequest returns the complete request that data, a ResourceInterpreterContext, asks. Its error is a *StatusError
// with the code that answers it. The request is never nil: what could be read of a wrong one, the UID above all, is
// there.
func DecodeRequest(data []byte) (*interpreter.Request, error) {
	req := &interpreter.Request{}
	if err := decodeRequest(data, req); err != nil {
		return req, refuse(http.StatusBadRequest, "%s", err)
	}
	return req, nil
}

func decodeRequest(data []byte, req *interpreter.Request) error {
	message, err := parseMessage(data)
	if err != nil {
		return err
	}
	f := message.within("request")
	if f == nil {
		return message.missing("request")
	}
	text(f, "uid", &req.UID)
	if err := message.checkVersion(); err != nil {
		return err
	}
	text(f, "operation", &req.Operation)
	req.Object = unstructuredOf(f.object("object"))
	req.ObservedObject = unstructuredOf(f.object("observedObject"))
	f.number("replicas", &req.DesiredReplicas)
	req.AggregatedStatus = decodeItems(f)
	text(f, "cluster", &req.Cluster)
	structured(f, "targets", &req.Targets)
	kind := decodeKind(f)
	switch {
	case f.err() != nil:
		return f.err()
	case req.UID == "":
		return errors.New("request.uid: want an identifier of the question, got none")
	}
	if err := req.Complete(); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if !kind.Empty() && kind != req.Kind {
		return fmt.Errorf("request.kind: want that of the object, %s, got %s", req.Kind, kind)
	}
	return nil
}

// parseMessage returns the fields of the ResourceInterpreterContext in data.
func parseMessage(data []byte) (*fields, error) {
	value, err := parseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("want a JSON object: %w", err)
	}
	message, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want an object, got %s", describe(value))
	}
	return newFields(message), nil
}

// missing is the error of a message without the field called name.
func (f *fields) missing(name string) error {
	if err := f.checkVersion(); err != nil {
		return err
	}
	return fmt.Errorf("%s: want one, got none", name)
}

// checkVersion tells what is wrong with the message so far, its kind and version above all. Both may be left out.
func (f *fields) checkVersion() error {
	var kind, version string
	text(f, "kind", &kind)
	text(f, "apiVersion", &version)
	if f.err() == nil && (kind != "" || version != "") && (kind != contextKind || version != contextVersion) {
		return fmt.Errorf("want a %s of %s, got kind %q of apiVersion %q", contextKind, contextVersion, kind, version)
	}
	return f.err()
}

func decodeKind(f *fields) schema.GroupVersionKind {
	var gvk schema.GroupVersionKind
	if kind := f.within("kind"); kind != nil {
		text(kind, "group", &gvk.Group)
		text(kind, "version", &gvk.Version)
		text(kind, "kind", &gvk.Kind)
	}
	return gvk
}

func unstructuredOf(content map[string]any) *unstructured.Unstructured {
	if content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}

// decodeItems returns what the members report; nil when there is no list.
func decodeItems(f *fields) []interpreter.StatusItem {
	items := []interpreter.StatusItem{}
	present := f.each("aggregatedStatus", func(_, length int, element *fields) {
		if len(items) == 0 {
			items = make([]interpreter.StatusItem, 0, length)
		}
		var item interpreter.StatusItem
		text(element, "clusterName", &item.ClusterName)
		item.Status = element.object("status")
		element.boolean("applied", &item.Applied)
		text(element, "appliedMessage", &item.AppliedMessage)
		text(element, "health", &item.Health)
		items = append(items, item)
	})
	if !present {
		return nil
	}
	return items
}
