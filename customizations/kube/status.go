package kube

import (
	"maps"

	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

func statuses() []Function {
	return []Function{
		{
			Name: "reflectStatus",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "fields", Type: List, Path: Status},
			},
			Result: Map,
			Doc: "The named fields of the object's status that are present and, so that observedGeneration can tell who has " +
				"caught up, generation (of the object in the member) and resourceTemplateGeneration (of the template, from the " +
				"annotation resourcetemplate.karmada.io/generation). Empty when there is no status.",
			Lua:  `kube.reflectStatus(object, {"phase", "observedGeneration"})`,
			CEL:  `kube.reflectStatus(object, ['phase', 'observedGeneration'])`,
			Call: reflectStatus,
		},
		{
			Name: "observedGeneration",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "items", Type: List, Optional: true},
			},
			Result: Int,
			Doc: "The status.observedGeneration of a template: its metadata.generation when every item has caught up with it, " +
				"else the one that it has, 0 when it has none. An item has caught up when it has a status in which " +
				"observedGeneration is at least generation and resourceTemplateGeneration at least the template's generation; " +
				"an absent one counts 0. Text that stands for a number is one.",
			Lua:  `kube.observedGeneration(object, items)`,
			CEL:  `kube.observedGeneration(object, items)`,
			Call: observedGeneration,
		},
		{
			Name: "setStatus",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "fields", Type: Map},
			},
			Result: List,
			Doc: "The change, a JSON patch, that sets these fields of the object's status, each whole; " +
				"a null one is removed. The others stay.",
			Lua: `kube.setStatus(object, {phase = "Running"})`,
			CEL: `kube.setStatus(object, {'phase': 'Running', 'reason': null})`,
			Call: func(_ *Call, args []any) (any, error) {
				changed, err := withFields(object(args[0]), object(args[1]))
				return replaceStatus(object(args[0]), changed), err
			},
		},
		{
			Name: "replaceStatus",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "status", Type: Map, Optional: true},
			},
			Result: List,
			Doc:    "The change, a JSON patch, that gives the object this status, whole; null removes it.",
			Lua:    `kube.replaceStatus(object, {phase = "Running"})`,
			CEL:    `kube.replaceStatus(object, items[0].?status)`,
			Call: func(_ *Call, args []any) (any, error) {
				return replaceStatus(object(args[0]), object(args[1])), nil
			},
		},
		{
			Name: "advanceStatus",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "items", Type: List, Optional: true},
				{Name: "fields", Type: Map},
			},
			Result: List,
			Doc: "As setStatus, with the field observedGeneration set as well, to what the function observedGeneration returns. " +
				"An object without metadata.generation gets the generation 0.",
			Lua:  `kube.advanceStatus(object, items, {replicas = kube.sum(items, "replicas")})`,
			CEL:  `kube.advanceStatus(object, items, {'replicas': kube.sum(items, 'replicas')})`,
			Call: advanceStatus,
		},
		isRolledOut(),
	}
}

func reflectStatus(_ *Call, args []any) (any, error) {
	o := object(args[0])
	fields, err := names("fields", list(args[1]))
	if err != nil {
		return nil, err
	}
	reported, err := value.Map(o, "status")
	if err != nil {
		return nil, err
	}
	if reported == nil {
		return map[string]any{}, nil
	}
	out := pick(reported, fields)
	generation, err := at(o, "metadata.generation")
	if err != nil {
		return nil, err
	}
	if generation != nil {
		out["generation"] = generation
	}
	annotations, err := value.MapAt(o, "metadata", "annotations")
	if err != nil {
		return nil, err
	}
	if n, ok := numberOf(annotations[status.TemplateGenerationAnnotation]); ok {
		out["resourceTemplateGeneration"] = n
	}
	return out, nil
}

func observedGeneration(_ *Call, args []any) (any, error) {
	generation, err := whole(args[0], "metadata.generation")
	if err != nil {
		return nil, err
	}
	all := true
	err = eachItem(args[1], func(item map[string]any) error {
		caughtUp, err := hasCaughtUp(item, generation)
		all = all && caughtUp
		return err
	})
	if err != nil || all {
		return generation, err
	}
	return whole(args[0], "status.observedGeneration")
}

// hasCaughtUp tells whether a member has observed the given generation of the template, by the generation standard.
func hasCaughtUp(item map[string]any, generation int64) (bool, error) {
	if item["status"] == nil {
		return false, nil
	}
	reported := make(map[string]any, 3)
	for _, field := range []string{"observedGeneration", "generation", "resourceTemplateGeneration"} {
		n, err := whole(item, "status."+field)
		if err != nil {
			return false, err
		}
		reported[field] = n
	}
	return status.CaughtUp(reported, generation)
}

// withFields returns o's status with each of fields set, or removed when it is null.
func withFields(o, fields map[string]any) (map[string]any, error) {
	old, err := value.Map(o, "status")
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(old)+len(fields))
	maps.Copy(out, old)
	for field, v := range fields {
		if v == nil {
			delete(out, field)
		} else {
			out[field] = v
		}
	}
	return out, nil
}

// replaceStatus returns the JSON patch that gives o the status wanted, or none when it is nil.
func replaceStatus(o, wanted map[string]any) []any {
	if wanted != nil {
		return []any{operation("add", "/status", wanted)}
	}
	if _, has := o["status"]; has {
		return []any{operation("remove", "/status", nil)}
	}
	return []any{}
}

func operation(op, path string, v any) map[string]any {
	out := map[string]any{"op": op, "path": path}
	if op == "add" {
		out["value"] = v
	}
	return out
}

func advanceStatus(c *Call, args []any) (any, error) {
	o := object(args[0])
	observed, err := observedGeneration(c, args[:2])
	if err != nil {
		return nil, err
	}
	changed, err := withFields(o, object(args[2]))
	if err != nil {
		return nil, err
	}
	changed["observedGeneration"] = observed
	patch := replaceStatus(o, changed)
	generation, err := at(o, "metadata.generation")
	if err == nil && generation == nil {
		patch = append(patch, operation("add", "/metadata/generation", int64(0)))
	}
	return patch, err
}

func isRolledOut() Function {
	return Function{
		Name:   "isRolledOut",
		Params: []Param{{Name: "object", Type: Map}},
		Result: Bool,
		Doc: "Whether a workload is rolled out: status.observedGeneration is metadata.generation, status.updatedReplicas is " +
			"at least spec.replicas (0 when absent), and status.availableReplicas at least status.updatedReplicas. False when " +
			"one of the two counters is absent.",
		Lua: `kube.isRolledOut(object)`,
		CEL: `kube.isRolledOut(object)`,
		Call: func(_ *Call, args []any) (any, error) {
			o := object(args[0])
			generation, err := at(o, "metadata.generation")
			if err != nil {
				return nil, err
			}
			observed, err := at(o, "status.observedGeneration")
			if err != nil {
				return nil, err
			}
			var counters [3]int64
			var has [3]bool
			for i, field := range []string{"spec.replicas", "status.updatedReplicas", "status.availableReplicas"} {
				v, err := at(o, field)
				if err != nil {
					return nil, err
				}
				if v == nil {
					continue
				}
				if counters[i], has[i] = value.Whole(v); !has[i] {
					return nil, value.Wrong(field, "a whole number", v)
				}
			}
			return observed == generation && has[1] && has[2] && counters[1] >= counters[0] && counters[2] >= counters[1], nil
		},
	}
}
