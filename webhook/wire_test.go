package webhook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// object returns the object that the JSON is.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	var content map[string]any
	require.NoError(t, utiljson.Unmarshal([]byte(text), &content))
	return &unstructured.Unstructured{Object: content}
}

// web is a Deployment with what JSON bridges lose: a large integer, null, an empty object and an empty list.
func web(t testing.TB) *unstructured.Unstructured {
	return object(t, `{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": {"namespace": "default", "name": "web", "uid": "5", "annotations": {"a/b~c": "<&>"}},
		"spec": {"replicas": 2, "large": 9007199254740993, "nothing": null, "affinity": {}, "volumes": [], "half": 0.5}
	}`)
}

func complete(t testing.TB, req interpreter.Request) *interpreter.Request {
	t.Helper()
	if req.UID == "" {
		req.UID = "7"
	}
	require.NoError(t, req.Complete())
	return &req
}

func sameBytes(t *testing.T, want string, got []byte) {
	t.Helper()
	if want != string(got) {
		t.Errorf("want the bytes\n%s\ngot\n%s", want, got)
	}
}

// peerRequest is a request as the peer's client writes it.
const peerRequest = `{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v1alpha1","request":{` +
	`"uid":"7","kind":{"group":"apps","version":"v1","kind":"Deployment"},"name":"web","namespace":"default",` +
	`"operation":%q,"object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"}}%s}}`

func TestEncodeRequestWritesWhatThePeerWrites(t *testing.T) {
	plain := object(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"}}`)
	observed := `,"observedObject":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"}}`
	items := []interpreter.StatusItem{
		{ClusterName: "m1", Applied: true, Status: map[string]any{"replicas": int64(1)}, Health: workv1alpha2.ResourceHealthy},
		{ClusterName: "m2", AppliedMessage: "denied"},
		{ClusterName: "m3", Status: map[string]any{}},
	}
	targets := []workv1alpha2.TargetCluster{{Name: "m1", Replicas: 2}}
	for _, tc := range []struct {
		reason string
		req    interpreter.Request
		want   string
	}{
		{"replicas are always there, 0 when nobody asks for any", interpreter.Request{Operation: interpreter.InterpretReplica, Object: plain}, `,"replicas":0`},
		{"revision says how many", interpreter.Request{Operation: interpreter.ReviseReplica, Object: plain, DesiredReplicas: 3}, `,"replicas":3`},
		{"an operation that takes no replicas sends none", interpreter.Request{Operation: interpreter.InterpretHealth, Object: plain, DesiredReplicas: 3}, `,"replicas":0`},
		{"retention has two objects", interpreter.Request{Operation: interpreter.Retain, Object: plain, ObservedObject: plain}, observed + `,"replicas":0`},
		{"no list of members", interpreter.Request{Operation: interpreter.AggregateStatus, Object: plain}, `,"replicas":0`},
		{"a list without members", interpreter.Request{Operation: interpreter.AggregateStatus, Object: plain, AggregatedStatus: []interpreter.StatusItem{}}, `,"replicas":0,"aggregatedStatus":[]`},
		{
			"members with, without and with an empty status",
			interpreter.Request{Operation: interpreter.AggregateStatus, Object: plain, AggregatedStatus: items},
			`,"replicas":0,"aggregatedStatus":[{"clusterName":"m1","status":{"replicas":1},"applied":true,"health":"Healthy"},` +
				`{"clusterName":"m2","appliedMessage":"denied"},{"clusterName":"m3","status":{}}]`,
		},
		{
			"the extension says where the object goes",
			interpreter.Request{Operation: interpreter.ReviseReplica, Object: plain, DesiredReplicas: 2, Cluster: "m1", Targets: targets},
			`,"replicas":2,"cluster":"m1","targets":[{"name":"m1","replicas":2}]`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			req := complete(t, tc.req)
			data, err := webhook.EncodeRequest(req)
			require.NoError(t, err)
			sameBytes(t, fmt.Sprintf(peerRequest, tc.req.Operation, tc.want), data)

			decoded, err := webhook.DecodeRequest(data)
			require.NoError(t, err)
			want := *req
			if !want.Operation.Info().Takes(interpreter.InputReplicas) {
				want.DesiredReplicas = 0
			}
			assert.Equal(t, &want, decoded)
		})
	}
}

