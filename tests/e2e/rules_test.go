package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/clusters"
)

var (
	ruleCount = flag.Int("rules", 300, "how many customizations TestManyRules makes")

	rules    = configv1alpha1.GroupVersion.WithResource("resourceinterpretercustomizations")
	bindings = workv1alpha2.GroupVersion.WithResource("resourcebindings")
)

// manager is what the controller manager is called in a federation.
const manager = "controller-manager"

// newManaged starts a federation of one member with the controller manager, whose metrics are at a URL.
func newManaged(t *testing.T, args ...string) (federation *clusters.Federation, metrics string) {
	t.Helper()
	binary, err := dragoman()
	require.NoError(t, err)
	federation = newFederation(t, clusters.Options{Members: 1, Nodes: 1})
	require.NoError(t, federation.Register(t.Context()))
	listen := func(name string) string {
		port, err := federation.Port(name)
		require.NoError(t, err)
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	address, metricsAddress := listen(manager), listen(manager+"-metrics")
	require.NoError(t, federation.Run(t.Context(), clusters.Program{
		Name: manager,
		Path: binary,
		Args: append([]string{
			"controller-manager", "--context", clusters.ControlPlane, "--health-probe-bind-address", address,
			"--metrics-bind-address", metricsAddress,
			"--cluster-status-update-frequency=1s", "--cluster-failure-threshold=60s", "--cluster-success-threshold=1s",
		}, args...),
		Ready: func(ctx context.Context) error { return answers(ctx, "http://"+address+"/readyz") },
	}))
	return federation, "http://" + metricsAddress + "/metrics"
}

// propagated propagates a CloneSet and a FlinkDeployment to the member and waits until both have a health.
func propagated(t *testing.T, federation *clusters.Federation) {
	t.Helper()
	for _, c := range []*clusters.Cluster{federation.Cluster("member1"), federation.ControlPlane()} {
		define(t, c, cloneSets, "CloneSet")
		ApplyFile(t, c, "", "../../examples/flink/crd.yaml")
	}
	ApplyFile(t, federation.ControlPlane(), "default", "../../examples/flink/basic.yaml")
	Apply(t, federation.ControlPlane(), "default", `
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1"}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors:
  - {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet}
  - {apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment}
  placement: {clusterAffinity: {}}
`)
	awaitHealth(t, federation, "web-cloneset", "Healthy")
	awaitHealth(t, federation, "basic-flinkdeployment", "Healthy")
}

// awaitHealth waits until the member's object is judged to be so.
func awaitHealth(t *testing.T, federation *clusters.Federation, binding, want string) {
	t.Helper()
	WaitForObject(t, federation.ControlPlane(), bindings, "default", binding, want, func(o *unstructured.Unstructured) bool {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		for _, item := range items {
			if fields, ok := item.(map[string]any); ok {
				return fields["health"] == want
			}
		}
		return false
	})
}

// applyHealth makes a rule for the health of a kind and waits until its status speaks of it.
func applyHealth(t *testing.T, federation *clusters.Federation, name, apiVersion, kind, language, script string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": configv1alpha1.GroupVersion.String(), "kind": "ResourceInterpreterCustomization", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"target":         map[string]any{"apiVersion": apiVersion, "kind": kind},
			"customizations": map[string]any{"healthInterpretation": map[string]any{language: script}},
		},
	}}
	require.NoError(t, federation.ControlPlane().Apply(t.Context(), "", object))
	return WaitForObject(t, federation.ControlPlane(), rules, "", name, "judged", func(o *unstructured.Unstructured) bool {
		return number(o, "status", "observedGeneration") == o.GetGeneration() && (hasCondition("Ready", "True")(o) || hasCondition("Ready", "False")(o))
	})
}

