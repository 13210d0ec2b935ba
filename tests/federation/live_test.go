package federation

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/manifest"
)

const crontabDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  names: {kind: CronTab, listKind: CronTabList, plural: crontabs, singular: crontab}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources: {status: {}}
`

func crontabRules(phase string) string {
	return `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: crontab}
spec:
  target: {apiVersion: stable.example.com/v1, kind: CronTab}
  customizations:
    replicaResource: {celExpression: 'object.spec.replicas'}
    replicaRevision: {celExpression: '{"spec": {"replicas": replicas}}'}
    healthInterpretation: {celExpression: 'object.?status.ready.orValue(0) == object.spec.replicas'}
    statusAggregation:
      luaScript: |
        function AggregateStatus(desiredObj, items)
          local ready = 0
          for i = 1, #items do
            if items[i].status ~= nil then ready = ready + (items[i].status.ready or 0) end
          end
          desiredObj.status = {ready = ready, phase = "` + phase + `"}
          return desiredObj
        end
`
}

var crontabs = schema.GroupVersionResource{Group: "stable.example.com", Version: "v1", Resource: "crontabs"}

// A definition and its rules are installed after the controllers started and after the policy that names the kind; an
// edit of a rule changes what was aggregated before.
func TestKindInstalledLater(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, policy("crontab", "stable.example.com/v1", "CronTab", `{clusterAffinity: {clusterNames: [member1, member2]}, replicaScheduling: {replicaSchedulingType: Divided}}`, ""))
	found, err := manifest.Objects("crontab", []byte(crontabDefinition))
	require.NoError(t, err)
	install(t, []definition{{object: found[0].Unstructured, resource: crontabs}})
	apply(t, "", crontabRules("first"))
	t.Cleanup(func() {
		_ = control().Dynamic().Resource(customizations).Delete(context.WithoutCancel(t.Context()), "crontab", metav1.DeleteOptions{})
	})
	awaits(t, control(), customizations, "", "crontab", "ready", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Ready") != "True" {
			return fmt.Errorf("status is %v", o.Object["status"])
		}
		return has("status.engine", "CEL, Lua")(o)
	})
	apply(t, ns, "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: it}\nspec: {replicas: 5}\n")
	awaits(t, member("member1"), crontabs, ns, "it", "its share", has("spec.replicas", int64(3)))
	awaits(t, member("member2"), crontabs, ns, "it", "its share", has("spec.replicas", int64(2)))
	patch(t, member("member1"), crontabs, ns, "it", `{"status":{"ready":3}}`, "status")
	patch(t, member("member2"), crontabs, ns, "it", `{"status":{"ready":2}}`, "status")
	awaits(t, control(), crontabs, ns, "it", "aggregated", both(has("status.ready", int64(5)), has("status.phase", "first")))

	edited := time.Now()
	apply(t, "", crontabRules("second"))
	awaits(t, control(), crontabs, ns, "it", "aggregated anew", has("status.phase", "second"))
	t.Logf("an edit took effect on an object after %s", time.Since(edited).Round(time.Millisecond))

	remove(t, control(), crontabs, ns, "it")
	gone(t, member("member1"), crontabs, ns, "it")
	nothingLeft(t, ns)
}

// A rule that does not compile says so in its status, with the place, and answers with that error; others work.
func TestBrokenRule(t *testing.T) {
	apply(t, "", `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: broken}
spec:
  target: {apiVersion: broken.example.com/v1, kind: Broken}
  customizations:
    healthInterpretation: {luaScript: "function InterpretHealth(o)\n  return o.status.\nend"}
    replicaResource: {celExpression: 'object.spec.replicas'}
`)
	t.Cleanup(func() {
		_ = control().Dynamic().Resource(customizations).Delete(context.WithoutCancel(t.Context()), "broken", metav1.DeleteOptions{})
	})
	o := awaits(t, control(), customizations, "", "broken", "not ready", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Ready") != "False" {
			return fmt.Errorf("status is %v", o.Object["status"])
		}
		return nil
	})
	text, err := json.Marshal(o.Object["status"])
	require.NoError(t, err)
	assert.Contains(t, string(text), "broken.healthInterpretation:3")
}

// kubectl shows clusters and rules as their definitions say.
func TestKubectl(t *testing.T) {
	kubectl := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), shared.Binary(clusters.Kubectl), args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+shared.Kubeconfig)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	patch(t, control(), clusterResource, "", "member1", `{"spec":{"zones":["a","b"]}}`)
	defer patch(t, control(), clusterResource, "", "member1", `{"spec":{"zones":null}}`)
	lines := strings.Split(kubectl("--context", clusters.ControlPlane, "get", "clusters", "-o", "wide"), "\n")
	assert.Equal(t, []string{"NAME", "VERSION", "MODE", "READY", "AGE", "ZONES", "REGION", "PROVIDER", "API-ENDPOINT", "PROXY-URL"}, strings.Fields(lines[0]))
	row := strings.Fields(lines[1])
	require.GreaterOrEqual(t, len(row), 9)
	row[4] = "" // its age
	assert.Equal(t, []string{"member1", clusters.KubernetesVersion, "Push", "True", "", `["a","b"]`, "member1", "local", member("member1").Server}, row[:9])
	apply(t, "", crontabRules("shown"))
	t.Cleanup(func() {
		_ = control().Dynamic().Resource(customizations).Delete(context.WithoutCancel(t.Context()), "crontab", metav1.DeleteOptions{})
	})
	eventually(t, "kubectl get ric to show the rules", func(context.Context) error {
		out := kubectl("--context", clusters.ControlPlane, "get", "ric", "crontab")
		for _, want := range []string{"stable.example.com/v1", "CronTab", "CEL, Lua", "True"} {
			if !strings.Contains(out, want) {
				return fmt.Errorf("no %q in %s", want, out)
			}
		}
		return nil
	})
}

// A field that is accepted and does nothing yet is answered with a warning that says so.
func TestWarnings(t *testing.T) {
	ns := newNamespace(t)
	file := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(file, []byte(policy("web", "apps/v1", "Deployment", twoMembers,
		"failover: {application: {decisionConditions: {tolerationSeconds: 60}}}")), 0o600))
	cmd := exec.CommandContext(t.Context(), shared.Binary(clusters.Kubectl), "--context", clusters.ControlPlane, "--namespace", ns, "apply", "-f", file)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+shared.Kubeconfig)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "spec.failover has no effect yet")
	assert.Contains(t, string(out), "propagationpolicy.policy.karmada.io/web created")
}

// The status of a Workflow is no subresource: that the federation writes it is no reason to dispatch the object again.
func TestStatusWithoutSubresource(t *testing.T) {
	all := definitions(t)
	install(t, all)
	ns := newNamespace(t)
	workflows := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}
	apply(t, "", `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: workflow}
