package federation

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const twoMembers = "{clusterAffinity: {clusterNames: [member1, member2]}}"

// A policy without replicaScheduling duplicates. The whole life of a Deployment: propagated, overridden in one member,
// scaled, edited in a member and corrected, deleted.
func TestDeployment(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  targetCluster: {clusterNames: [member1]}
  overriders:
    plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: "nginx:test"}]
`)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", twoMembers, ""))

	awaits(t, member("member1"), deployments, ns, "web", "overridden", both(image("nginx:test"), has("status.readyReplicas", int64(1))))
	awaits(t, member("member2"), deployments, ns, "web", "as the template", both(image("nginx:1"), has("status.readyReplicas", int64(1))))
	absent(t, member("member3"), deployments, ns, "web")
	awaits(t, control(), deployments, ns, "web", "aggregated", both(has("status.readyReplicas", int64(2)), has("status.replicas", int64(2)), caughtUp))
	left, err := worksOf(t.Context(), ns)
	require.NoError(t, err)
	assert.Len(t, left, 2, "one Work in each cluster's namespace")

	patch(t, control(), deployments, ns, "web", `{"spec":{"replicas":3}}`)
	awaits(t, control(), deployments, ns, "web", "scaled", both(has("status.readyReplicas", int64(6)), caughtUp))

	patch(t, member("member2"), deployments, ns, "web", `{"spec":{"replicas":7,"template":{"spec":{"containers":[{"name":"main","image":"evil"}]}}}}`)
	awaits(t, member("member2"), deployments, ns, "web", "corrected", both(has("spec.replicas", int64(3)), image("nginx:1")))

	b := awaits(t, control(), bindings, ns, "web-deployment", "fully applied", func(o *unstructured.Unstructured) error {
		if got := conditionOf(o, "FullyApplied"); got != "True" {
			return assert.AnError
		}
		return nil
	})
	assert.Equal(t, "True", conditionOf(b, "Scheduled"))

	remove(t, control(), deployments, ns, "web")
	for _, m := range shared.Members() {
		gone(t, m, deployments, ns, "web")
	}
	nothingLeft(t, ns)
}

// A Deployment that says so leaves its replicas to the members.
func TestRetainReplicas(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", "{clusterAffinity: {clusterNames: [member1]}}", ""))
	patch(t, control(), deployments, ns, "web", `{"metadata":{"labels":{"resourcetemplate.karmada.io/retain-replicas":"true"}}}`)
	awaits(t, member("member1"), deployments, ns, "web", "labelled", func(o *unstructured.Unstructured) error {
		if o.GetLabels()["resourcetemplate.karmada.io/retain-replicas"] != "true" {
			return assert.AnError
		}
		return nil
	})
	patch(t, member("member1"), deployments, ns, "web", `{"spec":{"replicas":4}}`)
	patch(t, control(), deployments, ns, "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`)
	awaits(t, member("member1"), deployments, ns, "web", "updated, with its own replicas", both(image("nginx:2"), has("spec.replicas", int64(4))))
}

// The operator is played by KWOK; the rules are those of the catalogue. No controller knows the kind.
func TestFlinkDeployment(t *testing.T) {
	crd, err := os.ReadFile("../../examples/flink/crd.yaml")
	require.NoError(t, err)
	for _, c := range append(shared.Members(), control()) {
		applyTo(t, c, "", string(crd))
	}
	ns := newNamespace(t)
	apply(t, ns, policy("flink", "flink.apache.org/v1beta1", "FlinkDeployment", "{clusterAffinity: {clusterNames: [member1]}}", "")+`
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: basic}
spec:
  flinkVersion: v1_20
  image: flink:1.20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
  jobManager: {replicas: 1, resource: {cpu: 1, memory: 1024m}}
  taskManager: {replicas: 1, resource: {cpu: 2, memory: 2048m}}
  job: {jarURI: "local:///job.jar", parallelism: 2, upgradeMode: stateless}
`)
	b := awaits(t, control(), bindings, ns, "basic-flinkdeployment", "scheduled", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Scheduled") != "True" {
			return assert.AnError
		}
		return nil
	})
	components, _, err := unstructured.NestedSlice(b.Object, "spec", "components")
	require.NoError(t, err)
	request := func(cpu, memory string) map[string]any {
		return map[string]any{"resourceRequest": map[string]any{"cpu": cpu, "memory": memory}}
	}
	assert.Equal(t, []any{
		map[string]any{"name": "jobmanager", "replicas": int64(1), "replicaRequirements": request("1", "1024m")}, // 1.024
		map[string]any{"name": "taskmanager", "replicas": int64(1), "replicaRequirements": request("2", "2048m")},
	}, components)
	template := awaits(t, control(), flinks, ns, "basic", "running", both(has("status.jobStatus.state", "RUNNING"), has("status.lifecycleState", "STABLE")))
	id, _, _ := unstructured.NestedString(template.Object, "status", "jobStatus", "jobId")
	assert.NotEmpty(t, id)
	awaits(t, control(), bindings, ns, "basic-flinkdeployment", "healthy", func(o *unstructured.Unstructured) error {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		if len(items) != 1 || items[0].(map[string]any)["health"] != "Healthy" {
			return assert.AnError
		}
		return nil
	})
	awaits(t, control(), flinks, ns, "basic", "observed", caughtUp)

	patch(t, control(), flinks, ns, "basic", `{"spec":{"job":{"parallelism":4}}}`)
	awaits(t, member("member1"), flinks, ns, "basic", "scaled", both(has("spec.job.parallelism", int64(4)), caughtUp))
	awaits(t, control(), flinks, ns, "basic", "observed", both(has("status.lifecycleState", "STABLE"), caughtUp))
	patch(t, member("member1"), flinks, ns, "basic", `{"spec":{"image":"evil"}}`)
	awaits(t, member("member1"), flinks, ns, "basic", "corrected", both(has("spec.image", "flink:1.20"), has("spec.job.parallelism", int64(4))))

	remove(t, control(), flinks, ns, "basic")
	gone(t, member("member1"), flinks, ns, "basic")
	nothingLeft(t, ns)
}

