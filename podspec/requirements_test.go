package podspec_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/podspec"
)

// decode returns the plain values of a YAML object.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, unmarshal(data, &out))
	return out
}

func TestRequirementsTable(t *testing.T) {
	for _, tc := range []struct {
		reason string
		spec   string
		want   string // RequirementsValue as YAML; "" for none
	}{
		{"nothing at all", `{}`, ``},
		{"a container that asks for nothing", `{containers: [{name: a}]}`, ``},
		{"zero is nothing", `{containers: [{resources: {requests: {cpu: "0", memory: 0}}}]}`, ``},
		{
			"containers add up, whatever the suffix",
			`{containers: [{resources: {requests: {cpu: 100m, memory: 1Gi}}}, {resources: {requests: {cpu: "1.5", memory: 512Mi}}}]}`,
			`{resourceRequest: {cpu: 1600m, memory: 1536Mi}}`,
		},
		{
			"a missing request is its limit, resource by resource",
			`{containers: [{resources: {requests: {cpu: 100m}, limits: {cpu: "1", memory: 1Gi, nvidia.com/gpu: 2}}}]}`,
			`{resourceRequest: {cpu: 100m, memory: 1Gi, nvidia.com/gpu: "2"}}`,
		},
		{
			"a request of 0 that is written down is not missing",
			`{containers: [{resources: {requests: {cpu: "0"}, limits: {cpu: "1"}}}]}`,
			``,
		},
		{
			"init containers run one after the other, before the containers",
			`{initContainers: [{resources: {requests: {cpu: 300m}}}, {resources: {requests: {cpu: 500m, memory: 1Mi}}}], containers: [{resources: {requests: {cpu: 400m}}}]}`,
			`{resourceRequest: {cpu: 500m, memory: 1Mi}}`,
		},
		{
			"a restartable init container keeps running beside the containers",
			`{initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 300m}}}], containers: [{resources: {requests: {cpu: 400m}}}]}`,
			`{resourceRequest: {cpu: 700m}}`,
		},
		{
			"and beside the init containers after it, not those before it",
			`{initContainers: [{resources: {requests: {cpu: 800m}}}, {restartPolicy: Always, resources: {requests: {cpu: 300m}}}, {resources: {requests: {cpu: 600m}}}], containers: [{resources: {requests: {cpu: 100m}}}]}`,
			`{resourceRequest: {cpu: 900m}}`,
		},
		{
			"what the pod asks for as a whole replaces the sum, for cpu, memory and huge pages alone",
			`{resources: {requests: {cpu: "2", example.com/fpga: 9}}, containers: [{resources: {requests: {cpu: 100m, memory: 1Gi}}}]}`,
			`{resourceRequest: {cpu: "2", memory: 1Gi}}`,
		},
		{
			"the pod's own limit stands in only where no container asks",
			`{resources: {limits: {cpu: "2", memory: 4Gi}}, containers: [{resources: {requests: {cpu: 100m}}}]}`,
			`{resourceRequest: {cpu: 100m, memory: 4Gi}}`,
		},
		{
			"overhead comes on top of everything",
			`{overhead: {cpu: 10m, memory: 1Mi}, resources: {requests: {cpu: "1"}}, initContainers: [{resources: {requests: {memory: 9Mi}}}]}`,
			`{resourceRequest: {cpu: 1010m, memory: 10Mi}}`,
		},
		{
			"cpu is rounded up to a thousandth and memory to a byte, container by container",
			`{containers: [{resources: {requests: {cpu: 100u, memory: 100m}}}, {resources: {requests: {cpu: 100u, memory: 1500m}}}]}`,
			`{resourceRequest: {cpu: 2m, memory: "3"}}`,
		},
		{
			"a number is a quantity too",
			`{containers: [{resources: {requests: {cpu: 2, memory: 1073741824}}}, {resources: {requests: {cpu: 0.5}}}]}`,
			`{resourceRequest: {cpu: 2500m, memory: 1Gi}}`,
		},
		{
			"the node claim is selector, tolerations and required affinity; preferred affinity asks for nothing",
			`{nodeSelector: {disk: ssd}, tolerations: [{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 60}],
			  affinity: {podAffinity: {}, nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}],
			    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
			      {matchExpressions: [{key: zone, operator: In, values: [a, b]}], matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}]}}}}`,
			`{nodeClaim: {nodeSelector: {disk: ssd}, tolerations: [{key: gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 60}],
			  hardNodeAffinity: {nodeSelectorTerms: [
			      {matchExpressions: [{key: zone, operator: In, values: [a, b]}], matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}]}}}`,
		},
		{"affinity without the required part claims nothing", `{affinity: {nodeAffinity: {}}, tolerations: []}`, ``},
		{"an empty node selector that is there is kept", `{nodeSelector: {}}`, `{nodeClaim: {nodeSelector: {}}}`},
		{
			"what is counted in bytes is written with binary suffixes, anything else with decimal ones",
			`{containers: [{resources: {requests: {ephemeral-storage: 1048576, hugepages-2Mi: 4194304, memory: 9223372036854775807, pods: 2000}}}]}`,
			`{resourceRequest: {ephemeral-storage: 1Mi, hugepages-2Mi: 4Mi, memory: "9223372036854775807", pods: 2k}}`,
		},
		{"null reads as absent", `{nodeSelector: null, containers: null, resources: {requests: null, limits: {cpu: null}}, overhead: null}`, ``},
		{"a priority class is not a requirement", `{priorityClassName: high}`, ``},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			template := map[string]any{"spec": decode(t, tc.spec)}
			before := runtime.DeepCopyJSON(template)

			got, err := podspec.RequirementsValue(template)
			require.NoError(t, err)
			var want map[string]any
			if tc.want != "" {
				want = decode(t, tc.want)
			}
			assert.Equal(t, want, got)
			assert.Equal(t, before, template, "the template was modified")

			typed, err := podspec.Requirements(template)
			require.NoError(t, err)
			if want == nil {
				assert.Nil(t, typed)
				return
			}
			require.NotNil(t, typed)
			plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
			require.NoError(t, err)
			if claim, ok := want["nodeClaim"].(map[string]any); ok && len(claim["nodeSelector"].(map[string]any)) == 0 {
				delete(claim, "nodeSelector") // what the typed form's JSON leaves out
			}
			assert.Equal(t, want, plain, "typed and plain form differ")
		})
	}
}

