package script_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func request(op interpreter.Operation) *interpreter.Request {
	return &interpreter.Request{
		Operation: op,
		Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "namespace": "b", "uid": "c"},
		}},
	}
}

// plain decodes YAML as a script's result would be: whole numbers as int64.
func plain(t *testing.T, text string) any {
	t.Helper()
	var out struct {
		Value any `json:"value"`
	}
	require.NoError(t, yaml.Unmarshal([]byte("value: "+text), &out))
	return withInts(out.Value)
}

func withInts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = withInts(v[key])
		}
	case []any:
		for i := range v {
			v[i] = withInts(v[i])
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	}
	return v
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		reason string
		op     interpreter.Operation
		value  any
		want   string
	}{
		{"changes are for CEL", interpreter.Retain, "[{op: add, path: /spec, value: {}}]", "object: want the whole object, got a list; if it is one of changes, as kube.setStatus and kube.retain make for CEL, assign"},
		{"a fraction is no count", interpreter.InterpretReplica, 2.9, "replicas: want a whole number, got 2.9"},
		{"overflow must not wrap", interpreter.InterpretReplica, int64(math.MaxInt32 + 1), "replicas: want a whole number of 32 bits, got 2147483648"},
		{"2^63 does not fit an int64", interpreter.InterpretReplica, float64(1 << 63), "replicas: want a whole number, got 9.223372036854776e+18"},
		{"NaN is no number", interpreter.InterpretReplica, math.NaN(), "replicas: want a whole number, got NaN"},
		{"infinity is no number", interpreter.InterpretReplica, math.Inf(1), "replicas: want a whole number, got +Inf"},
		{"fewer than none", interpreter.InterpretReplica, int64(-1), "replicas: want at least 0, got -1"},
		{"text is no count", interpreter.InterpretReplica, "2", `replicas: want a whole number, got "2"`},
		{"a typing error in a key", interpreter.InterpretReplica, "{replicas: 1, requirements: {}}", "requirements: unknown field: want one of replicas, replicaRequirements"},
		{"the least of several unknown keys", interpreter.InterpretReplica, "{replicas: 1, z: 1, x: 1}", "x: unknown field: want one of replicas, replicaRequirements"},
		{"a nested unknown key", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {resourceRequests: {}}}", "replicaRequirements.resourceRequests: unknown field"},
		{"no quantity", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {resourceRequest: {cpu: lots}}}", `replicaRequirements.resourceRequest.cpu: want a quantity, got "lots"`},
		{"a quantity that takes minutes to parse", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {resourceRequest: {cpu: '1e-1000000000'}}}", "want a quantity with an exponent of at most 99"},
		{"a long quantity", interpreter.InterpretReplica, map[string]any{"replicas": int64(1), "replicaRequirements": map[string]any{"resourceRequest": map[string]any{"cpu": strings.Repeat("1", 100)}}}, "want a quantity of at most 64 characters, got 100"},
		{"a dotted key is quoted", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {resourceRequest: {nvidia.com/gpu: []}}}", `replicaRequirements.resourceRequest["nvidia.com/gpu"]: want a quantity, got a list`},
		{"labels are strings", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {nodeClaim: {nodeSelector: {disk: 1}}}}", "replicaRequirements.nodeClaim.nodeSelector.disk: want a string, got 1"},
		{"a toleration is an object", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {nodeClaim: {tolerations: [1]}}}", "replicaRequirements.nodeClaim.tolerations[0]: want an object, got 1"},
		{"affinity is decoded strictly, too", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {nodeClaim: {hardNodeAffinity: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [1]}]}]}}}}", "nodeSelectorTerms[0].matchExpressions[0].values[0]: want a string, got 1"},
		{"the element and field of a fraction", interpreter.InterpretComponent, "[{name: a, replicas: 1}, {name: b, replicas: 2.9}]", "components[1].replicas: want a whole number, got 2.9"},
		{"replicas are no default", interpreter.InterpretComponent, "[{name: a}]", "components[0].replicas: want a whole number, got nothing"},
		{"a name is needed", interpreter.InterpretComponent, "[{replicas: 1}]", "components[0].name: want a name, got none"},
		{"names are unique", interpreter.InterpretComponent, "[{name: a, replicas: 1}, {name: a, replicas: 1}]", "twice"},
		{"an object is no list", interpreter.InterpretComponent, "{name: a}", "components: want a list, got an object"},
		{"a component has no namespace", interpreter.InterpretComponent, "[{name: a, replicas: 1, replicaRequirements: {namespace: x}}]", "components[0].replicaRequirements.namespace: unknown field"},
		{"nothing is no object", interpreter.Retain, nil, "object: want an object, got nothing"},
		{"kind is required", interpreter.Retain, "{apiVersion: v1, metadata: {name: a}}", "object.kind: want a kind, got nothing"},
		{"kind is text", interpreter.Retain, "{apiVersion: v1, kind: 1}", "object.kind: want a string, got 1"},
		{"metadata is an object", interpreter.Retain, "{apiVersion: v1, kind: Thing, metadata: 1}", "object.metadata: want an object, got 1"},
		{"another name", interpreter.Retain, "{apiVersion: v1, kind: Thing, metadata: {name: x, namespace: b, uid: c}}", `object.metadata.name: want "a" unchanged, got "x"`},
		{"a status is an object", interpreter.InterpretStatus, "[1]", "status: want an object, got a list"},
		{"no state", interpreter.InterpretHealth, "Fine", "health.state: want one of"},
		{"nothing is no verdict", interpreter.InterpretHealth, nil, "health: want a boolean, a state, or a state and a message, got nothing"},
		{"a message is text", interpreter.InterpretHealth, "{state: Healthy, message: 1}", "health.message: want a string, got 1"},
		{"an object is no list, however it is made", interpreter.InterpretDependency, script.Fields{{Name: "kind", Value: "Secret"}}, "dependencies: want a list, got an object"},
		{"nothing is no list of dependencies", interpreter.InterpretDependency, nil, "dependencies: want a list, got nothing"},
		{"neither name nor selector", interpreter.InterpretDependency, "[{apiVersion: v1, kind: Secret}]", "dependencies[0]: want a name or a labelSelector of the Secret, got neither"},
		{"an invalid selector", interpreter.InterpretDependency, "[{apiVersion: v1, kind: Secret, labelSelector: {matchExpressions: [{key: a, operator: Is}]}}]", "dependencies[0].labelSelector"},
		{"positions are the script's, not those after sorting", interpreter.InterpretDependency, "[{apiVersion: v1, kind: Secret, name: z}, {apiVersion: v1, kind: Secret, name: a}, {kind: A, name: a}]", "dependencies[2].apiVersion"},
		{"no operation", "Guess", nil, `unknown operation "Guess"`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			value := test.value
			if text, ok := value.(string); ok && strings.ContainsAny(text, "{[") {
				value = plain(t, text)
			}
			resp, err := script.Decode(request(test.op), value)
			require.ErrorContains(t, err, test.want)
			assert.Nil(t, resp)
		})
	}
}