// An upgrade goes out cluster by cluster, never earlier than dispatching is allowed.
func TestSuspension(t *testing.T) {
	ns := newNamespace(t)
	suspended := func(names string) string {
		return policy("web", "apps/v1", "Deployment", "{}", "suspension: {dispatchingOnClusters: {clusterNames: "+names+"}}")
	}
	apply(t, ns, deployment("web", "nginx:1", 1)+suspended("[]"))
	for _, m := range shared.Members() {
		awaits(t, m, deployments, ns, "web", "there", image("nginx:1"))
	}
	apply(t, ns, suspended("[member1, member2]"))
	for _, m := range []string{"member1", "member2"} {
		awaits(t, control(), works, "karmada-es-"+m, workName(t, ns), "suspended", func(o *unstructured.Unstructured) error {
			if conditionOf(o, "Dispatching") != "False" {
				return assert.AnError
			}
			return nil
		})
	}
	awaits(t, control(), deployments, ns, "web", "observed", caughtUp)
	patch(t, control(), deployments, ns, "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`)
	awaits(t, member("member3"), deployments, ns, "web", "upgraded", both(image("nginx:2"), caughtUp))
	behind := func(m ...string) {
		t.Helper()
		// The template's status has what member3 reports by now, and still says that not everybody is there.
		awaits(t, control(), bindings, ns, "web-deployment", "reported by member3", reports("member3", templateGeneration(t, ns)))
		awaits(t, control(), deployments, ns, "web", "behind", func(o *unstructured.Unstructured) error {
			if caughtUp(o) == nil {
				return errors.New("observedGeneration says that every member has the template")
			}
			return nil
		})
		for _, m := range m {
			awaits(t, member(m), deployments, ns, "web", "not upgraded", image("nginx:1"))
		}
	}
	behind("member1", "member2")
	apply(t, ns, suspended("[member2]"))
	awaits(t, member("member1"), deployments, ns, "web", "upgraded", image("nginx:2"))
	behind("member2")
	apply(t, ns, suspended("[]"))
	awaits(t, member("member2"), deployments, ns, "web", "upgraded", image("nginx:2"))
	awaits(t, control(), deployments, ns, "web", "observed", caughtUp)
}

// templateGeneration returns the generation of the template web.
func templateGeneration(t *testing.T, ns string) int64 {
	t.Helper()
	o, err := control().Dynamic().Resource(deployments).Namespace(ns).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	return o.GetGeneration()
}

// reports returns a condition of a binding: the cluster reports that it has the template's generation.
func reports(cluster string, generation int64) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		for _, item := range items {
			m := item.(map[string]any)
			got, _, _ := unstructured.NestedInt64(m, "status", "resourceTemplateGeneration")
			if m["clusterName"] == cluster && got == generation {
				return nil
			}
		}
		return fmt.Errorf("%s does not report generation %d: %v", cluster, generation, items)
	}
}

// workName returns the name of the only Works of the namespace, which is the same in every cluster.
func workName(t *testing.T, namespace string) string {
	t.Helper()
	names, err := worksOf(t.Context(), namespace)
	require.NoError(t, err)
	require.NotEmpty(t, names)
	_, name, _ := strings.Cut(names[0], "/")
	return name
}

