package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

// TestDocumentation compares docs/builtin.md with the page that the rules and their cases make.
func TestDocumentation(t *testing.T) {
	const file = "../docs/builtin.md"
	got := documentation(loadCases(t))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), got, "run the test with -update")
}

func documentation(all []*cases.Case) string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from the rules and their cases: go test ./builtin -update -->

# Kubernetes' own kinds

What the link ` + "`builtin`" + ` of the chain answers. An operation without a mark is passed on to the generic link behind it, which
collects the whole status (InterpretStatus) and reads health from generation and conditions (InterpretHealth) for objects of
any kind, and otherwise nobody answers.

A kind with a pod template has one component, called ` + "`main`" + `. Of one that does not answer InterpretReplica the component has 0
replicas: how many pods there are is decided elsewhere, by the nodes (DaemonSet) or by the schedule (CronJob), and only what each
needs is known. Whoever places objects has nothing to divide then: such an object is duplicated.

An aggregated status is one that an API server takes: the end-to-end tests write those of every kind through v1.36, and of Jobs
whose members start, fail, finish and go at random. A Job and a Pod answer otherwise than with the peer for that:

- A Job that failed in one member while pods are active in another is not yet ` + "`Failed`" + `, which is the end of all pods, but has
  the condition ` + "`FailureTarget`" + `, with the same reason and message. It keeps that, and is ` + "`Failed`" + ` when no pod is active any more.
- A Job's failed and succeeded pods are not uncounted when their member is no target any more.
- A Job starts with the first start that is known when it fails, even if it has not started everywhere.
- ` + "`FailureTarget` and `SuccessCriteriaMet`" + ` come with ` + "`Failed` and `Complete`" + ` as soon as one member has them: members before v1.31
  do not, and neither does a control plane of that age want them.
- A Pod's container that has ended keeps its name, besides ` + "`ready` and `state`" + `.

`)
	b.WriteString("| kind |")
	for _, op := range interpreter.Operations() {
		fmt.Fprintf(&b, " %s |", op.Operation)
	}
	b.WriteString(" pod templates | pruned of its own |\n|---|" + strings.Repeat(":-:|", len(interpreter.Operations())) + "---|:-:|\n")
	for _, gvk := range builtin.Kinds() {
		fmt.Fprintf(&b, "| %s %s |", gvk.GroupVersion(), gvk.Kind)
		for _, op := range interpreter.Operations() {
			b.WriteString(mark((builtin.Interpreter{}).Lookup(gvk, op.Operation) != nil))
		}
		fmt.Fprintf(&b, " %s |%s\n", templatePaths(gvk), mark(prunes(gvk)))
	}
	b.WriteString("| any (generic) |")
	for _, op := range interpreter.Operations() {
		b.WriteString(mark((builtin.Generic{}).Lookup(schema.GroupVersionKind{}, op.Operation) != nil))
	}
	b.WriteString("  |  |\n\nThe answers, by the cases that pin them:\n")
	for _, gvk := range append(builtin.Kinds(), schema.GroupVersionKind{}) {
		writeCases(&b, gvk, all)
	}
	return b.String()
}

func mark(yes bool) string {
	if yes {
		return " x |"
	}
	return "  |"
}

func templatePaths(gvk schema.GroupVersionKind) string {
	var out []string
	for _, path := range builtin.PodTemplatePaths(gvk) {
		if len(path) == 0 {
			out = append(out, "the object")
			continue
		}
		out = append(out, "`"+strings.Join(path, ".")+"`")
	}
	return strings.Join(out, ", ")
}

// prunes tells whether Prune treats the kind in a way of its own: whether it takes from an object of this kind anything
// that it leaves in one of no known kind.
func prunes(gvk schema.GroupVersionKind) bool {
	full := func(gvk schema.GroupVersionKind) map[string]any {
		o := &unstructured.Unstructured{Object: map[string]any{
			"type": "kubernetes.io/service-account-token", "data": map[string]any{}, "secrets": []any{map[string]any{"name": "x-token-y"}},
			"metadata": map[string]any{"name": "x", "annotations": map[string]any{
				"deployment.kubernetes.io/revision": "1", "volume.kubernetes.io/selected-node": "n",
			}},
			"spec": map[string]any{"clusterIP": "10.0.0.1", "ttlSecondsAfterFinished": int64(1)},
		}}
		o.SetGroupVersionKind(gvk)
		out := builtin.Prune(o).Object
		delete(out, "apiVersion")
		delete(out, "kind")
		return out
	}
	return !assert.ObjectsAreEqual(full(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}), full(gvk))
}

// writeCases writes the cases of a kind; of no kind those of kinds that are not in the table.
func writeCases(b *strings.Builder, gvk schema.GroupVersionKind, all []*cases.Case) {
	title := fmt.Sprintf("%s %s", gvk.GroupVersion(), gvk.Kind)
	if gvk.Empty() {
		title = "Any other kind"
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	for _, op := range interpreter.Operations() {
		var lines strings.Builder
		for _, c := range all {
			if c.Operation != op.Operation || !about(gvk, c) {
				continue
			}
			fmt.Fprintf(&lines, "- %s: %s\n", strings.TrimPrefix(c.Name, gvk.Kind+"/"), c.Reason)
		}
		if lines.Len() > 0 {
			fmt.Fprintf(b, "\n**%s**\n\n%s", op.Operation, lines.String())
		}
	}
}

func about(gvk schema.GroupVersionKind, c *cases.Case) bool {
	if gvk.Empty() {
		return strings.Contains(filepath.ToSlash(c.File), "/generic/")
	}
	return c.Request().Object.GroupVersionKind() == gvk && !strings.Contains(filepath.ToSlash(c.File), "/generic/")
}
