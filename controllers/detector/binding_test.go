package detector

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

// answers is an interpreter that answers each operation in the same way for every object.
type answers map[interpreter.Operation]func() (*interpreter.Response, error)

func (a answers) Lookup(_ schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	answer, ok := a[op]
	if !ok {
		return nil
	}
	return func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return answer() }
}

func TestFillReplicas(t *testing.T) {
	const template = `template: {spec: {containers: [{name: main, resources: {requests: {cpu: 100m}}}]}}`
	tenth := corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(100, resource.DecimalSI)}
	components := func(list ...workv1alpha2.Component) func() (*interpreter.Response, error) {
		return func() (*interpreter.Response, error) { return &interpreter.Response{Components: list}, nil }
	}
	needs := &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: tenth, PriorityClassName: "high"}
	for _, tc := range []struct {
		reason       string
		rules        interpreter.Interpreter
		object       string
		replicas     int32
		requirements *workv1alpha2.ReplicaRequirements
		components   []workv1alpha2.Component
		workload     bool
	}{
		{
			reason: "a Deployment", object: `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3, ` + template + `}}`,
			replicas: 3, requirements: &workv1alpha2.ReplicaRequirements{ResourceRequest: tenth}, workload: true,
		},
		{
			reason: "a Deployment that is scaled to 0 is still a workload", object: `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 0, ` + template + `}}`,
			requirements: &workv1alpha2.ReplicaRequirements{ResourceRequest: tenth}, workload: true,
		},
		{reason: "the nodes decide how many pods a DaemonSet has", object: `{apiVersion: apps/v1, kind: DaemonSet, spec: {` + template + `}}`},
		{reason: "the schedule decides how many pods a CronJob has", object: `{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {` + template + `}}}}`},
		{reason: "an object without pods", object: `{apiVersion: v1, kind: ConfigMap}`},
		{
			reason: "exactly one component becomes the replicas, with all that it needs", object: `{apiVersion: example.com/v1, kind: Thing}`,
			rules:    answers{interpreter.InterpretComponent: components(workv1alpha2.Component{Name: "a", Replicas: 2, ReplicaRequirements: needs})},
			replicas: 2, requirements: &workv1alpha2.ReplicaRequirements{ResourceRequest: tenth, PriorityClassName: "high"}, workload: true,
		},
		{
			reason: "several components stay what they are, whatever their numbers", object: `{apiVersion: example.com/v1, kind: Thing}`,
			rules:      answers{interpreter.InterpretComponent: components(workv1alpha2.Component{Name: "a"}, workv1alpha2.Component{Name: "b"})},
			components: []workv1alpha2.Component{{Name: "a"}, {Name: "b"}}, workload: true,
		},
		{
			reason: "one component of 0 leaves the word to InterpretReplica", object: `{apiVersion: example.com/v1, kind: Thing}`,
			rules: answers{
				interpreter.InterpretComponent: components(workv1alpha2.Component{Name: "a", ReplicaRequirements: needs}),
				interpreter.InterpretReplica:   func() (*interpreter.Response, error) { return &interpreter.Response{Replicas: 4}, nil },
			},
			replicas: 4, workload: true,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			rules := tc.rules
			if rules == nil {
				rules = interpreter.Chain{builtin.Interpreter{}, builtin.Generic{}}
			}
			var spec workv1alpha2.ResourceBindingSpec
			d := Detector{Interpreter: interpreter.Client{Interpreter: rules}}
			require.NoError(t, d.fillReplicas(t.Context(), &spec, decode(t, tc.object)))
			assert.Equal(t, tc.replicas, spec.Replicas)
			assert.Equal(t, tc.requirements, spec.ReplicaRequirements)
			assert.Equal(t, tc.components, spec.Components)
			assert.Equal(t, tc.workload, spec.IsWorkload())
		})
	}
}

// TestFillReplicasFails wants an error of either question to be one: it never reads as an object without pods.
func TestFillReplicasFails(t *testing.T) {
	broken := func() (*interpreter.Response, error) { return nil, errors.New("broken") }
	none := func() (*interpreter.Response, error) { return &interpreter.Response{}, nil }
	for _, rules := range []answers{
		{interpreter.InterpretComponent: broken},
		{interpreter.InterpretReplica: broken},
		{interpreter.InterpretComponent: none, interpreter.InterpretReplica: broken},
	} {
		var spec workv1alpha2.ResourceBindingSpec
		d := Detector{Interpreter: interpreter.Client{Interpreter: rules}}
		require.ErrorContains(t, d.fillReplicas(t.Context(), &spec, decode(t, `{apiVersion: example.com/v1, kind: Thing}`)), "broken")
	}
}

func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, out.UnmarshalJSON(data))
	return out
}