func TestDecode(t *testing.T) {
	tests := []struct {
		reason string
		op     interpreter.Operation
		value  string
		want   string
	}{
		{"a number alone", interpreter.InterpretReplica, "3", "{replicas: 3}"},
		{"a double without a fraction", interpreter.InterpretReplica, "{replicas: 3.0}", "{replicas: 3}"},
		{"every field of the requirements", interpreter.InterpretReplica,
			`{replicas: 1, replicaRequirements: {namespace: ns, priorityClassName: p, resourceRequest: {cpu: 0.5, memory: 1.024, a: "2", b: 1073741824, c: 1e3}, nodeClaim: {
			  nodeSelector: {disk: ssd}, tolerations: [{key: k, operator: Exists, value: v, effect: NoSchedule, tolerationSeconds: 300}],
			  hardNodeAffinity: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}], matchFields: [{key: f, operator: Exists}]}]}}}}`,
			`{replicas: 1, replicaRequirements: {namespace: ns, priorityClassName: p, resourceRequest: {cpu: 500m, memory: "1.024", a: "2", b: "1073741824", c: 1k}, nodeClaim: {
			  nodeSelector: {disk: ssd}, tolerations: [{key: k, operator: Exists, value: v, effect: NoSchedule, tolerationSeconds: 300}],
			  hardNodeAffinity: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}], matchFields: [{key: f, operator: Exists}]}]}}}}`},
		{"null is absent", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: null}", "{replicas: 1}"},
		{"empty requirements stay", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: {}}", "{replicas: 1, replicaRequirements: {}}"},
		{"an empty list where an object belongs is an empty object", interpreter.InterpretReplica, "{replicas: 1, replicaRequirements: []}", "{replicas: 1, replicaRequirements: {}}"},
		{"components", interpreter.InterpretComponent, "[{name: a, replicas: 1, replicaRequirements: {priorityClassName: p, resourceRequest: {cpu: 1}}}]", `[{name: a, replicas: 1, replicaRequirements: {priorityClassName: p, resourceRequest: {cpu: "1"}}}]`},
		{"no components", interpreter.InterpretComponent, "null", "[]"},
		{"an object", interpreter.ReviseReplica, "{apiVersion: v1, kind: Thing, metadata: {name: a, namespace: b, uid: c}, spec: {}, x: null}", "{apiVersion: v1, kind: Thing, metadata: {name: a, namespace: b, uid: c}, spec: {}, x: null}"},
		{"a status", interpreter.InterpretStatus, "{phase: Ready}", "{phase: Ready}"},
		{"no status", interpreter.InterpretStatus, "null", "null"},
		{"healthy", interpreter.InterpretHealth, "true", "{state: Healthy, message: ''}"},
		{"not healthy", interpreter.InterpretHealth, "false", "{state: Degraded, message: ''}"},
		{"a state", interpreter.InterpretHealth, "Suspended", "{state: Suspended, message: ''}"},
		{"a state and a message", interpreter.InterpretHealth, "{state: Progressing, message: soon}", "{state: Progressing, message: soon}"},
		{"dependencies are sorted, once each", interpreter.InterpretDependency,
			"[{apiVersion: v1, kind: Secret, name: z}, {apiVersion: v1, kind: Secret, name: a, namespace: ''}, {apiVersion: v1, kind: Secret, name: z}, {apiVersion: v1, kind: Pod, namespace: ns, labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}}]",
			"[{apiVersion: v1, kind: Pod, namespace: ns, labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}}, {apiVersion: v1, kind: Secret, name: a}, {apiVersion: v1, kind: Secret, name: z}]"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			req := request(test.op)
			resp, err := script.Decode(req, plain(t, test.value))
			require.NoError(t, err)
			got, err := script.Encode(test.op, resp)
			require.NoError(t, err)
			assert.Equal(t, plain(t, test.want), got)

			again, err := script.Decode(req, got)
			require.NoError(t, err, "what Encode returns is accepted")
			got2, err := script.Encode(test.op, again)
			require.NoError(t, err)
			assert.Equal(t, got, got2, "Decode and Encode are inverse")
		})
	}
}

