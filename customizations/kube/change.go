package kube

import (
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

func changes() []Function {
	return []Function{
		{
			Name: "retain",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "observed", Type: Map},
				{Name: "paths", Type: List, Path: Object},
			},
			Result: List,
			Doc: "The change (a JSON patch, as a CEL rule returns it) that takes these fields, whole, from the observed object, " +
				"where it has them. Objects on the way are made.",
			Lua:  `kube.retain(object, observed, {"spec.replicas"})`,
			CEL:  `kube.retain(object, observed, ['spec.replicas'])`,
			Call: retain,
		},
	}
}

func retain(_ *Call, args []any) (any, error) {
	paths, err := names("paths", list(args[2]))
	if err != nil {
		return nil, err
	}
	patch := []any{}
	made := map[string]bool{}
	for _, path := range paths {
		kept, err := at(args[1], path)
		if err != nil {
			return nil, value.In("observed", err)
		}
		if kept == nil {
			continue
		}
		pointer := "/" + strings.ReplaceAll(path, ".", "/")
		for i := strings.IndexByte(path, '.'); i > 0; {
			parent, err := at(args[0], path[:i])
			if err != nil {
				return nil, err
			}
			if parent == nil && !made[path[:i]] {
				made[path[:i]] = true
				patch = append(patch, operation("add", pointer[:i+1], map[string]any{}))
			}
			next := strings.IndexByte(path[i+1:], '.')
			if next < 0 {
				break
			}
			i += 1 + next
		}
		patch = append(patch, operation("add", pointer, kept))
	}
	return patch, nil
}