func TestRequirementsErrors(t *testing.T) {
	for _, tc := range []struct{ reason, template, want string }{
		{"spec of the wrong shape", `{spec: [1]}`, `spec: want an object, got a list`},
		{"containers of the wrong shape", `{spec: {containers: web}}`, `spec.containers: want a list, got "web"`},
		{"a container of the wrong shape", `{spec: {containers: [{}, 3]}}`, `spec.containers[1]: want an object, got 3`},
		{"a quantity that is none", `{spec: {containers: [{resources: {requests: {cpu: lots}}}]}}`, `spec.containers[0].resources.requests.cpu: want a quantity such as 500m or 1Gi, got "lots"`},
		{"always the first of two, whatever the map yields", `{spec: {containers: [{resources: {limits: {c: x, b: x, a: x, d: x}}}]}}`, `spec.containers[0].resources.limits.a: want a quantity such as 500m or 1Gi, got "x"`},
		{"a quantity of the wrong type", `{spec: {containers: [{resources: {requests: {cpu: true}}}]}}`, `spec.containers[0].resources.requests.cpu: want a quantity such as 500m or 1Gi, got true`},
		{"a negative quantity", `{spec: {initContainers: [{resources: {limits: {memory: -1Gi}}}]}}`, `spec.initContainers[0].resources.limits.memory: want a quantity of at least 0, got "-1Gi"`},
		{"more than a number holds", `{spec: {overhead: {cpu: 10E}}}`, `spec.overhead.cpu: want a quantity of at most 9223372036854775, got "10E"`},
		{"more than a number holds, together", `{spec: {containers: [{resources: {requests: {memory: 8E}}}, {resources: {requests: {memory: 2E}}}]}}`, `spec.containers[1].resources: want together with the rest no more memory than an int64 holds, got 2000000000000000000`},
		{"more than a number holds, with the overhead", `{spec: {containers: [{resources: {requests: {memory: 8E}}}], overhead: {memory: 2E}}}`, `spec.overhead: want together with the rest no more memory than an int64 holds, got 2000000000000000000`},
		{"a node selector that is not text", `{spec: {nodeSelector: {a: 1}}}`, `spec.nodeSelector.a: want a string, got 1`},
		{"tolerations of the wrong shape", `{spec: {tolerations: [{tolerationSeconds: 1.5}]}}`, `spec.tolerations[0].tolerationSeconds: want a whole number, got 1.5`},
		{"affinity of the wrong shape", `{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{values: [a, 2]}]}]}}}}}`, `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[1]: want a string, got 2`},
		{"pod-level resources of the wrong shape", `{spec: {resources: {limits: 1}}}`, `spec.resources.limits: want an object, got 1`},
		{"a restart policy of the wrong shape", `{spec: {initContainers: [{restartPolicy: 1}]}}`, `spec.initContainers[0].restartPolicy: want a string, got 1`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			template := decode(t, tc.template)
			got, err := podspec.Requirements(template)
			assert.Nil(t, got)
			require.EqualError(t, err, tc.want)
			_, err = podspec.RequirementsValue(template)
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestRequirementsOfNil(t *testing.T) {
	got, err := podspec.Requirements(nil)
	require.NoError(t, err)
	assert.Nil(t, got)
}

// TestRequirementsAsKubernetes compares the request with what Kubernetes' own code counts, on pods made at random and
// defaulted as an API server does.
func TestRequirementsAsKubernetes(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		spec := randomSpec(r)
		got, err := podspec.SpecRequirements(spec)
		require.NoError(t, err)
		var request corev1.ResourceList
		if got != nil {
			request = got.ResourceRequest
		}

		var pod corev1.Pod
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &pod.Spec))
		setDefaults(&pod)
		want := resourcehelper.PodRequests(&pod, resourcehelper.PodResourcesOptions{})
		for name, quantity := range want {
			if quantity.IsZero() {
				delete(want, name)
			}
		}
		if len(want) != len(request) {
			t.Fatalf("seed %d: want %v, got %v of %v", seed, want, request, spec)
		}
		for name, quantity := range want {
			if mine := request[name]; quantity.Cmp(mine) != 0 {
				t.Fatalf("seed %d: %s: want %s, got %s of %v", seed, name, quantity.String(), mine.String(), spec)
			}
		}
	}
}