// TestHostileRules puts rules in force that try to take the manager down. Other rules work on, and the manager is the same process.
func TestHostileRules(t *testing.T) {
	federation, metrics := newManaged(t)
	propagated(t, federation)
	health := func(body string) string { return "function InterpretHealth(observedObj)\n" + body + "\nend" }
	attacks := []struct{ reason, script string }{
		{"never ends", health("while true do end")},
		{"never ends, and catches what stops it", health("while true do pcall(function() while true do end end) end")},
		{"never ends by tail calls", "function f() return f() end\n" + health("return f()")},
		{"calls itself for ever", "function f(n) return f(n + 1) + 1 end\n" + health("return f(1) > 0")},
		{"escapes into a coroutine", health("return coroutine.wrap(function() while true do end end)()")},
		{"makes a sparse table of gigabytes", health("local t = {}\nt[20000000] = 1\nif #t == 0 then error('it is small') end\nreturn true")},
		{"doubles a string", health("local s = 'x'\nfor i = 1, 40 do s = s .. s end\nreturn #s > 0")},
		{"repeats a string", health("return #string.rep('x', 200000000) > 0")},
		{"searches for hours", health("return string.find(string.rep('a', 200), '.-.-.-.-.-b') == nil")},
		{"breaks the compiler", health("return " + strings.Repeat("#", 60000) + "'x' == 1")},
		{"has operators nested 20,000 deep", health("local x = 1\nreturn " + strings.Repeat("-x^", 20000) + "x == 1")},
		{"answers without being asked", "return true"},
		{"reads files", health("return io.open('/etc/passwd') ~= nil")},
		{"ends the process", health("os.exit(1)")},
		{"changes the library for others", health("string.format = nil\ntable.insert = nil\ngetmetatable('').__index = nil\nreturn true")},
		{"loads code", health("return load('while true do end')()")},
		{"answers with nonsense", health("return {}")},
	}
	for i, attack := range attacks {
		t.Run(attack.reason, func(t *testing.T) {
			applyHealth(t, federation, "attack", "flink.apache.org/v1beta1", "FlinkDeployment", "luaScript", health("return true"))
			awaitHealth(t, federation, "basic-flinkdeployment", "Healthy")
			applyHealth(t, federation, "attack", "flink.apache.org/v1beta1", "FlinkDeployment", "luaScript", attack.script)
			awaitHealth(t, federation, "basic-flinkdeployment", "Unknown")
			WaitForObject(t, federation.ControlPlane(), rules, "", "attack", "blamed in its status", func(o *unstructured.Unstructured) bool {
				return hasCondition("Ready", "False")(o) || hasCondition("Failing", "True")(o)
			})
			// A new opinion about another kind takes effect meanwhile.
			least, want := "2", "Healthy"
			if i%2 == 0 {
				least, want = "3", "Unhealthy"
			}
			applyHealth(t, federation, "sane", "apps.kruise.io/v1alpha1", "CloneSet", "luaScript",
				health("return string.format('%d', observedObj.spec.replicas) >= '"+least+"'"))
			awaitHealth(t, federation, "web-cloneset", want)
			for _, usage := range federation.Usage() {
				if usage.Process == manager {
					assert.Equal(t, 1, usage.Starts, "the manager ended")
					assert.Less(t, usage.Resident, int64(1<<30), "the manager holds too much memory")
				}
			}
		})
	}
	requireMetrics(t, metrics)
}

// requireMetrics checks that the manager tells how much it keeps, after rules that failed.
func requireMetrics(t *testing.T, url string) {
	t.Helper()
	value := func(name string, labels ...string) float64 {
		n, err := readMetric(t.Context(), url, name, labels...)
		require.NoError(t, err)
		return n
	}
	assert.InDelta(t, 2, value("dragoman_customizations", "link=customizations"), 0)
	assert.InDelta(t, 2, value("dragoman_rules", "link=customizations", "language=lua", "state=ready"), 0)
	assert.Positive(t, value("dragoman_rules", "link=thirdparty", "language=cel", "state=ready"), "those of FlinkDeployment were asked")
	assert.Positive(t, value("dragoman_rules_source_bytes", "link=customizations", "language=lua"))
	assert.Positive(t, value("dragoman_script_states_created_total", "link=customizations"))
	assert.Positive(t, value("dragoman_script_states_discarded_total", "link=customizations"), "attacks spoil their states")
	assert.InDelta(t, 2, value("dragoman_cache_objects", "cluster=control-plane", "kind=ResourceInterpreterCustomization"), 0)
	assert.InDelta(t, 1, value("dragoman_cache_objects", "cluster=member1", "kind=FlinkDeployment"), 0)
}