// TestEncodeRequestAgreesWithTheAPIType reads what was written through the type that the API has for it.
func TestEncodeRequestAgreesWithTheAPIType(t *testing.T) {
	req := complete(t, interpreter.Request{
		Operation: interpreter.AggregateStatus, Object: web(t),
		AggregatedStatus: []interpreter.StatusItem{{ClusterName: "m1", Status: map[string]any{"a": int64(math.MaxInt64)}}},
	})
	data, err := webhook.EncodeRequest(req)
	require.NoError(t, err)
	var c configv1alpha1.ResourceInterpreterContext
	require.NoError(t, json.Unmarshal(data, &c))
	again, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again))
}

func TestDecodeRequestRefuses(t *testing.T) {
	valid := fmt.Sprintf(peerRequest, "InterpretReplica", `,"replicas":0`)
	replace := func(old, with string) string {
		require.Contains(t, valid, old)
		return strings.Replace(valid, old, with, 1)
	}
	for _, tc := range []struct{ reason, data, want string }{
		{"nothing at all", "", "want a JSON object: got nothing"},
		{"not JSON", "kind: x", "want a JSON object: byte 0: want a value, got 'k'"},
		{"cut off", valid[:len(valid)-1], "want , or }, got the end of the input"},
		{"two values", valid + valid, "want the end, got '{'"},
		{"a list", "[]", "want an object, got a list"},
		{"too deep", strings.Repeat("[", 200_000), "nested deeper than 1000"},
		{"another kind", replace("ResourceInterpreterContext", "AdmissionReview"), `got kind "AdmissionReview" of apiVersion "config.karmada.io/v1alpha1"`},
		{"another version", replace("io/v1alpha1", "io/v2"), `got kind "ResourceInterpreterContext" of apiVersion "config.karmada.io/v2"`},
		{"no request", `{"kind":"ResourceInterpreterContext","apiVersion":"config.karmada.io/v1alpha1"}`, "request: want one, got none"},
		{"null request", `{"request":null}`, "request: want one, got none"},
		{"request of a wrong type", `{"request":[]}`, "request: want an object, got a list"},
		{"no uid", replace(`"uid":"7",`, ""), "request.uid: want an identifier"},
		{"unknown operation", replace("InterpretReplica", "Prune"), `unknown operation "Prune": want one of InterpretReplica`},
		{"no object", replace(`"object":{`, `"none":{`), "request: object: want an object, got none"},
		{"object of a wrong type", replace(`"object":{`, `"object":5,"none":{`), "request.object: want an object, got a number"},
		{"object without kind", replace(`"apiVersion":"apps/v1","kind":"Deployment"`, `"apiVersion":"apps/v1"`), "request: object.kind: want a kind, got none"},
		{"kind of another object", replace(`"kind":"Deployment"}`, `"kind":"Job"}`), "request.kind: want that of the object, apps/v1, Kind=Deployment, got apps/v1, Kind=Job"},
		{"replicas as text", replace(`"replicas":0`, `"replicas":"2"`), "request.replicas: want a number, got a string"},
		{"half a replica", replace(`"replicas":0`, `"replicas":2.5`), "request.replicas: want a whole number of 32 bits, got 2.5"},
		{"too many replicas", replace(`"replicas":0`, `"replicas":2147483648`), "request.replicas: want a whole number of 32 bits"},
		{
			"fewer than no replicas",
			fmt.Sprintf(peerRequest, "ReviseReplica", `,"replicas":-1`), "request: replicas: want at least 0, got -1",
		},
		{"retention without observed object", replace("InterpretReplica", "Retain"), "request: observedObject: want an object, got none"},
		{
			"a member's status is no object",
			fmt.Sprintf(peerRequest, "AggregateStatus", `,"aggregatedStatus":[{"clusterName":"m1","status":5}]`),
			"request.aggregatedStatus[0].status: want an object, got a number",
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			req, err := webhook.DecodeRequest([]byte(tc.data))
			var status *webhook.StatusError
			require.ErrorAs(t, err, &status)
			assert.EqualValues(t, 400, status.Code)
			assert.Contains(t, status.Message, tc.want)
			assert.NotNil(t, req)
		})
	}
}

