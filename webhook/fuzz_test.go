package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
)

// FuzzDecodeRequest takes any bytes for a request. What is accepted says the same when it is written again.
func FuzzDecodeRequest(f *testing.F) {
	for _, info := range interpreter.Operations() {
		f.Add([]byte(fmt.Sprintf(peerRequest, info.Operation, `,"replicas":3,"cluster":"m1","targets":[{"name":"m1","replicas":3}],`+
			`"aggregatedStatus":[{"clusterName":"m1","status":{"a":1.5},"applied":true},{"clusterName":"m2","appliedMessage":"no"}],`+
			`"observedObject":{"apiVersion":"apps/v1","kind":"Deployment","a":null}`)))
	}
	f.Add([]byte(`{"request":{"uid":"1","kind":null,"operation":"Retain","object":[]}}`))
	f.Add([]byte(`{"request":{"targets":{},"aggregatedStatus":[5]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		req, err := webhook.DecodeRequest(data)
		require.NotNil(t, req)
		if err != nil {
			return
		}
		first, err := webhook.EncodeRequest(req)
		require.NoError(t, err)
		again, err := webhook.DecodeRequest(first)
		require.NoError(t, err, "%s", first)
		second, err := webhook.EncodeRequest(again)
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}

// FuzzDecodeResponse takes any bytes for an answer: it is one that keeps the contract of its operation, or an error.
func FuzzDecodeResponse(f *testing.F) {
	const ok = `{"response":{"uid":"7","successful":true,`
	for _, seed := range []string{
		ok + `"replicas":2,"replicaRequirements":{"resourceRequest":{"cpu":"1"},"nodeClaim":{"tolerations":[{}]}}}}`,
		ok + `"components":[{"name":"a","replicas":1,"replicaRequirements":{}}]}}`,
		ok + `"rawStatus":{"a":[null,{}]}}}`, ok + `"healthy":false,"health":{"state":"Degraded","message":"m"}}}`,
		ok + `"dependencies":[{"apiVersion":"v1","kind":"Secret","labelSelector":{"matchLabels":{"a":"b"}}}]}}`,
		strings.ReplaceAll(patch(`[{"op":"add","path":"/status","value":{}},{"op":"copy","from":"/spec","path":"/status/spec"}]`), "%s", "7"),
		`{"response":{"uid":"7","status":{"code":422,"message":"no"}}}`, `{"response":{"uid":"","status":{"code":1.5}}}`, `{"kind":5}`, `[]`, `{"response":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, info := range interpreter.Operations() {
			req := complete(t, interpreter.Request{Operation: info.Operation, Object: web(t), ObservedObject: web(t)})
			resp, err := webhook.DecodeResponse(req, data)
			require.Equal(t, err != nil, resp == nil)
			if err == nil {
				require.NoError(t, interpreter.Validate(req, resp))
			}
			require.Equal(t, web(t), req.Object, "it is only read")
		}
	})
}