// readMetric returns the value of the first metric of that name with the labels, each key=value.
func readMetric(ctx context.Context, url, name string, labels ...string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(all)) {
		missing := slices.ContainsFunc(labels, func(label string) bool {
			key, value, _ := strings.Cut(label, "=")
			return !strings.Contains(line, key+"="+strconv.Quote(value))
		})
		if strings.HasPrefix(line, name+"{") && !missing {
			return strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
		}
	}
	return 0, fmt.Errorf("there is no %s with %s", name, labels)
}

// TestRulesSurviveRestarts kills every process that rules depend on, one after the other. After each, an edited rule takes effect.
func TestRulesSurviveRestarts(t *testing.T) {
	federation, metrics := newManaged(t)
	propagated(t, federation)
	applyHealth(t, federation, "failing", "apps.kruise.io/v1alpha1", "CloneSet", "luaScript", "function InterpretHealth(o) error('no') end")
	told := WaitForObject(t, federation.ControlPlane(), rules, "", "failing", "told of in its status", hasCondition("Failing", "True"))
	for i, process := range []string{clusters.Etcd, "control-plane/" + clusters.APIServer, "member1/" + clusters.APIServer, manager} {
		require.NoError(t, federation.Restart(t.Context(), process))
		want := []string{"Unhealthy", "Healthy"}[i%2]
		WaitFor(t, "the rule to be taken after "+process+" was killed", func(ctx context.Context) error {
			definition := fmt.Sprintf(`{"apiVersion":%q,"kind":"ResourceInterpreterCustomization","metadata":{"name":"flink"},"spec":{`+
				`"target":{"apiVersion":"flink.apache.org/v1beta1","kind":"FlinkDeployment"},`+
				`"customizations":{"healthInterpretation":{"celExpression":"%t"}}}}`, configv1alpha1.GroupVersion, want == "Healthy")
			_, err := federation.ControlPlane().Dynamic().Resource(rules).
				Patch(ctx, "flink", "application/apply-patch+yaml", []byte(definition), metav1.PatchOptions{FieldManager: "e2e"})
			return err
		})
		awaitHealth(t, federation, "basic-flinkdeployment", want)
	}
	WaitFor(t, "the new manager to see the rule fail again", func(ctx context.Context) error {
		n, err := readMetric(ctx, metrics, "dragoman_interpreter_answers_total", "kind=CloneSet", "operation=InterpretHealth", "result=error")
		if err == nil && n == 0 {
			err = errors.New("it did not")
		}
		return err
	})
	applyHealth(t, federation, "last", "example.com/v1", "Widget", "celExpression", "true") // Statuses are written in turn.
	assert.Equal(t, told.Object["status"], WaitForObject(t, federation.ControlPlane(), rules, "", "failing", "there", hasCondition("Failing", "True")).Object["status"])
	events, err := federation.ControlPlane().Dynamic().Resource(namespaces.GroupVersion().WithResource("events")).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var about []string
	heard := map[string]bool{}
	for i := range events.Items {
		e := &events.Items[i]
		subject := text(e, "involvedObject", "name") + ": " + text(e, "message")
		if text(e, "reason") == "RuleFailed" {
			about = append(about, subject)
		}
		if text(e, "reportingComponent") == "dragoman" {
			key := text(e, "reason") + " " + text(e, "involvedObject", "kind") + " " + subject
			assert.False(t, heard[key], "told twice: %s", key)
			heard[key] = true
		}
	}
	require.Len(t, about, 1)
	assert.NotEmpty(t, heard)
	assert.Contains(t, about[0], "failing: InterpretHealth CloneSet default/web: ")
}