func TestDecodeRequestKnowsTheUIDOfAWrongRequest(t *testing.T) {
	req, err := webhook.DecodeRequest([]byte(fmt.Sprintf(peerRequest, "Prune", "")))
	require.Error(t, err)
	assert.EqualValues(t, "7", req.UID)
}

// answers are one answer of each kind, as rules give them.
func answers(t testing.TB) map[string]struct {
	req  interpreter.Request
	resp interpreter.Response
} {
	changed := web(t)
	require.NoError(t, unstructured.SetNestedField(changed.Object, int64(7), "spec", "replicas"))
	require.NoError(t, unstructured.SetNestedField(changed.Object, "x", "metadata", "annotations", "a/b~c"))
	aggregated := web(t)
	aggregated.Object["status"] = map[string]any{"generation": int64(9007199254740993), "empty": map[string]any{}, "none": nil}
	two := resource.MustParse("2")
	type row = struct {
		req  interpreter.Request
		resp interpreter.Response
	}
	return map[string]row{
		"replicas": {
			interpreter.Request{Operation: interpreter.InterpretReplica, Object: web(t)},
			interpreter.Response{Replicas: 2, ReplicaRequirements: &workv1alpha2.ReplicaRequirements{
				ResourceRequest: corev1.ResourceList{"cpu": two}, Namespace: "default",
			}},
		},
		"no requirements": {interpreter.Request{Operation: interpreter.InterpretReplica, Object: web(t)}, interpreter.Response{}},
		"components": {
			interpreter.Request{Operation: interpreter.InterpretComponent, Object: web(t)},
			interpreter.Response{Components: []workv1alpha2.Component{{Name: "main", Replicas: 2}}},
		},
		"no components": {interpreter.Request{Operation: interpreter.InterpretComponent, Object: web(t)}, interpreter.Response{}},
		"revised":       {interpreter.Request{Operation: interpreter.ReviseReplica, Object: web(t), DesiredReplicas: 7}, interpreter.Response{Object: changed}},
		"not revised":   {interpreter.Request{Operation: interpreter.ReviseReplica, Object: web(t), DesiredReplicas: 2}, interpreter.Response{Object: web(t)}},
		"retained":      {interpreter.Request{Operation: interpreter.Retain, Object: web(t), ObservedObject: changed}, interpreter.Response{Object: changed}},
		"status":        {interpreter.Request{Operation: interpreter.InterpretStatus, Object: web(t)}, interpreter.Response{Status: map[string]any{"a": int64(9007199254740993), "b": nil, "c": []any{}}}},
		"aggregated":    {interpreter.Request{Operation: interpreter.AggregateStatus, Object: web(t)}, interpreter.Response{Object: aggregated}},
		"health":        {interpreter.Request{Operation: interpreter.InterpretHealth, Object: web(t)}, interpreter.Response{Health: interpreter.Health{State: interpreter.Suspended, Message: "paused"}}},
		"unhealthy":     {interpreter.Request{Operation: interpreter.InterpretHealth, Object: web(t)}, interpreter.Response{Health: interpreter.Health{State: interpreter.Progressing}}},
		"dependencies": {
			interpreter.Request{Operation: interpreter.InterpretDependency, Object: web(t)},
			interpreter.Response{Dependencies: []configv1alpha1.DependentObjectReference{
				{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a"},
				{APIVersion: "v1", Kind: "Secret", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
			}},
		},
	}
}

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	for name, tc := range answers(t) {
		t.Run(name, func(t *testing.T) {
			req := complete(t, tc.req)
			resp, err := webhook.DecodeResponse(req, webhook.EncodeResponse(req, &tc.resp, nil))
			require.NoError(t, err)
			assert.EqualExportedValues(t, tc.resp, *resp)
		})
	}
}

// TestEncodeResponseAgreesWithTheAPIType reads what was written through the type that the API has for it.
func TestEncodeResponseAgreesWithTheAPIType(t *testing.T) {
	check := func(t *testing.T, data []byte) {
		t.Helper()
		var c configv1alpha1.ResourceInterpreterContext
		require.NoError(t, json.Unmarshal(data, &c))
		again, err := json.Marshal(c)
		require.NoError(t, err)
		sameBytes(t, string(again), data)
	}
	for name, tc := range answers(t) {
		t.Run(name, func(t *testing.T) {
			check(t, webhook.EncodeResponse(complete(t, tc.req), &tc.resp, nil))
		})
	}
	req := complete(t, interpreter.Request{Operation: interpreter.InterpretReplica, Object: web(t), UID: `<"7">`})
	check(t, webhook.EncodeResponse(req, nil, errors.New("<no>")))
	check(t, webhook.EncodeResponse(req, nil, interpreter.ErrNotHandled))
}

func TestErrorsComeBackAsTheyWere(t *testing.T) {
	req := complete(t, interpreter.Request{Operation: interpreter.InterpretReplica, Object: web(t)})
	for _, tc := range []struct {
		reason string
		err    error
		is     error
		want   string
	}{
		{"an object that cannot be interpreted", errors.New("spec.replicas: want a number"), nil, "422: spec.replicas: want a number"},
		{"nobody answers", fmt.Errorf("%w at all", interpreter.ErrNotHandled), interpreter.ErrNotHandled, "501: no rule answers at all"},
		{"too early", interpreter.ErrNotReady, interpreter.ErrNotReady, "503: rules are not loaded yet"},
		{"the rule chose a code", &webhook.StatusError{Code: 409, Message: "busy"}, nil, "409: busy"},
		{"context that was added to a code stays", fmt.Errorf("rule x: %w", &webhook.StatusError{Code: 409, Message: "busy"}), nil, "409: rule x: 409: busy"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := webhook.DecodeResponse(req, webhook.EncodeResponse(req, nil, tc.err))
			require.EqualError(t, err, tc.want)
			if tc.is != nil {
				assert.ErrorIs(t, err, tc.is)
			}
		})
	}
}

