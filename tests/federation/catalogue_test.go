package federation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/clusters"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// definition is a small CustomResourceDefinition of tests/crds.
type definition struct {
	object   *unstructured.Unstructured
	resource schema.GroupVersionResource // in the version that is stored
	kind     string
	versions []string
	cluster  bool
	status   bool // a subresource
}

func definitions(t *testing.T) []definition {
	t.Helper()
	files, err := filepath.Glob("../crds/*.yaml")
	require.NoError(t, err)
	var out []definition
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		objects, err := manifest.Objects(file, data)
		require.NoError(t, err)
		for _, o := range objects {
			d := definition{object: o.Unstructured}
			text := func(path ...string) string {
				s, _, _ := unstructured.NestedString(o.Object, path...)
				return s
			}
			d.kind, d.cluster = text("spec", "names", "kind"), text("spec", "scope") == "Cluster"
			versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
			for _, v := range versions {
				d.versions = append(d.versions, v.(map[string]any)["name"].(string))
			}
			_, d.status = versions[0].(map[string]any)["subresources"]
			d.resource = schema.GroupVersionResource{Group: text("spec", "group"), Version: d.versions[0], Resource: text("spec", "names", "plural")}
			out = append(out, d)
		}
	}
	return out
}

// install installs the definitions in every cluster.
func install(t *testing.T, all []definition) {
	t.Helper()
	objects := make([]*unstructured.Unstructured, len(all))
	for i, d := range all {
		objects[i] = d.object
	}
	for _, c := range append(shared.Members(), control()) {
		require.NoError(t, c.Apply(t.Context(), "", objects...))
	}
	// The scheduler has to know that the members serve them.
	for _, m := range shared.Members() {
		awaits(t, control(), clusterResource, "", m.Name, "serving every kind", func(o *unstructured.Unstructured) error {
			text, err := json.Marshal(o.Object["status"])
			if err != nil {
				return err
			}
			for _, d := range all {
				if !strings.Contains(string(text), fmt.Sprintf(`"groupVersion":%q`, d.resource.GroupVersion())) {
					return fmt.Errorf("it does not serve %s yet", d.resource.GroupVersion())
				}
			}
			return nil
		})
	}
}

// Every kind of the catalogue goes out to two members, and comes back aggregated, without a warning. What its operator
// would report is taken from the kind's own cases.
func TestCatalogue(t *testing.T) {
	all := definitions(t)
	install(t, all)
	var paths []string
	require.NoError(t, filepath.WalkDir("../../thirdparty", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, "cases.yaml") {
			paths = append(paths, path)
		}
		return err
	}))
	loaded, err := cases.Load(paths...)
	require.NoError(t, err)
	ns := newNamespace(t)
	for _, d := range all {
		t.Run(d.resource.Group+"/"+d.kind, func(t *testing.T) {
			t.Parallel()
			c := aggregated(loaded, d)
			require.NotNil(t, c, "the kind has a case whose object can be propagated")
			propagate(t, d, ns, c)
		})
	}
}

// aggregated returns the case of the kind with the most members' statuses, or any case with an object.
func aggregated(all []*cases.Case, d definition) *cases.Case {
	var found *cases.Case
	for _, c := range all {
		if c.Desired == nil || c.Expect.Error != nil || c.Expect.NotHandled {
			continue
		}
		gvk := c.Desired.GroupVersionKind()
		if gvk.Group != d.resource.Group || gvk.Kind != d.kind || !slices.Contains(d.versions, gvk.Version) {
			continue
		}
		statuses := func(c *cases.Case) int {
			if c.Operation != interpreter.AggregateStatus {
				return -1
			}
			return min(2, len(c.Items))
		}
		if found == nil || statuses(c) > statuses(found) {
			found = c
		}
	}
	return found
}