func TestLenientDecoder(t *testing.T) {
	resp, err := script.Decoder{Lenient: true}.Decode(request(interpreter.InterpretComponent),
		plain(t, "[{name: a, replicas: 1, note: x, replicaRequirements: {namespace: y}}]"))
	require.NoError(t, err)
	assert.Equal(t, "a", resp.Components[0].Name)

	resp, err = script.Decoder{Lenient: true}.Decode(request(interpreter.InterpretComponent), plain(t, "[{name: a}, {name: b, replicas: null}]"))
	require.NoError(t, err, "the peer counts none")
	assert.Zero(t, resp.Components[0].Replicas)

	_, err = script.Decoder{Lenient: true}.Decode(request(interpreter.InterpretComponent), plain(t, "[{name: a, replicas: x}]"))
	require.ErrorContains(t, err, "components[0].replicas: want a whole number")
}

func TestInputs(t *testing.T) {
	req := request(interpreter.AggregateStatus)
	values := map[interpreter.Input]string{
		interpreter.InputObject:   "{apiVersion: v1, kind: Other, metadata: {name: x}}",
		interpreter.InputObserved: "{apiVersion: v1, kind: Other, metadata: {name: x}}",
		interpreter.InputReplicas: "7",
		interpreter.InputItems:    "[{clusterName: m1, status: {a: 1}, applied: true, appliedMessage: b, health: Healthy}, {clusterName: m2}]",
		interpreter.InputContext:  "{cluster: m1, targets: [{name: m1, replicas: 2, components: [{name: c, replicas: 1}]}, {name: m2, replicas: 0}]}",
	}
	for in, text := range values {
		t.Run(string(in), func(t *testing.T) {
			require.NoError(t, script.DecodeInput(req, in, plain(t, text)))
			assert.Equal(t, plain(t, text), script.EncodeInput(req, in), "EncodeInput and DecodeInput are inverse")
		})
	}
	assert.Nil(t, script.EncodeInput(&interpreter.Request{}, interpreter.InputItems), "no list is not an empty list")
	assert.Equal(t, []any{}, script.EncodeInput(&interpreter.Request{AggregatedStatus: []interpreter.StatusItem{}}, interpreter.InputItems))
	assert.Equal(t, map[string]any{}, script.EncodeInput(&interpreter.Request{}, interpreter.InputContext))

	for in, refused := range map[interpreter.Input]string{
		interpreter.InputObject:   "{kind: 1}",
		interpreter.InputReplicas: "1.5",
		interpreter.InputItems:    "[{clusterName: a, applied: maybe}]",
		interpreter.InputContext:  "{clusters: []}",
	} {
		assert.ErrorContains(t, script.DecodeInput(request(interpreter.Retain), in, plain(t, refused)), string(in))
	}
}