func randomSpec(r *rand.Rand) map[string]any {
	spec := map[string]any{}
	for _, field := range []string{"containers", "initContainers"} {
		containers := []any{}
		for i := range r.IntN(4) {
			container := map[string]any{"name": fmt.Sprint(i)}
			if r.IntN(4) > 0 {
				container["resources"] = randomResources(r)
			}
			if field == "initContainers" && r.IntN(2) == 0 {
				container["restartPolicy"] = "Always"
			}
			containers = append(containers, container)
		}
		spec[field] = containers
	}
	if r.IntN(3) == 0 {
		spec["overhead"] = randomQuantities(r)
	}
	if r.IntN(3) == 0 {
		spec["resources"] = randomResources(r)
	}
	return spec
}

func randomResources(r *rand.Rand) map[string]any {
	out := map[string]any{}
	if r.IntN(3) > 0 {
		out["requests"] = randomQuantities(r)
	}
	if r.IntN(3) > 0 {
		out["limits"] = randomQuantities(r)
	}
	return out
}

func randomQuantities(r *rand.Rand) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "nvidia.com/gpu"} {
		if r.IntN(2) == 0 {
			continue
		}
		suffixes := []string{"", "k", "M", "Ki", "Mi", "Gi"}
		if name == "cpu" {
			suffixes = []string{"", "m"}
		}
		out[name] = fmt.Sprint(r.IntN(2000)) + suffixes[r.IntN(len(suffixes))]
		if name == "cpu" && r.IntN(5) == 0 {
			out[name] = strings.Repeat("1", 1+r.IntN(3)) + ".25"
		}
	}
	return out
}

// setDefaults does what an API server does with a pod's requests when it is written.
func setDefaults(pod *corev1.Pod) {
	fill := func(requests *corev1.ResourceList, from corev1.ResourceList, supported func(corev1.ResourceName) bool) {
		for name, quantity := range from {
			if _, ok := (*requests)[name]; !ok && supported(name) {
				if *requests == nil {
					*requests = corev1.ResourceList{}
				}
				(*requests)[name] = quantity
			}
		}
	}
	all := func(corev1.ResourceName) bool { return true }
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			fill(&containers[i].Resources.Requests, containers[i].Resources.Limits, all)
		}
	}
	if pod.Spec.Resources == nil || len(pod.Spec.Resources.Limits) == 0 {
		return
	}
	together := resourcehelper.AggregateContainerRequests(pod, resourcehelper.PodResourcesOptions{})
	fill(&pod.Spec.Resources.Requests, together, resourcehelper.IsSupportedPodLevelResource)
	fill(&pod.Spec.Resources.Requests, pod.Spec.Resources.Limits, resourcehelper.IsSupportedPodLevelResource)
}

func TestRequirementsShareNothing(t *testing.T) {
	template := decode(t, `{spec: {nodeSelector: {a: b}, tolerations: [{key: k}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{values: [x]}]}]}}}}}`)
	before := runtime.DeepCopyJSON(template)
	plain, err := podspec.RequirementsValue(template)
	require.NoError(t, err)
	claim := plain["nodeClaim"].(map[string]any)
	claim["nodeSelector"].(map[string]any)["a"] = "changed"
	claim["tolerations"].([]any)[0].(map[string]any)["key"] = "changed"
	claim["hardNodeAffinity"].(map[string]any)["nodeSelectorTerms"] = nil
	typed, err := podspec.Requirements(template)
	require.NoError(t, err)
	typed.NodeClaim.HardNodeAffinity.NodeSelectorTerms[0].MatchFields[0].Values[0] = "changed"
	assert.Equal(t, before, template)
}

func TestRequirementsKeepUnknownFieldsOfTheNodeClaim(t *testing.T) {
	got, err := podspec.RequirementsValue(decode(t, `{spec: {tolerations: [{key: k, future: {}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, decode(t, `{nodeClaim: {tolerations: [{key: k, future: {}}]}}`), got)
}

func TestCanonicalQuantities(t *testing.T) {
	got, err := podspec.RequirementsValue(decode(t, `{spec: {containers: [{resources: {requests: {cpu: 2000m, memory: 1024Mi, example.com/thing: 1000}}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, decode(t, `{resourceRequest: {cpu: "2", memory: 1Gi, example.com/thing: 1k}}`), got)
}
