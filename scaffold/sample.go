package scaffold

import (
	"maps"
	"slices"
)

// What the sample objects of the cases hold.
const (
	sampleReplicas   = int64(3)
	sampleGeneration = 2
	sampleNamespace  = "default"
	sampleTime       = "2026-01-01T00:00:00Z"

	sampleElementName = "one"
)

func sampleRequests() map[string]any { return map[string]any{"cpu": "100m", "memory": "64Mi"} }

func (k *Kind) sampleReplicas() int64 {
	if k.replicas == nil {
		return 1
	}
	return sampleReplicas
}

// sampleObject returns an object without a status, with every field that the rules read.
func (k *Kind) sampleObject() map[string]any {
	metadata := map[string]any{"name": "sample", "generation": int64(sampleGeneration)}
	if k.namespaced {
		metadata["namespace"] = sampleNamespace
	}
	object := map[string]any{
		"apiVersion": k.GVK.GroupVersion().String(), "kind": k.GVK.Kind, "metadata": metadata, "spec": map[string]any{},
	}
	for i := range k.templates {
		t := &k.templates[i]
		into := object
		if t.collection != nil {
			into = t.sampleElement(object, k)
		}
		for _, c := range t.counts {
			set(into, c.path, sampleReplicas)
		}
		set(into, t.path, t.samplePods())
	}
	if k.replicas != nil {
		set(object, k.replicas, sampleReplicas)
	}
	return object
}

// sampleElement returns the only element of the template's list or map, which it makes if need be.
func (t *template) sampleElement(object map[string]any, k *Kind) map[string]any {
	element := map[string]any{}
	if !t.isList {
		path := append(slices.Clip(t.collection), k.entry(t.collection))
		if there, ok := read(object, path).(map[string]any); ok {
			return there
		}
		set(object, path, element)
		return element
	}
	if list, ok := read(object, t.collection).([]any); ok {
		return list[0].(map[string]any) //nolint:forcetypeassert // made here
	}
	if t.name != "" {
		element[t.name] = sampleElementName
	}
	set(object, t.collection, []any{element})
	return element
}

// sampleName returns the name of the template's component in the sample object.
func (t *template) sampleName(k *Kind) string {
	var name string
	switch {
	case t.collection == nil:
		return t.component
	case !t.isList:
		name = k.entry(t.collection)
	case t.name != "":
		name = sampleElementName
	default:
		return t.component + "-1"
	}
	if t.shared {
		return t.component + "-" + name
	}
	return name
}

// sampleCount returns how many pods the template has in the sample object.
func (t *template) sampleCount() int64 {
	n := int64(1)
	for range t.counts {
		n *= sampleReplicas
	}
	return n
}

func (t *template) samplePods() map[string]any {
	spec := map[string]any{"containers": []any{map[string]any{
		"name": "main", "image": "main:1",
		"resources": map[string]any{"requests": sampleRequests()},
		"envFrom":   []any{map[string]any{"secretRef": map[string]any{"name": "settings"}}},
	}}}
	if t.bare {
		return spec
	}
	return map[string]any{"spec": spec}
}

func (k *Kind) sampleDependency() map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Secret", "namespace": sampleNamespace, "name": "settings"}
}

func condition(value, message string) map[string]any {
	return map[string]any{"type": "Ready", "status": value, "reason": "Sample", "message": message}
}

// sampleStatus returns the status of so many members together.
func (k *Kind) sampleStatus(members int64) map[string]any {
	out := map[string]any{}
	if k.status.conditions {
		message := "all is well"
		if members > 1 {
			message = "member1=all is well, member2=all is well"
		}
		out["conditions"] = []any{condition("True", message)}
	}
	for _, name := range k.status.sums {
		out[name] = members * sampleReplicas
	}
	for _, name := range k.status.highest {
		out[name] = int64(1)
	}
	for _, name := range k.status.latest {
		out[name] = sampleTime
	}
	for _, name := range k.status.texts {
		out[name] = "sample"
	}
	if k.status.observed {
		out["observedGeneration"] = int64(sampleGeneration)
	}
	return out
}

// aggregationCases are two members that agree, and one that has not reported yet.
func (k *Kind) aggregationCases() []testCase {
	reported := k.sampleStatus(1)
	if k.status.observed {
		reported["generation"], reported["resourceTemplateGeneration"] = int64(sampleGeneration), int64(sampleGeneration)
	}
	items := []any{
		map[string]any{"clusterName": "member1", "status": reported},
		map[string]any{"clusterName": "member2", "status": maps.Clone(reported)},
	}
	partly, reason := map[string]any{}, "it counts as nothing"
	for _, name := range k.status.sums {
		partly[name] = sampleReplicas
	}
	if k.status.observed {
		partly["observedGeneration"] = int64(0)
		reason += ", and the change is not observed everywhere"
	}
	return []testCase{
		{
			name: "two members", reason: "what both report is in the template's status", object: "plain", items: items,
			output: map[string]any{"aggregatedStatus": patched("plain", map[string]any{"status": k.sampleStatus(2)})},
		},
		{
			name: "one member has not reported", reason: reason, object: "plain",
			items:  []any{items[0], map[string]any{"clusterName": "member2"}},
			output: map[string]any{"aggregatedStatus": map[string]any{"$partial": map[string]any{"status": partly}}},
		},
	}
}

// patched returns how a suite writes a base with changes.
func patched(base string, patch map[string]any) map[string]any {
	return map[string]any{"base": base, "patch": patch}
}

// nested returns a map with one value at path.
func nested(path []string, value any) map[string]any {
	out := map[string]any{}
	set(out, path, value)
	return out
}

func set(object map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		child, ok := object[name].(map[string]any)
		if !ok {
			child = map[string]any{}
			object[name] = child
		}
		object = child
	}
	object[path[len(path)-1]] = value
}

func read(object map[string]any, path []string) any {
	var value any = object
	for _, name := range path {
		m, _ := value.(map[string]any)
		value = m[name]
	}
	return value
}
