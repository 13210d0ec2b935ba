package laws

import (
	"fmt"

	"github.com/dragoman-io/dragoman/manifest"
)

func retainsTwice(t *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	again := t.ask(t.op, in.with(inputObject, a.object()))
	if !again.ok() {
		return "what was retained cannot be retained again: " + cause(again.err)
	}
	if d := firstDiff(nil, any(a.object()), any(again.object())); d != nil {
		return fmt.Sprintf("%s is first %s, then %s", d.path, compact(d.a), compact(d.b))
	}
	return ""
}

func retainsOthers(_ *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	return notRetained(nil, any(in.object()), any(in.at(inputObserved)), any(a.object()))
}

// notRetained says which value of retained is neither that of desired nor that of observed.
func notRetained(path manifest.Path, desired, observed, retained any) string {
	if equal(retained, desired) || equal(retained, observed) && observed != (absent{}) {
		return ""
	}
	d, desiredIsMap := desired.(map[string]any)
	o, _ := observed.(map[string]any)
	r, retainedIsMap := retained.(map[string]any)
	if retainedIsMap && (desiredIsMap || desired == (absent{}) || desired == nil) {
		for _, key := range unionKeys(d, r) {
			if wrong := notRetained(path.With(key), member(d, key), member(o, key), member(r, key)); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	if list, ok := retained.([]any); ok {
		return elementsNotRetained(path, desired, observed, list)
	}
	if retained == (absent{}) {
		return fmt.Sprintf("%s was %s and is lost", path, compact(desired))
	}
	return fmt.Sprintf("%s is %s: it was %s, and in the observed object it is %s", path, compact(retained), compact(desired), compact(observed))
}

// elementsNotRetained is notRetained for a list. Elements are the same when they are equal, have the same name, or stand
// at the same place of lists that are as long.
func elementsNotRetained(path manifest.Path, desired, observed any, retained []any) string {
	d, _ := desired.([]any)
	o, _ := observed.([]any)
	for i, element := range retained {
		if wrong := notRetained(path.With(i), counterpart(d, element, i, len(retained)), counterpart(o, element, i, len(retained)), element); wrong != "" {
			return wrong
		}
	}
	for i, element := range d {
		if counterpart(retained, element, i, len(d)) == (absent{}) && counterpart(o, element, i, -1) == (absent{}) {
			return fmt.Sprintf("%s was %s and is lost", path.With(i), compact(element))
		}
	}
	return ""
}

// counterpart returns the element of list that stands for the one that is at place i of a list of n; absent{} for none.
func counterpart(list []any, element any, i, n int) any {
	for _, candidate := range list {
		if equal(candidate, element) {
			return candidate
		}
	}
	if m, ok := element.(map[string]any); ok {
		for _, key := range []string{"name", "key", "type", "port", "containerPort", "mountPath", "ip"} {
			name, named := m[key]
			if !named {
				continue
			}
			for _, candidate := range list {
				if other, ok := candidate.(map[string]any); ok && equal(other[key], name) {
					return candidate
				}
			}
		}
	}
	if len(list) == n && i < len(list) {
		return list[i]
	}
	return absent{}
}