func TestEncodeResponseRefusesAWrongAnswer(t *testing.T) {
	renamed := web(t)
	renamed.SetName("other")
	for _, tc := range []struct {
		reason string
		req    interpreter.Request
		resp   *interpreter.Response
		want   string
	}{
		{"no answer", interpreter.Request{Operation: interpreter.InterpretReplica, Object: web(t)}, nil, "500: the rule's answer: response: want one, got none"},
		{"another object", interpreter.Request{Operation: interpreter.ReviseReplica, Object: web(t)}, &interpreter.Response{Object: renamed}, `500: the rule's answer: object.metadata.name: want "web" unchanged, got "other"`},
		{"what JSON does not have", interpreter.Request{Operation: interpreter.InterpretStatus, Object: web(t)}, &interpreter.Response{Status: map[string]any{"a": math.NaN()}}, "500: the rule's answer: encode the status: json: unsupported value: NaN"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			req := complete(t, tc.req)
			_, err := webhook.DecodeResponse(req, webhook.EncodeResponse(req, tc.resp, nil))
			assert.EqualError(t, err, tc.want)
		})
	}
}

func TestOperationsAreWrittenAsTheyAre(t *testing.T) {
	_, err := webhook.DecodeRequest([]byte(fmt.Sprintf(peerRequest, "reviseReplica", "")))
	require.EqualError(t, err, `400: request: unknown operation "reviseReplica": want ReviseReplica`)
}

func TestTheWireIsForCompleteRequests(t *testing.T) {
	for _, req := range []*interpreter.Request{
		{Operation: "Divine", Object: web(t)}, {Operation: interpreter.Retain, Object: web(t)}, {Operation: interpreter.InterpretHealth},
	} {
		_, err := webhook.EncodeRequest(req)
		require.Error(t, err)
	}
	_, err := webhook.DecodeResponse(&interpreter.Request{Operation: "Divine"}, nil)
	require.EqualError(t, err, `unknown operation "Divine"`)
}
