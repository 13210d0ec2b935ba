package admission

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFlinkMemory(t *testing.T) {
	for _, tc := range []struct {
		reason, spec string
		fields       []string
	}{
		{"megabytes of Flink are next to nothing for Kubernetes", "{jobManager: {resource: {memory: 1024m}}}", []string{"spec.jobManager.resource.memory"}},
		{
			"wherever the operator reads amounts", "{taskManager: {resources: {requests: {memory: 2048m}, limits: {memory: 4096m}}}}",
			[]string{"spec.taskManager.resources.limits.memory", "spec.taskManager.resources.requests.memory"},
		},
		{"both mean the same by these", "{jobManager: {resource: {memory: 1Gi}}, taskManager: {resource: {memory: 1024Mi}}}", nil},
		{"gigabytes of Flink are no quantity at all, and fail elsewhere", "{jobManager: {resource: {memory: 1g}}}", nil},
		{"processors are not memory", "{jobManager: {resource: {cpu: 500m}}}", nil},
		{"no text is no such amount", "{jobManager: {resource: {memory: 1024}}, taskManager: []}", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			report := checker(t).Files(t.Context(), File{Name: "f", Data: []byte(
				"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\nspec: " + tc.spec + "\n")})
			assert.Equal(t, 1, report.Objects)
			assert.False(t, HasErrors(report.Problems))
			var fields []string
			for _, p := range report.Problems {
				fields = append(fields, p.Field)
				assert.True(t, strings.HasPrefix(p.Message, "Flink reads "), p.Message)
			}
			assert.Equal(t, tc.fields, fields)
		})
	}
}
