package kube

import (
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

func conditions() []Function {
	return []Function{
		{
			Name:   "mergeConditions",
			Params: []Param{{Name: "items", Type: List, Optional: true}},
			Result: Any,
			Doc: "The members' status.conditions in one list; null when there are none. Conditions with the same type, status " +
				"and reason are one, which keeps the other fields of the first; its message is the members' messages, each " +
				"behind its cluster's name: `member1=ready, member2=ready`.",
			Lua:  `kube.mergeConditions(items)`,
			CEL:  `kube.mergeConditions(items)`,
			Call: mergeConditions,
		},
		{
			Name: "hasCondition",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "type", Type: String},
				{Name: "status", Type: String},
				{Name: "reasons", Type: String},
			},
			Variadic: true,
			Result:   Bool,
			Doc: "Whether the object's status.conditions has one of this type and status and, when reasons are given, with one " +
				"of them. False when there is no status or there are no conditions.",
			Lua:  `kube.hasCondition(object, "Ready", "True", "Succeeded")`,
			CEL:  `kube.hasCondition(object, 'Ready', 'True', 'Succeeded')`,
			Call: hasCondition,
		},
	}
}

// conditionKey is what conditions have in common that are merged.
type conditionKey struct{ kind, status, reason any }

func mergeConditions(c *Call, args []any) (any, error) {
	var merged []any
	first := map[conditionKey]map[string]any{}
	err := eachValue(args[0], "conditions", func(cluster string, v any) error {
		l, ok := List.fit(v)
		if !ok {
			return wrong("conditions", "a list", v)
		}
		return eachCondition(list(l), func(condition map[string]any) error {
			key := conditionKey{condition["type"], condition["status"], condition["reason"]}
			for field, v := range map[string]any{"type": key.kind, "status": key.status, "reason": key.reason, "message": condition["message"]} {
				if v != nil && !isText(v) {
					return value.Wrong(field, "a string", v)
				}
			}
			message := cluster + "=" + text(condition["message"])
			same, ok := first[key]
			if ok {
				message = text(same["message"]) + ", " + message
			} else {
				same = maps.Clone(condition)
				first[key] = same
				merged = append(merged, same)
			}
			if err := c.charge(len(message)); err != nil {
				return err
			}
			same["message"] = message
			return nil
		})
	})
	if len(merged) == 0 {
		return nil, err
	}
	return merged, err
}

func eachCondition(conditions []any, visit func(map[string]any) error) error {
	for i, v := range conditions {
		condition, ok := v.(map[string]any)
		if !ok {
			return value.InElement("status.conditions", i, value.Wrong("", "an object", v))
		}
		if err := visit(condition); err != nil {
			return value.InElement("status.conditions", i, err)
		}
	}
	return nil
}

func hasCondition(_ *Call, args []any) (any, error) {
	found, err := at(args[0], "status.conditions")
	if err != nil || found == nil {
		return false, err
	}
	l, ok := List.fit(found)
	if !ok {
		return nil, value.Wrong("status.conditions", "a list", found)
	}
	has := false
	err = eachCondition(list(l), func(condition map[string]any) error {
		has = has || condition["type"] == args[1] && condition["status"] == args[2] &&
			(len(args) == 3 || slices.Contains(args[3:], condition["reason"]))
		return nil
	})
	return has, err
}
