package override

import (
	"fmt"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// containers returns the containers, not the init containers, of every pod template of the object, with their paths.
// They are the object's own maps.
func (t *target) containers() (found []map[string]any, paths []string, err error) {
	for _, path := range t.podTemplates {
		field := "/" + joinPointer(path)
		template, ok, err := mapAt(t.object.Object, path)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		spec, ok, err := mapAt(template, []string{"spec"})
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", field, err)
		}
		if !ok {
			continue
		}
		list, ok := spec["containers"].([]any)
		if !ok {
			continue
		}
		for i, v := range list {
			container, ok := v.(map[string]any)
			if !ok {
				return nil, nil, fmt.Errorf("%s/spec/containers/%d: want a container, got %T", field, i, v)
			}
			found = append(found, container)
			paths = append(paths, fmt.Sprintf("%s/spec/containers/%d", field, i))
		}
	}
	return found, paths, nil
}

// mapAt returns the map at path below m; ok is false when something on the way is absent.
func mapAt(m map[string]any, path []string) (at map[string]any, ok bool, err error) {
	at = m
	for i, key := range path {
		v, present := at[key]
		if !present || v == nil {
			return nil, false, nil
		}
		next, isMap := v.(map[string]any)
		if !isMap {
			return nil, false, fmt.Errorf("/%s: want an object, got %T", joinPointer(path[:i+1]), v)
		}
		at = next
	}
	return at, true, nil
}

// words adds to, or removes from, the list of words under key of the named container.
func (t *target) words(key string, o *policyv1alpha1.CommandArgsOverrider) error {
	containers, paths, err := t.containers()
	if err != nil {
		return err
	}
	for i, c := range containers {
		if c["name"] != o.ContainerName {
			continue
		}
		var words []any
		if v, present := c[key]; present && v != nil {
			list, ok := v.([]any)
			if !ok {
				return fmt.Errorf("%s/%s: want a list, got %T", paths[i], key, v)
			}
			words = list
		}
		switch o.Operator {
		case policyv1alpha1.OverriderOpAdd:
			for _, w := range o.Value {
				words = append(words, w)
			}
		case policyv1alpha1.OverriderOpRemove:
			words = slices.DeleteFunc(words, func(w any) bool {
				s, ok := w.(string)
				return ok && slices.Contains(o.Value, s)
			})
		default:
			return fmt.Errorf("operator: want add or remove, got %q", o.Operator)
		}
		if len(words) == 0 {
			delete(c, key)
		} else {
			c[key] = words
		}
	}
	return nil
}
