package kube

import (
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

func dependencies() []Function {
	return []Function{
		{
			Name: "references",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "paths", Type: Map, Path: Object},
			},
			Result: List,
			Doc: "The objects that fields of an object name, as dependencies: a map from a core kind to the paths of the names, " +
				"where `[]` stands for each element of a list. What is absent or empty refers to nothing. The dependencies have " +
				"the object's namespace; none when it has none.",
			Lua:  `kube.references(object, {Secret = {"spec.secretRef.name", "spec.pullSecrets[].name"}})`,
			CEL:  `kube.references(object, {'Secret': ['spec.secretRef.name', 'spec.pullSecrets[].name']})`,
			Call: references,
		},
	}
}

func references(_ *Call, args []any) (any, error) {
	o, paths := object(args[0]), object(args[1])
	metadata, err := value.Map(o, "metadata")
	if err != nil {
		return nil, err
	}
	namespace, err := value.String(metadata, "namespace")
	if err != nil {
		return nil, value.In("metadata", err)
	}
	refs := []any{}
	for _, kind := range slices.Sorted(maps.Keys(paths)) {
		all, ok := List.fit(paths[kind])
		if !ok {
			return nil, value.Wrong("paths."+kind, "a list", paths[kind])
		}
		of, err := names("paths."+kind, list(all))
		if err != nil {
			return nil, err
		}
		for _, path := range of {
			err := eachAt(o, path, func(name string) {
				ref := map[string]any{"apiVersion": "v1", "kind": kind, "name": name}
				if namespace != "" {
					ref["namespace"] = namespace
				}
				refs = append(refs, ref)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return refs, nil
}

// eachAt calls visit with each text, if it is not empty, that path leads to.
func eachAt(v any, path string, visit func(string)) error {
	before, after, isList := strings.Cut(path, "[]")
	found, err := at(v, before)
	if err != nil || found == nil {
		return err
	}
	if !isList {
		name, ok := found.(string)
		if !ok {
			return value.Wrong(path, "a string", found)
		}
		if name != "" {
			visit(name)
		}
		return nil
	}
	elements, ok := List.fit(found)
	if !ok {
		return value.Wrong(before, "a list", found)
	}
	for i, element := range list(elements) {
		if err := eachAt(element, strings.TrimPrefix(after, "."), visit); err != nil {
			return value.InElement(before, i, err)
		}
	}
	return nil
}
