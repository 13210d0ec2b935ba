package kube

import (
	"maps"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
)

func values() []Function {
	return []Function{
		{
			Name: "get",
			Params: []Param{
				{Name: "object", Type: Map, Optional: true},
				{Name: "path", Type: Any, Path: Argument},
				{Name: "otherwise", Type: Any, Optional: true},
			},
			Result: Any,
			Doc: "The field of an object that a path of names, joined with dots, leads to; otherwise (null) when it, or one on " +
				"the way, is absent. Of a list of paths the first that leads to something counts.",
			Lua: `kube.get(object, "spec.template.metadata.name", "web")`,
			CEL: `kube.get(object, 'spec.template.metadata.name', 'web')`,
			Call: func(_ *Call, args []any) (any, error) {
				paths, err := textOrList("path", args[1])
				if err != nil {
					return nil, err
				}
				for _, path := range paths {
					if found, err := at(args[0], path); err != nil || found != nil {
						return found, err
					}
				}
				return args[2], nil
			},
		},
		{
			Name: "orElse",
			Params: []Param{
				{Name: "value", Type: Any, Optional: true},
				{Name: "otherwise", Type: Any, Optional: true},
			},
			Result: Any,
			Doc:    "The value unless it is null, otherwise the other one.",
			Lua:    `kube.orElse(object.spec.paused, false)`,
			CEL:    `kube.orElse(object.spec.?paused, false)`,
			Call: func(_ *Call, args []any) (any, error) {
				if args[0] != nil {
					return args[0], nil
				}
				return args[1], nil
			},
		},
		{
			Name: "number",
			Params: []Param{
				{Name: "value", Type: Any, Optional: true},
				{Name: "otherwise", Type: Any, Optional: true},
			},
			Result: Any,
			Doc: "The value as a number: a number is itself, text what it stands for (`5`, ` 1.5e3`, `0x1F`; not `1e3` or " +
				"`1Gi`). Anything else gives otherwise.",
			Lua: `kube.number("2", 1)`,
			CEL: `kube.number('2', 1)`,
			Call: func(_ *Call, args []any) (any, error) {
				if n, ok := numberOf(args[0]); ok {
					return n, nil
				}
				return args[1], nil
			},
		},
		{
			Name: "pick",
			Params: []Param{
				{Name: "object", Type: Map, Optional: true},
				{Name: "fields", Type: List, Path: Argument},
			},
			Result: Map,
			Doc:    "The named fields of an object that are present, and no others. Empty for null.",
			Lua:    `kube.pick(object.status, {"phase", "reason"})`,
			CEL:    `kube.pick(object.?status, ['phase', 'reason'])`,
			Call: func(_ *Call, args []any) (any, error) {
				fields, err := names("fields", list(args[1]))
				if err != nil {
					return nil, err
				}
				return pick(object(args[0]), fields), nil
			},
		},
		{
			Name:     "merge",
			Params:   []Param{{Name: "objects", Type: Map, Optional: true}},
			Variadic: true,
			Result:   Map,
			Doc:      "An object with the fields of all objects; of two with the same name the later one's. Null counts as empty.",
			Lua:      `kube.merge({a = 1, b = 2}, {b = 3})`,
			CEL:      `kube.merge({'a': 1, 'b': 2}, {'b': 3})`,
			Call: func(_ *Call, args []any) (any, error) {
				out := map[string]any{}
				for _, arg := range args {
					maps.Copy(out, object(arg))
				}
				return out, nil
			},
		},
		{
			Name:   "seconds",
			Params: []Param{{Name: "duration", Type: Any, Optional: true}},
			Result: Double,
			Doc: "A duration in seconds: of text such as `1h2m3.5s` or `-500ms`; a number, or text that is one, is seconds. " +
				"Anything else is 0.",
			Lua: `kube.seconds("1m30s")`,
			CEL: `kube.seconds('1m30s')`,
			Call: func(_ *Call, args []any) (any, error) {
				if d, err := time.ParseDuration(text(args[0])); err == nil {
					return d.Seconds(), nil
				}
				n, _ := numberOf(args[0])
				return float(n), nil
			},
		},
		{
			Name:   "omitEmpty",
			Params: []Param{{Name: "value", Type: Any, Optional: true}},
			Result: Any,
			Doc: "The value without what is empty, at every depth: null, 0, the texts \"\" and \"0s\", and maps and lists that are " +
				"or become empty. False stays. Null when nothing is left.",
			Lua: `kube.omitEmpty({active = 0, succeeded = 2, reason = "", labels = {}})`,
			CEL: `kube.omitEmpty({'active': 0, 'succeeded': 2, 'reason': '', 'labels': {}})`,
			Call: func(_ *Call, args []any) (any, error) {
				return omit(args[0], func(v any) bool {
					return v == nil || v == "" || v == "0s" || isNumber(v) && float(v) == 0
				}), nil
			},
		},
		{
			Name:   "omitEmptyContainers",
			Params: []Param{{Name: "value", Type: Any, Optional: true}},
			Result: Any,
			Doc: "The value without null, and without maps and lists that are or become empty, at every depth. Null when nothing " +
				"is left.",
			Lua: `kube.omitEmptyContainers({active = 0, labels = {}})`,
			CEL: `kube.omitEmptyContainers({'active': 0, 'labels': {}})`,
			Call: func(_ *Call, args []any) (any, error) {
				return omit(args[0], func(v any) bool { return v == nil }), nil
			},
		},
		{
			Name: "emptyObject", Result: Map,
			Doc: "An empty object, `{}`. An empty table that a Lua script makes itself is left out of the result; this one stays.",
			Lua: `kube.emptyObject()`, CEL: `kube.emptyObject()`,
			Call: func(*Call, []any) (any, error) { return map[string]any{}, nil },
		},
		{
			Name: "emptyList", Result: List,
			Doc: "An empty list, `[]`. An empty table that a Lua script makes itself is left out of the result; this one stays.",
			Lua: `kube.emptyList()`, CEL: `kube.emptyList()`,
			Call: func(*Call, []any) (any, error) { return []any{}, nil },
		},
		{
			Name: "now", Result: String,
			Doc: "The current time in UTC, to the second, as RFC 3339 text.",
			Lua: `kube.now()`, CEL: `kube.now()`,
			Call: func(c *Call, _ []any) (any, error) {
				return interpreter.ClockOf(c.Context).Now().UTC().Format(time.RFC3339), nil
			},
		},
	}
}

// pick returns the fields of m that are present.
func pick(m map[string]any, fields []string) map[string]any {
	out := make(map[string]any, len(fields)+2)
	for _, field := range fields {
		if v := m[field]; v != nil {
			out[field] = v
		}
	}
	return out
}

// omit returns v without the values that empty holds for, and without containers that are or become empty; nil when
// nothing is left.
func omit(v any, empty func(any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for field, inner := range v {
			if kept := omit(inner, empty); kept != nil {
				out[field] = kept
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, inner := range v {
			if kept := omit(inner, empty); kept != nil {
				out = append(out, kept)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	default:
		if empty(v) {
			return nil
		}
		return v
	}
}
