package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestStatusesAreAccepted has an API server take the aggregated statuses of Kubernetes' own kinds: it creates each template
// of testdata/statuses.yaml, and writes the status that what the members report gives, one step after the other.
func TestStatusesAreAccepted(t *testing.T) {
	data, err := os.ReadFile("testdata/statuses.yaml")
	require.NoError(t, err)
	data, err = yaml.YAMLToJSON(data)
	require.NoError(t, err)
	var runs []struct {
		Template map[string]any `json:"template"`
		Steps    []struct {
			Reason  string         `json:"reason"`
			Members map[string]any `json:"members"`
		} `json:"steps"`
	}
	require.NoError(t, json.Unmarshal(data, &runs))
	covered := map[schema.GroupVersionKind]bool{}
	for _, run := range runs {
		object := &unstructured.Unstructured{Object: run.Template}
		covered[object.GroupVersionKind()] = true
		t.Run(object.GetKind()+"/"+object.GetName(), func(t *testing.T) {
			template := newTemplate(t, object)
			for _, step := range run.Steps {
				template.aggregate(t, step.Reason, step.Members)
			}
		})
	}
	for _, gvk := range builtin.Kinds() {
		if (builtin.Interpreter{}).Lookup(gvk, interpreter.AggregateStatus) != nil {
			assert.True(t, covered[gvk], "no statuses of a %s", gvk.Kind)
		}
	}
}

// template is an object in an API server where no controller cares for it.
type template struct {
	resource dynamic.ResourceInterface
	name     string
}

func newTemplate(t *testing.T, object *unstructured.Unstructured) *template {
	t.Helper()
	gvk := object.GroupVersionKind()
	gvr := gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
	if gvk.Kind == "Ingress" {
		gvr.Resource = "ingresses"
	}
	out := &template{Federation().ControlPlane().Dynamic().Resource(gvr), object.GetName()}
	if gvk.Kind != "PersistentVolume" {
		out.resource = Federation().ControlPlane().Dynamic().Resource(gvr).Namespace("default")
	}
	_, err := out.resource.Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		now, background := int64(0), metav1.DeletePropagationBackground
		options := metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &background}
		require.NoError(t, out.resource.Delete(cleanupContext(t), out.name, options))
	})
	return out
}

// aggregate writes the status that the members' statuses give, and wants the API server to keep all of it.
func (s *template) aggregate(t *testing.T, reason string, members map[string]any) {
	t.Helper()
	object, err := s.resource.Get(t.Context(), s.name, metav1.GetOptions{})
	require.NoError(t, err)
	items := make([]interpreter.StatusItem, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		status, _ := members[name].(map[string]any)
		items = append(items, interpreter.StatusItem{ClusterName: name, Status: status})
	}
	merged, err := interpreter.Client{Interpreter: builtin.Interpreter{}}.AggregateStatus(t.Context(), object, items)
	require.NoError(t, err, reason)
	kept, err := s.resource.UpdateStatus(t.Context(), merged, metav1.UpdateOptions{})
	require.NoError(t, err, "%s: %v with %v gave %v", reason, object.Object["status"], members, merged.Object["status"])
	lost := missing("status", merged.Object["status"], kept.Object["status"])
	require.Empty(t, lost, "%s: the API server kept %v of %v", reason, kept.Object["status"], merged.Object["status"])
}

// missing lists the values of want that are not in got.
func missing(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		m, _ := got.(map[string]any)
		var out []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			out = append(out, missing(path+"."+key, want[key], m[key])...)
		}
		return out
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return []string{path}
		}
		var out []string
		for i := range want {
			out = append(out, missing(fmt.Sprintf("%s[%d]", path, i), want[i], list[i])...)
		}
		return out
	}
	if want != got {
		return []string{path}
	}
	return nil
}

// TestJobStatusesAreAccepted lets Jobs run in members that come, go and have clocks of their own, at random: whatever
// happens there, an API server takes the aggregated status.
func TestJobStatusesAreAccepted(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		job := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(runnableJob)}
		job.SetName(fmt.Sprintf("random-%d", seed))
		stored := newTemplate(t, job)
		members := map[string]any{}
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for step := range 20 {
			now = now.Add(time.Duration(r.IntN(100)) * time.Second)
			name := fmt.Sprintf("member%d", r.IntN(1+int(seed%3)))
			switch before, ok := members[name].(map[string]any); {
			case !ok && r.IntN(3) == 0:
				members[name] = nil
			case ok && r.IntN(20) == 0:
				delete(members, name)
			default:
				skew := time.Duration(slices.Index([]string{"member0", "member1", "member2"}, name)) * time.Minute
				members[name] = runOn(r, before, now.Add(skew))
			}
			stored.aggregate(t, fmt.Sprintf("seed %d, step %d", seed, step), members)
		}
		final, err := stored.resource.Get(t.Context(), stored.name, metav1.GetOptions{})
		require.NoError(t, err)
		outcomes[outcomeOf(final)]++
	}
	t.Logf("outcomes: %v", outcomes)
	for _, outcome := range []string{"Complete", "Failed", "FailureTarget"} {
		assert.NotZero(t, outcomes[outcome], "no Job came to %s: the test shows less than it should", outcome)
	}
}

var runnableJob = map[string]any{
	"apiVersion": "batch/v1", "kind": "Job",
	"spec": map[string]any{
		"parallelism": int64(3), "completions": int64(9),
		"template": map[string]any{"spec": map[string]any{
			"restartPolicy": "Never", "containers": []any{map[string]any{"name": "work", "image": "work"}},
		}},
	},
}

// runOn returns the status of a Job in a member after it has run on for a while, as Kubernetes' controller writes it.
func runOn(r *rand.Rand, before map[string]any, now time.Time) map[string]any {
	status := runtime.DeepCopyJSON(before)
	at := now.Format(time.RFC3339)
	condition := func(kind string) any {
		return map[string]any{"type": kind, "status": "True", "reason": "Because", "lastProbeTime": at, "lastTransitionTime": at}
	}
	conditions, _ := status["conditions"].([]any)
	add := func(field string, n int64) {
		old, _ := status[field].(int64)
		if status[field] = old + n; old+n == 0 {
			delete(status, field)
		}
	}
	switch active, _ := status["active"].(int64); {
	case status == nil:
		return map[string]any{"startTime": at, "active": int64(1 + r.IntN(3))}
	case len(conditions) == 2: // finished
	case len(conditions) == 1 && active > 0:
		add("active", -1)
		add("failed", 1)
	case len(conditions) == 1:
		status["conditions"] = append(conditions, condition("Failed"))
	case active > 0 && r.IntN(3) > 0:
		add("active", -1)
		add([]string{"succeeded", "failed"}[r.IntN(2)], 1)
	case r.IntN(6) == 0:
		status["conditions"] = []any{condition("FailureTarget")}
	case active == 0 && r.IntN(2) == 0:
		status["conditions"], status["completionTime"] = []any{condition("SuccessCriteriaMet"), condition("Complete")}, at
	case active == 0:
		add("active", 1)
	}
	return status
}

// outcomeOf returns the last condition that ends a Job.
func outcomeOf(job *unstructured.Unstructured) string {
	for _, kind := range []string{"Complete", "Failed", "FailureTarget"} {
		if hasCondition(kind, "True")(job) {
			return kind
		}
	}
	return "running"
}