spec:
  target: {apiVersion: argoproj.io/v1alpha1, kind: Workflow}
  customizations:
    statusAggregation:
      luaScript: |
        function AggregateStatus(desiredObj, items)
          if items[1] ~= nil then desiredObj.status = items[1].status end
          return desiredObj
        end
`)
	defer remove(t, control(), customizations, "", "workflow")
	apply(t, ns, "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: it}\nspec: {entrypoint: main}\n---\n"+
		policy("workflow", "argoproj.io/v1alpha1", "Workflow", onlyMember1, ""))
	awaits(t, member("member1"), workflows, ns, "it", "there", has("spec.entrypoint", "main"))
	for _, phase := range []string{"Running", "Succeeded"} {
		patch(t, member("member1"), workflows, ns, "it", `{"status":{"phase":"`+phase+`"}}`)
		awaits(t, control(), workflows, ns, "it", "aggregated", has("status.phase", phase))
	}
	names, err := worksOf(t.Context(), ns)
	require.NoError(t, err)
	require.Len(t, names, 1)
	_, name, _ := strings.Cut(names[0], "/")
	work, err := control().Dynamic().Resource(works).Namespace("karmada-es-member1").Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, int64(1), work.GetGeneration(), "the Work is as it was first written")
	o, err := member("member1").Dynamic().Resource(workflows).Namespace(ns).Get(t.Context(), "it", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, int64(3), o.GetGeneration(), "nobody has changed it but its operator, twice")

	patch(t, control(), workflows, ns, "it", `{"spec":{"entrypoint":"other"}}`)
	awaits(t, member("member1"), workflows, ns, "it", "changed, with its status", both(has("spec.entrypoint", "other"), has("status.phase", "Succeeded")))
}

// The controller manager is restarted while objects change: nothing is lost, and what was there is not written again.
func TestManagerRestart(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("stays", "nginx:1", 1)+deployment("goes", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", twoMembers, ""))
	for _, name := range []string{"stays", "goes"} {
		awaits(t, control(), deployments, ns, name, "aggregated", both(has("status.readyReplicas", int64(2)), caughtUp))
	}
	versions := func() string {
		var all []string
		for _, m := range []string{"member1", "member2"} {
			o, err := member(m).Dynamic().Resource(deployments).Namespace(ns).Get(t.Context(), "stays", metav1.GetOptions{})
			require.NoError(t, err)
			all = append(all, fmt.Sprint(o.GetGeneration(), o.GetUID()))
		}
		return strings.Join(all, " ")
	}
	before := versions()
	stopManager()
	remove(t, control(), deployments, ns, "goes")
	apply(t, ns, deployment("comes", "nginx:1", 1))
	require.NoError(t, startManager())
	for _, m := range []string{"member1", "member2"} {
		gone(t, member(m), deployments, ns, "goes")
		awaits(t, member(m), deployments, ns, "comes", "there", image("nginx:1"))
	}
	awaits(t, control(), deployments, ns, "comes", "aggregated", caughtUp)
	assert.Equal(t, before, versions(), "what was there is not written again")
}

// A member whose API server is killed gets what changed meanwhile when it is back.
func TestMemberAway(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", "{clusterAffinity: {clusterNames: [member3]}}", ""))
	awaits(t, member("member3"), deployments, ns, "web", "there", image("nginx:1"))
	require.NoError(t, shared.Restart(t.Context(), "member3/kube-apiserver"))
	patch(t, control(), deployments, ns, "web", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`)
	awaits(t, member("member3"), deployments, ns, "web", "upgraded", image("nginx:2"))
	awaits(t, control(), clusterResource, "", "member3", "ready", func(o *unstructured.Unstructured) error {
		if conditionOf(o, "Ready") != "True" {
			return errors.New("it is not")
		}
		return nil
	})
}

// With --logging-format json every line is one JSON object, which says when, who, how important and what.
func TestLogsAreJSON(t *testing.T) {
	file, err := os.Open(shared.log)
	require.NoError(t, err)
	defer file.Close()
	lines, clusterNamed := 0, false
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line map[string]any
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &line), scanner.Text())
		for _, key := range []string{"ts", "logger", "level", "msg"} {
			require.Contains(t, line, key, scanner.Text())
		}
		clusterNamed = clusterNamed || line["cluster"] != nil
		lines++
	}
	require.NoError(t, scanner.Err())
	assert.Positive(t, lines)
	assert.True(t, clusterNamed, "lines about a cluster name it")
}
