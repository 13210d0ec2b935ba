package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// FuzzDecode holds that no value crashes the decoder, and that what it accepts comes back from Encode.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`3`, `true`, `"Healthy"`, `null`, `{"replicas": 1, "replicaRequirements": {"resourceRequest": {"cpu": "1e3"}}}`,
		`[{"name": "a", "replicas": 1e0, "replicaRequirements": {"nodeClaim": {"tolerations": [{"tolerationSeconds": 1}]}}}]`,
		`{"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a", "namespace": "b", "uid": "c"}}`,
		`[{"apiVersion": "v1", "kind": "Pod", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}]`,
		`{"replicas": 1, "replicaRequirements": {"resourceRequest": {"cpu": "1e-1000000000"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any
		if utiljson.Unmarshal(data, &value) != nil {
			return
		}
		for _, info := range interpreter.Operations() {
			req := request(info.Operation)
			resp, err := script.Decode(req, value)
			if err != nil {
				continue
			}
			encoded, err := script.Encode(info.Operation, resp)
			require.NoError(t, err)
			again, err := script.Decode(req, encoded)
			require.NoError(t, err)
			encodedAgain, err := script.Encode(info.Operation, again)
			require.NoError(t, err)
			assert.Equal(t, encoded, encodedAgain)
		}
	})
}