// TestEveryProblemIsTold has rules of one customization fail, and then fail in another way: events tell each time.
func TestEveryProblemIsTold(t *testing.T) {
	federation, _ := newManaged(t)
	propagated(t, federation)
	fail := func(health, status string) {
		require.NoError(t, federation.ControlPlane().Apply(t.Context(), "", &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": configv1alpha1.GroupVersion.String(), "kind": "ResourceInterpreterCustomization", "metadata": map[string]any{"name": "failing"},
			"spec": map[string]any{
				"target": map[string]any{"apiVersion": "apps.kruise.io/v1alpha1", "kind": "CloneSet"},
				"customizations": map[string]any{
					"healthInterpretation": map[string]any{"luaScript": "function InterpretHealth(o) error('" + health + "') end"},
					"statusReflection":     map[string]any{"luaScript": "function ReflectStatus(o) error('" + status + "') end"},
				},
			},
		}}))
	}
	awaitEvents := func(reason string, messages ...string) {
		WaitFor(t, reason, func(ctx context.Context) error {
			events, err := federation.ControlPlane().Dynamic().Resource(namespaces.GroupVersion().WithResource("events")).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			var told []string
			for i := range events.Items {
				if text(&events.Items[i], "reason") == reason {
					told = append(told, text(&events.Items[i], "message"))
				}
			}
			for _, message := range messages {
				if !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, message) }) {
					return fmt.Errorf("nothing of %q in %q", message, told)
				}
			}
			return nil
		})
	}
	fail("the heart", "the mind")
	awaitEvents("RuleFailed", "InterpretHealth CloneSet default/web: ", "the heart", "InterpretStatus CloneSet default/web: ", "the mind")
	fail("the heart again", "the mind again")
	awaitEvents("RuleFailed", "the heart again", "the mind again")
	awaitEvents("InterpretFailed", "the mind", "the mind again")
}

// TestManyRules fills a control plane with rules. An edit takes effect as soon as among a few.
func TestManyRules(t *testing.T) {
	federation, _ := newManaged(t)
	propagated(t, federation)
	before := usageOf(t, federation, manager)
	began := time.Now()
	for i := range *ruleCount {
		script := fmt.Sprintf("function InterpretHealth(observedObj)\n  local wanted = %d\n  return observedObj.status.replicas == wanted\nend", i)
		_, err := federation.ControlPlane().Dynamic().Resource(rules).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": configv1alpha1.GroupVersion.String(), "kind": "ResourceInterpreterCustomization",
			"metadata": map[string]any{"name": fmt.Sprintf("rule-%05d", i)},
			"spec": map[string]any{
				"target":         map[string]any{"apiVersion": fmt.Sprintf("group%d.example.com/v1", i), "kind": "Widget"},
				"customizations": map[string]any{"healthInterpretation": map[string]any{"luaScript": script}},
			},
		}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	created := time.Since(began)
	WaitFor(t, "all rules to be ready", func(ctx context.Context) error {
		list, err := federation.ControlPlane().Dynamic().Resource(rules).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		ready := 0
		for i := range list.Items {
			if hasCondition("Ready", "True")(&list.Items[i]) {
				ready++
			}
		}
		if ready < *ruleCount {
			return fmt.Errorf("%d of %d are ready", ready, *ruleCount)
		}
		return nil
	})
	ready := time.Since(began)
	after := usageOf(t, federation, manager)
	t.Logf("%d rules: created in %s, all ready after %s; the manager used %s of CPU for them and holds %d MiB, %d MiB more than before",
		*ruleCount, created.Round(time.Millisecond), ready.Round(time.Millisecond), after.CPU-before.CPU, after.Resident>>20, (after.Resident-before.Resident)>>20)

	for _, want := range []string{"Unhealthy", "Healthy"} {
		began = time.Now()
		applyHealth(t, federation, "flink", "flink.apache.org/v1beta1", "FlinkDeployment", "celExpression", strconv.FormatBool(want == "Healthy"))
		awaitHealth(t, federation, "basic-flinkdeployment", want)
		t.Logf("an edit took effect in the member's status after %s", time.Since(began).Round(time.Millisecond))
	}
	began = time.Now()
	require.NoError(t, federation.Restart(t.Context(), manager))
	t.Logf("the manager was ready %s after it was killed", time.Since(began).Round(time.Millisecond))
	applyHealth(t, federation, "flink", "flink.apache.org/v1beta1", "FlinkDeployment", "celExpression", "false")
	awaitHealth(t, federation, "basic-flinkdeployment", "Unhealthy")
}

// usageOf returns what one process has used.
func usageOf(t *testing.T, federation *clusters.Federation, process string) clusters.Usage {
	t.Helper()
	for _, usage := range federation.Usage() {
		if usage.Process == process {
			return usage
		}
	}
	require.NoError(t, errors.New("no process "+process))
	return clusters.Usage{}
}
