package conform

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// question is one well-formed question.
type question struct {
	variant string
	req     interpreter.Request
}

func (q question) name() string {
	name := q.req.Name
	if q.req.Namespace != "" {
		name = q.req.Namespace + "/" + name
	}
	text := fmt.Sprintf("%s %s %s %s", q.req.Operation, q.req.Kind.GroupVersion(), q.req.Kind.Kind, name)
	if q.variant != "" {
		text += ": " + q.variant
	}
	return text
}

// questions returns the well-formed questions about object, of every operation.
func questions(object *unstructured.Unstructured) ([]question, error) {
	var out []question
	add := func(variant string, req interpreter.Request) {
		req.Object = object
		out = append(out, question{variant: variant, req: req})
	}
	for _, info := range interpreter.Operations() {
		req := interpreter.Request{Operation: info.Operation}
		switch info.Operation {
		case interpreter.ReviseReplica:
			for _, n := range []int32{0, 1, 7, math.MaxInt32} {
				req.DesiredReplicas = n
				add(fmt.Sprintf("%d replicas", n), req)
			}
			req.DesiredReplicas = 3
			req.Cluster = "member1"
			req.Targets = []workv1alpha2.TargetCluster{{Name: "member1", Replicas: 3}, {Name: "member2", Replicas: 4}}
			add("with clusters", req)
		case interpreter.Retain:
			req.ObservedObject = object
			add("nothing changed", req)
			req.ObservedObject = observed(object)
			add("as a member cluster has it", req)
		case interpreter.AggregateStatus:
			for _, v := range statusItems(object) {
				req.AggregatedStatus = v.items
				add(v.variant, req)
			}
		default:
			add("", req)
		}
	}
	for i := range out {
		if err := out[i].req.Complete(); err != nil {
			return nil, err
		}
		out[i].req.UID = uid(i)
	}
	return out, nil
}

func uid(i int) types.UID { return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)) }

// observed returns object as a member cluster has it: with what an API server adds.
func observed(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := object.DeepCopy()
	out.SetResourceVersion("9007199254740993")
	out.SetGeneration(3)
	return out
}

type itemVariant struct {
	variant string
	items   []interpreter.StatusItem
}

func statusItems(object *unstructured.Unstructured) []itemVariant {
	status, _, _ := unstructured.NestedMap(object.Object, "status")
	one := interpreter.StatusItem{ClusterName: "member1", Status: status, Applied: true, Health: workv1alpha2.ResourceHealthy}
	two := interpreter.StatusItem{ClusterName: "member2", Status: status, Applied: true, Health: workv1alpha2.ResourceUnhealthy}
	none := interpreter.StatusItem{ClusterName: "member3", AppliedMessage: "denied by a webhook of the member"}
	empty := interpreter.StatusItem{ClusterName: "member4", Status: map[string]any{}, Applied: true, Health: workv1alpha2.ResourceUnknown}
	return []itemVariant{
		{"no list", nil},
		{"an empty list", []interpreter.StatusItem{}},
		{"one member", []interpreter.StatusItem{one}},
		{"a member without a status", []interpreter.StatusItem{none}},
		{"a member with an empty status", []interpreter.StatusItem{empty}},
		{"several members", []interpreter.StatusItem{one, two, none, empty}},
	}
}

// malformed is a question that nobody can understand.
type malformed struct {
	name        string
	method      string
	contentType string
	body        string
	uid         types.UID // what the answer should repeat; empty when it could not be read
}

// malformedQuestions breaks the question q, about a health, in every way.
func malformedQuestions(q question) ([]malformed, error) {
	valid, err := webhook.EncodeRequest(&q.req)
	if err != nil {
		return nil, err
	}
	text := string(valid)
	out := []malformed{
		{name: "no body", body: ""},
		{name: "no JSON", body: "apiVersion: config.karmada.io/v1alpha1"},
		{name: "JSON that is cut off", body: text[:len(text)/2]},
		{name: "JSON that is a list", body: "[]"},
		{name: "JSON that is too deep", body: strings.Repeat(`{"request":`, 20_000)},
		{name: "no request", body: `{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v1alpha1"}`},
		{name: "a GET", method: "GET"},
		{name: "another content type", contentType: "text/plain", body: text},
		{name: "a body of 20 MiB", body: text[:len(text)-1] + strings.Repeat(" ", 20<<20) + "}"},
	}
	for _, b := range []struct {
		name   string
		change func(message, request map[string]any)
	}{
		{"another kind", func(m, _ map[string]any) { m["kind"] = "AdmissionReview" }},
		{"another version", func(m, _ map[string]any) { m["apiVersion"] = "config.karmada.io/v0" }},
		{"an unknown operation", func(_, r map[string]any) { r["operation"] = "Divine" }},
		{"no object", func(_, r map[string]any) { delete(r, "object") }},
		{"an object that is text", func(_, r map[string]any) { r["object"] = "web" }},
		{"an object without a kind", func(_, r map[string]any) { r["object"] = map[string]any{"apiVersion": "v1"} }},
		{"ReviseReplica with text for a number", func(_, r map[string]any) { r["operation"], r["replicas"] = "ReviseReplica", "seven" }},
		{"Retain without an observed object", func(_, r map[string]any) { r["operation"] = "Retain" }},
		{"AggregateStatus with a number for a status", func(_, r map[string]any) {
			r["operation"] = "AggregateStatus"
			r["aggregatedStatus"] = []any{map[string]any{"clusterName": "member1", "status": 5}}
		}},
	} {
		var message map[string]any
		if err := json.Unmarshal(valid, &message); err != nil {
			return nil, err
		}
		request, _ := message["request"].(map[string]any)
		b.change(message, request)
		body, err := json.Marshal(message)
		if err != nil {
			return nil, err
		}
		out = append(out, malformed{name: b.name, body: string(body), uid: q.req.UID})
	}
	return out, nil
}

// samples are the objects that questions are about when nobody gives any.
func samples() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "default", "generation": int64(2), "labels": map[string]any{"app": "web"}},
		"spec": map[string]any{
			"replicas": int64(2),
			"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": "web"}},
				"spec": map[string]any{"containers": []any{map[string]any{
					"name": "web", "image": "nginx:1.29",
					"resources": map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "64Mi"}},
				}}},
			},
		},
		"status": map[string]any{
			"observedGeneration": int64(2), "replicas": int64(2), "updatedReplicas": int64(2), "readyReplicas": int64(2), "availableReplicas": int64(2),
		},
	}}}
}

// decodePatch returns the JSON patch in the answer body.
func decodePatch(body []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(gjson.GetBytes(body, "response.patch").String())
}
