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
			Doc: "The change, a JSON patch, that takes these fields, whole, from the observed object, " +
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
		fields := strings.Split(path, ".")
		for n := 1; n < len(fields); n++ {
			parent := strings.Join(fields[:n], ".")
			found, err := at(args[0], parent)
			if err != nil {
				return nil, err
			}
			if found == nil && !made[parent] {
				made[parent] = true
				patch = append(patch, operation("add", pointer(fields[:n]), map[string]any{}))
			}
		}
		patch = append(patch, operation("add", pointer(fields), kept))
	}
	return patch, nil
}

// pointer returns the JSON pointer (RFC 6901) of a path of fields.
func pointer(fields []string) string {
	var b strings.Builder
	for _, field := range fields {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(field))
	}
	return b.String()
}
