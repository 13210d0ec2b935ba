package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/dragoman-io/dragoman/clusters"
)

const (
	// rediscovery is how often a teller looks for new kinds.
	rediscovery = 2 * time.Second
	// maxChanges is how many changes of one object a line tells.
	maxChanges = 5
	// maxValue is how long a value in a line may be.
	maxValue = 60
	// maxItems is how many items a list may have to be told of.
	maxItems = 5
)

// A teller writes a line for what happens in one cluster: objects that come and go, changes of their status, and events about them. It
// tells of every kind, but not of objects that others control nor of what a cluster keeps for itself.
type teller struct {
	cluster *clusters.Cluster
	out     io.Writer
}

// quietGroups are groups of a cluster's own affairs.
var quietGroups = []string{
	"apiregistration.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "kwok.x-k8s.io", "resource.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
	"events.k8s.io",   // the same events as in the core group
	"work.karmada.io", // how templates get to members; the objects at both ends tell the same
}

// quietResources are those of other groups, and quietNames are objects that come with every namespace.
var (
	quietResources = []string{"endpoints", "namespaces", "nodes", "podtemplates"}
	quietNames     = []string{"ConfigMap kube-root-ca.crt", "ServiceAccount default"}
)

// run tells what happens from now on until ctx ends. Kinds that are defined later are told of, too.
func (t *teller) run(ctx context.Context) {
	client, err := discovery.NewDiscoveryClientForConfig(t.cluster.Config())
	if err != nil {
		fmt.Fprintf(t.out, "%s: %v\n", t.cluster.Name, err)
		return
	}
	since := time.Now().Truncate(time.Second) // as exact as a cluster says when an object was created
	var group sync.WaitGroup
	defer group.Wait()
	watched := map[schema.GroupVersionResource]bool{}
	tick := time.NewTicker(rediscovery)
	defer tick.Stop()
	for {
		// An API server that restarts does not answer; the next round asks again.
		lists, _ := discovery.ServerPreferredResources(client)
		for _, resource := range told(lists) {
			if watched[resource] {
				continue
			}
			watched[resource] = true
			group.Go(func() { t.watch(ctx, resource, since) })
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// told returns the resources to watch.
func told(lists []*metav1.APIResourceList) []schema.GroupVersionResource {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || slices.Contains(quietGroups, gv.Group) {
			continue
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "watch") && !slices.Contains(quietResources, resource.Name) {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found
}

// watch tells about one resource. The objects that are there when it begins are news when they were created since then: it
// takes its time to begin, and a new kind is found late.
func (t *teller) watch(ctx context.Context, resource schema.GroupVersionResource, since time.Time) {
	informer := dynamicinformer.NewFilteredDynamicInformer(
		t.cluster.Dynamic(), resource, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	_ = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}) // It connects again by itself.
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			if u, ok := object.(*unstructured.Unstructured); ok && initial && u.GetCreationTimestamp().Time.Before(since) {
				return
			}
			t.tell(nil, object)
		},
		UpdateFunc: t.tell,
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			t.tell(object, nil)
		},
	})
	if err == nil {
		informer.RunWithContext(ctx)
	}
}

// tell writes a line about one change, if it is worth one.
func (t *teller) tell(before, after any) {
	old, _ := before.(*unstructured.Unstructured)
	object, _ := after.(*unstructured.Unstructured)
	if text := describe(old, object); text != "" {
		fmt.Fprintf(t.out, "%s  %-13s  %s\n", time.Now().Format(time.TimeOnly), t.cluster.Name, text)
	}
}

// describe says what changed from before to after, either of which may be nil; empty when it is not worth a line.
func describe(before, after *unstructured.Unstructured) string {
	object := cmp.Or(after, before)
	if object == nil || strings.HasPrefix(object.GetNamespace(), "kube-") || metav1.GetControllerOf(object) != nil {
		return ""
	}
	if object.GetKind() == "Event" {
		return describeEvent(after)
	}
	if slices.Contains(quietNames, object.GetKind()+" "+object.GetName()) {
		return ""
	}
	name := object.GetKind() + " " + object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		name = object.GetKind() + " " + namespace + "/" + object.GetName()
	}
	_, hasStatus := object.Object["status"]
	switch {
	case after == nil:
		return name + " is gone"
	case before == nil:
		return name + " created"
	case before.GetDeletionTimestamp() == nil && after.GetDeletionTimestamp() != nil:
		return name + " is being deleted"
	case !hasStatus || clusters.IsDefinition(after):
		return ""
	}
	changes := statusChanges(before, after)
	if len(changes) == 0 {
		return ""
	}
	if n := len(changes) - maxChanges; n > 0 {
		changes = append(changes[:maxChanges], fmt.Sprintf("and %d more", n))
	}
	return name + ": " + strings.Join(changes, ", ")
}

// describeEvent tells an event about an object that nothing else speaks for.
func describeEvent(event *unstructured.Unstructured) string {
	if event == nil {
		return ""
	}
	field := func(path ...string) string {
		value, _, _ := unstructured.NestedString(event.Object, path...)
		return value
	}
	kind := field("involvedObject", "kind")
	if field("type") != "Warning" && slices.Contains([]string{"Pod", "ReplicaSet", "Node", "Namespace"}, kind) {
		return ""
	}
	name := strings.TrimPrefix(field("involvedObject", "namespace")+"/"+field("involvedObject", "name"), "/")
	return fmt.Sprintf("%s %s: %s: %s", kind, name, field("reason"), shorten(field("message"), 2*maxValue))
}

// statusChanges lists the values of the status that differ, by their paths: those that changed, then those that came, then those that went.
func statusChanges(before, after *unstructured.Unstructured) []string {
	old, current := map[string]string{}, map[string]string{}
	flatten("", before.Object["status"], old)
	flatten("", after.Object["status"], current)
	paths := map[string]bool{}
	for path := range old {
		paths[path] = true
	}
	for path := range current {
		paths[path] = true
	}
	var changed, came, went []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, is := old[path], current[path]
		switch {
		case was == is:
		case was == "":
			came = append(came, path+" "+shorten(is, maxValue))
		case is == "":
			went = append(went, "no "+path)
		default:
			changed = append(changed, path+" "+shorten(was, maxValue)+" → "+shorten(is, maxValue))
		}
	}
	return slices.Concat(changed, came, went)
}

// flatten collects the scalars below value by their paths. Items of a list go by their type or name, if they have one; what
// changes with every write and says nothing is left out.
func flatten(path string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if strings.HasPrefix(key, "last") && strings.HasSuffix(key, "Time") || key == "observedGeneration" || key == "message" {
				continue
			}
			flatten(strings.TrimPrefix(path+"."+key, "."), item, into)
		}
	case []any:
		if conditions := strings.HasSuffix(path, "onditions"); len(v) > maxItems && !conditions {
			return
		}
		for i, item := range v {
			fields, _ := item.(map[string]any)
			kind, _ := fields["type"].(string)
			name, _ := fields["name"].(string)
			if status, ok := fields["status"].(string); ok && kind != "" {
				reason, _ := fields["reason"].(string)
				into[kind] = strings.TrimSuffix(status+" ("+reason+")", " ()")
				continue
			}
			flatten(path+"["+cmp.Or(kind, name, strconv.Itoa(i))+"]", item, into)
		}
	case nil:
	default:
		into[path] = fmt.Sprint(v)
	}
}

// shorten cuts a text that is too long for a line.
func shorten(text string, most int) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// lineWriter lets one goroutine write at a time.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(data)
}