// What a workload refers to follows it, and leaves with it.
func TestDependencies(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, `
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {level: info}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: secret}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx
        envFrom: [{configMapRef: {name: config}}]
        env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: password, key: password}}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`)
	apply(t, ns, policy("web", "apps/v1", "Deployment", twoMembers, "propagateDeps: true"))
	for _, m := range []string{"member1", "member2"} {
		awaits(t, member(m), configMaps, ns, "config", "there", has("data.level", "info"))
		awaits(t, member(m), secrets, ns, "password", "there", has("type", "Opaque"))
		awaits(t, member(m), claims, ns, "data", "there", has("kind", "PersistentVolumeClaim"))
	}
	absent(t, member("member3"), configMaps, ns, "config")
	patch(t, control(), configMaps, ns, "config", `{"data":{"level":"debug"}}`)
	awaits(t, member("member1"), configMaps, ns, "config", "changed", has("data.level", "debug"))

	// The binding of one that is still referred to is made again.
	uid := awaits(t, control(), bindings, ns, "config-configmap", "there", has("kind", "ResourceBinding")).GetUID()
	remove(t, control(), bindings, ns, "config-configmap")
	awaits(t, control(), bindings, ns, "config-configmap", "another", func(o *unstructured.Unstructured) error {
		if o.GetUID() == uid {
			return errors.New("it is the same")
		}
		return nil
	})
	awaits(t, member("member1"), configMaps, ns, "config", "there", has("data.level", "debug"))

	// One that is not referred to any more leaves; the others stay.
	patch(t, control(), deployments, ns, "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx","envFrom":[{"configMapRef":{"name":"config"}}]}]}}}}`)
	gone(t, member("member1"), secrets, ns, "password")
	awaits(t, member("member1"), configMaps, ns, "config", "there", has("data.level", "debug"))

	remove(t, control(), deployments, ns, "web")
	for _, m := range []string{"member1", "member2"} {
		gone(t, member(m), configMaps, ns, "config")
		gone(t, member(m), claims, ns, "data")
	}
	nothingLeft(t, ns)
	_, err := control().Dynamic().Resource(configMaps).Namespace(ns).Get(t.Context(), "config", metav1.GetOptions{})
	require.NoError(t, err, "the template itself stays")
}

// A Secret that only accompanies a workload gets a policy of its own: it goes where both say, and follows each of them.
func TestDependencyWithPolicy(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, `
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: old}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx, envFrom: [{secretRef: {name: password}}]}]}
---
`+policy("web", "apps/v1", "Deployment", onlyMember1, "propagateDeps: true"))
	password := func(want string) func(*unstructured.Unstructured) error {
		return has("data.password", base64.StdEncoding.EncodeToString([]byte(want)))
	}
	awaits(t, member("member1"), secrets, ns, "password", "there", password("old"))
	patch(t, control(), secrets, ns, "password", `{"stringData":{"password":"new"}}`)
	awaits(t, member("member1"), secrets, ns, "password", "changed", password("new"))
	absent(t, member("member2"), secrets, ns, "password")

	apply(t, ns, policy("password", "v1", "Secret", "{clusterAffinity: {clusterNames: [member2]}}", ""))
	awaits(t, member("member2"), secrets, ns, "password", "there", password("new"))
	patch(t, control(), secrets, ns, "password", `{"stringData":{"password":"newer"}}`)
	for _, m := range []string{"member1", "member2"} {
		awaits(t, member(m), secrets, ns, "password", "changed", password("newer"))
	}
	remove(t, control(), deployments, ns, "web")
	gone(t, member("member1"), secrets, ns, "password")
	awaits(t, member("member2"), secrets, ns, "password", "there", password("newer"))
	remove(t, control(), secrets, ns, "password")
	gone(t, member("member2"), secrets, ns, "password")
	nothingLeft(t, ns)
}

// Replicas are divided by weight, and each member reports its share.
func TestDivided(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 6)+policy("web", "apps/v1", "Deployment", `{clusterAffinity: {clusterNames: [member1, member2]}, replicaScheduling: {
    replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [
    {targetCluster: {clusterNames: [member1]}, weight: 1}, {targetCluster: {clusterNames: [member2]}, weight: 2}]}}}`, ""))
	awaits(t, member("member1"), deployments, ns, "web", "a third", has("status.readyReplicas", int64(2)))
	awaits(t, member("member2"), deployments, ns, "web", "two thirds", has("status.readyReplicas", int64(4)))
	awaits(t, control(), deployments, ns, "web", "all", both(has("status.readyReplicas", int64(6)), caughtUp))
}