func propagate(t *testing.T, d definition, ns string, c *cases.Case) {
	t.Helper()
	object := c.Desired.DeepCopy()
	delete(object.Object, "status")
	object.Object["metadata"] = map[string]any{"name": strings.ToLower(d.kind) + "-" + strings.ReplaceAll(d.resource.Group, ".", "-")}
	name, kind := object.GetName(), "PropagationPolicy"
	namespace := ns
	if d.cluster {
		kind, namespace = "ClusterPropagationPolicy", ""
	}
	apply(t, namespace, fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: %s
metadata: {name: %s}
spec:
  resourceSelectors: [{apiVersion: %s, kind: %s, name: %s}]
  placement: %s
`, kind, name, object.GetAPIVersion(), d.kind, name, twoMembers))
	require.NoError(t, control().Apply(t.Context(), namespace, object))
	resource := d.resource
	resource.Version = object.GroupVersionKind().Version
	reported := 0
	for i, m := range []string{"member1", "member2"} {
		there := awaits(t, member(m), resource, namespace, name, "there", func(*unstructured.Unstructured) error { return nil })
		if i < len(c.Items) && c.Items[i].Status != nil && c.Operation == interpreter.AggregateStatus {
			report(t, member(m), d, resource, there, c.Items[i].Status)
			reported++
		}
	}
	bindingResource := bindings
	if d.cluster {
		bindingResource.Resource = "clusterresourcebindings"
	}
	awaits(t, control(), bindingResource, namespace, name+"-"+strings.ToLower(d.kind), "applied and reported", func(o *unstructured.Unstructured) error {
		items, _, _ := unstructured.NestedSlice(o.Object, "status", "aggregatedStatus")
		n := 0
		for _, item := range items {
			if item.(map[string]any)["status"] != nil {
				n++
			}
		}
		if conditionOf(o, "FullyApplied") != "True" || n < reported {
			return fmt.Errorf("FullyApplied is %q, %d of %d statuses: %v", conditionOf(o, "FullyApplied"), n, reported, items)
		}
		return nil
	})
	if reported > 0 {
		awaits(t, control(), resource, namespace, name, "aggregated", func(o *unstructured.Unstructured) error {
			if o.Object["status"] == nil {
				return errors.New("it has no status")
			}
			return nil
		})
	}
	noWarnings(t, namespace, name)
}

// report writes the status that an operator would.
func report(t *testing.T, m *clusters.Cluster, d definition, resource schema.GroupVersionResource, object *unstructured.Unstructured, status map[string]any) {
	t.Helper()
	status = (&unstructured.Unstructured{Object: status}).DeepCopy().Object
	delete(status, "generation")
	delete(status, "resourceTemplateGeneration")
	document, err := json.Marshal(map[string]any{"status": status})
	require.NoError(t, err)
	var subresources []string
	if d.status {
		subresources = []string{"status"}
	}
	_, err = m.Dynamic().Resource(resource).Namespace(object.GetNamespace()).Patch(t.Context(), object.GetName(), types.MergePatchType, document, metav1.PatchOptions{}, subresources...)
	require.NoError(t, err)
}

// noWarnings fails when the control plane has a warning about the object, but for those that it had to wait for.
func noWarnings(t *testing.T, namespace, name string) {
	t.Helper()
	resource := schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	list, err := control().Dynamic().Resource(resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range list.Items {
		e := list.Items[i].Object
		about, _, _ := unstructured.NestedString(e, "regarding", "name")
		if about == name && e["type"] == "Warning" && e["reason"] != "NoClusterFit" {
			t.Errorf("%s: %s", e["reason"], e["note"])
		}
	}
}

// operator plays the operator of a kind: in every member it reports that it has observed what is there.
func operator(t *testing.T, d definition, namespace string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	observe := func() {
		for _, m := range shared.Members() {
			list, err := m.Dynamic().Resource(d.resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				continue // it is asked again
			}
			for i := range list.Items {
				o := &list.Items[i]
				if observed, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); observed != o.GetGeneration() {
					document := fmt.Appendf(nil, `{"status":{"observedGeneration":%d,"replicas":1}}`, o.GetGeneration())
					_, _ = m.Dynamic().Resource(d.resource).Namespace(namespace).Patch(ctx, o.GetName(), types.MergePatchType, document, metav1.PatchOptions{}, "status")
				}
			}
		}
	}
	go func() {
		defer close(done)
		for ticker := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				ticker.Stop()
				return
			case <-ticker.C:
				observe()
			}
		}
	}()
}

// The generation standard: with one member behind, the template's observedGeneration stays; when it has caught up it is
// the template's generation.
func TestGeneration(t *testing.T) {
	all := definitions(t)
	install(t, all)
	pods := `selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: main, image: nginx}]}}`
	for _, tc := range []struct{ apiVersion, kind, spec, change string }{
		{"apps/v1", "Deployment", "{replicas: 1, " + pods + "}", `{"spec":{"replicas":2}}`},
		{"apps/v1", "StatefulSet", "{replicas: 1, serviceName: x, " + pods + "}", `{"spec":{"replicas":2}}`},
		{"apps/v1", "DaemonSet", "{" + pods + "}", `{"spec":{"minReadySeconds":1}}`},
		{"apps.kruise.io/v1alpha1", "CloneSet", "{replicas: 1, " + pods + "}", `{"spec":{"replicas":2}}`},
		{"apps.kruise.io/v1alpha1", "DaemonSet", "{" + pods + "}", `{"spec":{"minReadySeconds":1}}`},
		{"apps.kruise.io/v1beta1", "StatefulSet", "{replicas: 1, " + pods + "}", `{"spec":{"replicas":2}}`},
		{"helm.toolkit.fluxcd.io/v2", "HelmRelease", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"kustomize.toolkit.fluxcd.io/v1", "Kustomization", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"source.toolkit.fluxcd.io/v1", "GitRepository", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"source.toolkit.fluxcd.io/v1", "Bucket", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"source.toolkit.fluxcd.io/v1", "HelmChart", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"source.toolkit.fluxcd.io/v1", "HelmRepository", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
		{"source.toolkit.fluxcd.io/v1", "OCIRepository", "{interval: 5m}", `{"spec":{"interval":"6m"}}`},
	} {
		t.Run(strings.ReplaceAll(tc.apiVersion, "/", "_")+"_"+tc.kind, func(t *testing.T) {
			t.Parallel()
			gv, err := schema.ParseGroupVersion(tc.apiVersion)
			require.NoError(t, err)
			resource := gv.WithResource(strings.ToLower(tc.kind) + "s")
			if strings.HasSuffix(tc.kind, "Repository") {
				resource = gv.WithResource(strings.ToLower(strings.TrimSuffix(tc.kind, "y")) + "ies")
			}
			name := fmt.Sprintf("generation-%s-%x", strings.ToLower(tc.kind), time.Now().UnixNano()&0xffffff)
			require.NoError(t, control().Apply(t.Context(), "", clusters.Namespace(name)))
			if gv.Group != "apps" && tc.kind != "CloneSet" { // those have real or simulated operators
				operator(t, definition{resource: resource}, name)
			}
			suspended := func(names string) string {
				return policy("it", tc.apiVersion, tc.kind, twoMembers, "suspension: {dispatchingOnClusters: {clusterNames: "+names+"}}")
			}
			apply(t, name, fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: it}\nspec: %s\n---\n", tc.apiVersion, tc.kind, tc.spec)+suspended("[]"))
			awaits(t, control(), resource, name, "it", "observed everywhere", caughtUp)

			apply(t, name, suspended("[member2]"))
			awaits(t, control(), bindings, name, "it-"+strings.ToLower(tc.kind), "suspended", func(o *unstructured.Unstructured) error {
				names, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "suspension", "dispatchingOnClusters", "clusterNames")
				if len(names) != 1 {
					return errors.New("not yet")
				}
				return nil
			})
			patch(t, control(), resource, name, "it", tc.change)
			o, err := control().Dynamic().Resource(resource).Namespace(name).Get(t.Context(), "it", metav1.GetOptions{})
			require.NoError(t, err)
			awaits(t, control(), bindings, name, "it-"+strings.ToLower(tc.kind), "reported by member1", reports("member1", o.GetGeneration()))
			awaits(t, control(), resource, name, "it", "behind", func(o *unstructured.Unstructured) error {
				if caughtUp(o) == nil {
					t.Error("observedGeneration says that every member has the template")
				}
				return nil
			})
			apply(t, name, suspended("[]"))
			awaits(t, control(), resource, name, "it", "observed everywhere again", caughtUp)
		})
	}
}
