package federation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
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

const (
	onlyMember3 = "{clusterAffinity: {clusterNames: [member3]}}"
	anywhere    = "{}"
)

var definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// A member is not ready only when it has been away for --cluster-failure-threshold; a shorter outage does not count.
// While it is not ready nothing new goes there, and what is there stays.
func TestReadyFollowsTheThreshold(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("old", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", anywhere, ""))
	awaits(t, control(), deployments, ns, "old", "everywhere", both(has("status.readyReplicas", int64(3)), caughtUp))
	w := newWire(t, "member3")
	defer w.remove(t, "member3")
	awaits(t, control(), clusterResource, "", "member3", "ready", isReady)
	since := func() string {
		o, err := control().Dynamic().Resource(clusterResource).Get(t.Context(), "member3", metav1.GetOptions{})
		require.NoError(t, err)
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, c := range conditions {
			if m := c.(map[string]any); m["type"] == "Ready" {
				return fmt.Sprint(m["status"], m["lastTransitionTime"])
			}
		}
		return ""
	}
	before, cut := since(), time.Now()
	w.set(true)
	eventually(t, "the cluster to be looked at", func(context.Context) error {
		if w.tries() == 0 {
			return errors.New("nobody has called")
		}
		return nil
	})
	w.set(false)
	if time.Since(cut) < failureThreshold { // on a machine that is not very slow
		assert.Equal(t, before, since(), "a short outage does not count")
	}
	awaits(t, control(), clusterResource, "", "member3", "ready", isReady)

	cut = time.Now()
	w.set(true)
	awaits(t, control(), clusterResource, "", "member3", "not ready", isNotReady)
	assert.GreaterOrEqual(t, time.Since(cut), failureThreshold)
	awaits(t, control(), clusterResource, "", "member3", "tainted", func(o *unstructured.Unstructured) error {
		taints, _, _ := unstructured.NestedSlice(o.Object, "spec", "taints")
		for _, taint := range taints {
			if taint.(map[string]any)["key"] == "cluster.karmada.io/not-ready" {
				return nil
			}
		}
		return fmt.Errorf("taints are %v", taints)
	})
	apply(t, ns, deployment("new", "nginx:1", 1))
	awaits(t, control(), bindings, ns, "new-deployment", "where the members are ready", targets("member1", "member2"))
	awaits(t, control(), bindings, ns, "old-deployment", "where it was", targets("member1", "member2", "member3"))

	w.set(false)
	awaits(t, control(), clusterResource, "", "member3", "ready again", isReady)
	awaits(t, member("member3"), deployments, ns, "new", "there, too", image("nginx:1"))
}

// targets returns the condition of a binding that it names these clusters and no others.
func targets(names ...string) func(*unstructured.Unstructured) error {
	return func(o *unstructured.Unstructured) error {
		list, _, _ := unstructured.NestedSlice(o.Object, "spec", "clusters")
		var got []string
		for _, target := range list {
			got = append(got, target.(map[string]any)["name"].(string))
		}
		if strings.Join(got, " ") != strings.Join(names, " ") {
			return fmt.Errorf("clusters are %v, want %v", got, names)
		}
		return nil
	}
}

// A template that is deleted, and one that changes, while a member is away: the member catches up when it is back, and
// the control plane keeps what it needs for that until then.
func TestChangesWhileMemberIsAway(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("goes", "nginx:1", 1)+deployment("stays", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", onlyMember3, ""))
	for _, name := range []string{"goes", "stays"} {
		awaits(t, control(), deployments, ns, name, "aggregated", caughtUp)
	}
	w := newWire(t, "member3")
	defer w.remove(t, "member3")
	w.set(true)
	remove(t, control(), deployments, ns, "goes")
	patch(t, control(), deployments, ns, "stays", `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`)
	awaits(t, control(), clusterResource, "", "member3", "not ready", isNotReady)
	left, err := worksOf(t.Context(), ns)
	require.NoError(t, err)
	assert.Len(t, left, 2, "the Work of what is to go is kept until it is gone")
	awaits(t, member("member3"), deployments, ns, "goes", "still there", image("nginx:1"))
	awaits(t, control(), deployments, ns, "stays", "behind", func(o *unstructured.Unstructured) error {
		if caughtUp(o) == nil {
			return errors.New("observedGeneration says that the member has the change")
		}
		return nil
	})

	w.set(false)
	gone(t, member("member3"), deployments, ns, "goes")
	awaits(t, member("member3"), deployments, ns, "stays", "changed", image("nginx:2"))
	awaits(t, control(), deployments, ns, "stays", "caught up", caughtUp)
	left, err = worksOf(t.Context(), ns)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// A member that takes requests and never answers keeps nobody else waiting, and catches up when it does.
func TestMemberHangs(t *testing.T) {
	ns := newNamespace(t)
	const count = 40 // more than are carried to one member at once
	name := func(i int) string { return fmt.Sprintf("web-%02d", i) }
	apply(t, ns, policy("web", "apps/v1", "Deployment", anywhere, ""))
	for i := range count {
		apply(t, ns, deployment(name(i), "nginx:1", 0))
	}
	everywhere := func(want string, members ...string) {
		t.Helper()
		for i := range count {
			for _, m := range members {
				awaits(t, member(m), deployments, ns, name(i), "there", image(want))
			}
		}
	}
	everywhere("nginx:1", "member1", "member2", "member3")
	w := newWire(t, "member3")
	defer w.remove(t, "member3")
	awaits(t, control(), clusterResource, "", "member3", "ready", isReady)
	w.silence(true)
	defer w.silence(false)
	for i := range count {
		patch(t, control(), deployments, ns, name(i), `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`)
	}
	everywhere("nginx:2", "member1", "member2")
	awaits(t, control(), clusterResource, "", "member3", "not ready", isNotReady)
	everywhere("nginx:1", "member3")
	w.silence(false)
	awaits(t, control(), clusterResource, "", "member3", "ready", isReady)
	everywhere("nginx:2", "member3")
	awaits(t, control(), deployments, ns, name(0), "caught up", caughtUp)
}

// An object that somebody deletes in a member is made again.
func TestMemberObjectIsDeleted(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", twoMembers, ""))
	awaits(t, control(), deployments, ns, "web", "aggregated", both(has("status.readyReplicas", int64(2)), caughtUp))
	before, err := member("member1").Dynamic().Resource(deployments).Namespace(ns).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	remove(t, member("member1"), deployments, ns, "web")
	awaits(t, member("member1"), deployments, ns, "web", "made again", func(o *unstructured.Unstructured) error {
		if o.GetUID() == before.GetUID() {
			return errors.New("it is the old one")
		}
		return both(image("nginx:1"), has("status.readyReplicas", int64(1)))(o)
	})
	awaits(t, control(), deployments, ns, "web", "aggregated", both(has("status.readyReplicas", int64(2)), caughtUp))
}

// A definition that is removed from the control plane takes its objects along, out of the members too. A member that alone
// loses it gets no objects of the kind until it serves it again.
func TestKindIsRemoved(t *testing.T) {
	ns := newNamespace(t)
	text := strings.NewReplacer("crontabs", "gadgets", "crontab", "gadget", "CronTab", "Gadget", "stable", "removed").Replace(crontabDefinition)
	found, err := manifest.Objects("gadget", []byte(text))
	require.NoError(t, err)
	gadgets := schema.GroupVersionResource{Group: "removed.example.com", Version: "v1", Resource: "gadgets"}
	install(t, []definition{{object: found[0].Unstructured, resource: gadgets}})
	apply(t, ns, "apiVersion: removed.example.com/v1\nkind: Gadget\nmetadata: {name: it}\nspec: {size: 5}\n---\n"+
		policy("gadget", "removed.example.com/v1", "Gadget", twoMembers, ""))
	for _, m := range []string{"member1", "member2"} {
		awaits(t, member(m), gadgets, ns, "it", "there", has("spec.size", int64(5)))
	}
	everywhere := both(targets("member1", "member2"), func(o *unstructured.Unstructured) error {
		if got := conditionOf(o, "FullyApplied"); got != "True" {
			return fmt.Errorf("FullyApplied is %s", got)
		}
		return nil
	})
	awaits(t, control(), bindings, ns, "it-gadget", "applied", everywhere)

	remove(t, member("member2"), definitionResource, "", "gadgets.removed.example.com")
	awaits(t, control(), bindings, ns, "it-gadget", "taken off member2, which does not serve it", targets("member1"))
	require.NoError(t, member("member2").Apply(t.Context(), "", found[0].Unstructured))
	awaits(t, control(), bindings, ns, "it-gadget", "applied again", everywhere)
	awaits(t, member("member2"), gadgets, ns, "it", "there again", has("spec.size", int64(5)))

	remove(t, control(), definitionResource, "", "gadgets.removed.example.com")
	for _, m := range []string{"member1", "member2"} {
		gone(t, member(m), gadgets, ns, "it")
	}
	nothingLeft(t, ns)
}

// A kind that policies name in two versions: its objects, which are seen in both, belong to one policy each, and nobody
// fights over them.
func TestTwoVersions(t *testing.T) {
	all := definitions(t)
	install(t, all)
	ns, other := newNamespace(t), newNamespace(t)
	releases := schema.GroupVersionResource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Resource: "helmreleases"}
	object := "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: it}\nspec: {interval: 5m}\n---\n"
	apply(t, ns, object+policy("helm", "helm.toolkit.fluxcd.io/v2", "HelmRelease", onlyMember1, ""))
	awaits(t, member("member1"), releases, ns, "it", "there", has("spec.interval", "5m"))
	apply(t, other, object+policy("helm", "helm.toolkit.fluxcd.io/v2beta1", "HelmRelease", onlyMember1, ""))
	awaits(t, member("member1"), releases, other, "it", "there", has("spec.interval", "5m"))
	for _, namespace := range []string{ns, other} {
		patch(t, control(), releases, namespace, "it", `{"spec":{"interval":"6m"}}`)
		awaits(t, member("member1"), releases, namespace, "it", "changed", has("spec.interval", "6m"))
		awaits(t, control(), bindings, namespace, "it-helmrelease", "claimed", func(o *unstructured.Unstructured) error {
			if o.GetAnnotations()["propagationpolicy.karmada.io/name"] != "helm" {
				return errors.New("it is not")
			}
			return nil
		})
		names, err := worksOf(t.Context(), namespace)
		require.NoError(t, err)
		require.Len(t, names, 1)
		_, name, _ := strings.Cut(names[0], "/")
		work, err := control().Dynamic().Resource(works).Namespace("karmada-es-member1").Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, int64(2), work.GetGeneration(), "written when the object came, and when it changed")
	}
}

// A cluster that leaves takes its objects along; one that nobody reaches keeps what it has, and does not keep the
// federation waiting. When it joins again it has what it should have, and what was there is taken over.
func TestUnjoin(t *testing.T) {
	ns := newNamespace(t)
	apply(t, ns, deployment("web", "nginx:1", 1)+policy("web", "apps/v1", "Deployment", anywhere, ""))
	awaits(t, control(), deployments, ns, "web", "everywhere", both(has("status.readyReplicas", int64(3)), caughtUp))
	left := func() {
		t.Helper()
		gone(t, control(), clusterResource, "", "member3")
		gone(t, control(), namespaces, "", "karmada-es-member3")
		awaits(t, control(), bindings, ns, "web-deployment", "without member3", targets("member1", "member2"))
		awaits(t, control(), deployments, ns, "web", "two members", both(has("status.readyReplicas", int64(2)), caughtUp))
	}
	joined := func() *unstructured.Unstructured {
		t.Helper()
		require.NoError(t, shared.Register(t.Context()))
		awaits(t, control(), clusterResource, "", "member3", "ready", isReady)
		awaits(t, control(), deployments, ns, "web", "everywhere again", both(has("status.readyReplicas", int64(3)), caughtUp))
		return awaits(t, member("member3"), deployments, ns, "web", "there", image("nginx:1"))
	}
	remove(t, control(), clusterResource, "", "member3")
	left()
	gone(t, member("member3"), deployments, ns, "web")
	before := joined()
	apply(t, ns, deployment("goes", "nginx:1", 1))
	awaits(t, control(), deployments, ns, "goes", "everywhere", both(has("status.readyReplicas", int64(3)), caughtUp))

	w := newWire(t, "member3")
	w.set(true)
	awaits(t, control(), clusterResource, "", "member3", "not ready", isNotReady)
	remove(t, control(), deployments, ns, "goes")
	gone(t, member("member1"), deployments, ns, "goes")
	gone(t, member("member2"), deployments, ns, "goes")
	remove(t, control(), clusterResource, "", "member3") // with a Work that waits for the member to come back
	left()
	gone(t, control(), bindings, ns, "goes-deployment")
	for _, name := range []string{"web", "goes"} {
		awaits(t, member("member3"), deployments, ns, name, "still there", image("nginx:1"))
	}
	require.NoError(t, w.listener.Close())
	assert.Equal(t, before.GetUID(), joined().GetUID(), "it is the same object")

	w = newWire(t, "member3")
	w.set(true)
	remove(t, control(), clusterResource, "", "member3") // it was ready when it was last heard of
	left()
	awaits(t, member("member3"), deployments, ns, "web", "still there", image("nginx:1"))
	require.NoError(t, w.listener.Close())
	assert.Equal(t, before.GetUID(), joined().GetUID(), "it is the same object")
}

// The controller manager is killed again and again, between any two writes, while objects come, change and go: in the
// end everything is as if it had never happened.
func TestManagerIsKilled(t *testing.T) {
	ns := newNamespace(t)
	const count = 20
	name := func(i int) string { return fmt.Sprintf("web-%02d", i) }
	every := func(do func(i int)) {
		for i := range count {
			do(i)
		}
	}
	upgrade := `{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}}}`
	// How many of member1's objects are as a step wants them.
	progress := func(ctx context.Context, want func(*unstructured.Unstructured) bool) (done, all int, err error) {
		list, err := member("member1").Dynamic().Resource(deployments).Namespace(ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, 0, err
		}
		for i := range list.Items {
			if want(&list.Items[i]) {
				done++
			}
		}
		return done, len(list.Items), nil
	}
	is := func(want string) func(*unstructured.Unstructured) bool {
		return func(o *unstructured.Unstructured) bool { return image(want)(o) == nil }
	}
	apply(t, ns, policy("web", "apps/v1", "Deployment", twoMembers, ""))
	for _, step := range []struct {
		what string
		do   func(i int)
		// killed is how far the manager comes before it is killed.
		killed func(ctx context.Context) bool
	}{
		{"created", func(i int) { apply(t, ns, deployment(name(i), "nginx:1", 0)) }, func(ctx context.Context) bool {
			_, all, err := progress(ctx, is("nginx:1"))
			return err == nil && all > 3
		}},
		{"upgraded", func(i int) { patch(t, control(), deployments, ns, name(i), upgrade) }, func(ctx context.Context) bool {
			done, _, err := progress(ctx, is("nginx:2"))
			return err == nil && done > 3
		}},
		{"deleted", func(i int) {
			if i%2 == 1 {
				remove(t, control(), deployments, ns, name(i))
			}
		}, func(ctx context.Context) bool {
			_, all, err := progress(ctx, is("nginx:2"))
			return err == nil && all < count-3
		}},
		{"created again", func(i int) {
			if i%2 == 1 {
				apply(t, ns, deployment(name(i), "nginx:3", 0))
			}
		}, func(ctx context.Context) bool {
			done, _, err := progress(ctx, is("nginx:3"))
			return err == nil && done > 1
		}},
	} {
		every(step.do)
		eventually(t, "some to be "+step.what, func(ctx context.Context) error {
			if !step.killed(ctx) {
				return errors.New("not yet")
			}
			return nil
		})
		endManager(syscall.SIGKILL)
		require.NoError(t, startManager())
	}
	every(func(i int) {
		want := image([]string{"nginx:2", "nginx:3"}[i%2])
		for _, m := range []string{"member1", "member2"} {
			awaits(t, member(m), deployments, ns, name(i), "there", want)
		}
		awaits(t, control(), deployments, ns, name(i), "caught up", caughtUp)
	})
	eventually(t, "one Work for each object and member", func(ctx context.Context) error { return exactly(ctx, ns, count, 2*count) })
	every(func(i int) { remove(t, control(), deployments, ns, name(i)) })
	nothingLeft(t, ns)
	for _, m := range []*clusters.Cluster{member("member1"), member("member2")} {
		every(func(i int) { gone(t, m, deployments, ns, name(i)) })
	}
}

// exactly returns an error unless there are so many bindings and Works for objects of the namespace.
func exactly(ctx context.Context, ns string, wantBindings, wantWorks int) error {
	list, err := control().Dynamic().Resource(bindings).Namespace(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	all, err := worksOf(ctx, ns)
	if err != nil {
		return err
	}
	if len(list.Items) != wantBindings || len(all) != wantWorks {
		return fmt.Errorf("%d bindings and %d Works, want %d and %d", len(list.Items), len(all), wantBindings, wantWorks)
	}
	return nil
}
