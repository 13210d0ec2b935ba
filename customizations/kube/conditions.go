package kube

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/interpreter"
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
		{
			Name: "condition",
			Params: []Param{
				{Name: "object", Type: Map},
				{Name: "type", Type: String},
			},
			Result: Any,
			Doc:    "The first condition of this type in the object's status.conditions; null when there is none.",
			Lua:    `kube.condition(object, "Ready")`,
			CEL:    `kube.condition(object, 'Ready')`,
			Call: func(_ *Call, args []any) (any, error) {
				found, err := findCondition(args[0], text(args[1]))
				if found == nil {
					return nil, err
				}
				return found, nil
			},
		},
		{
			Name:   "readiness",
			Params: []Param{{Name: "object", Type: Map}},
			Result: Map,
			Doc: "The health of an object that reports a condition Ready, as a rule for health returns it: Healthy when it is " +
				"True, Degraded when it is False, else Progressing, with the condition's message. Progressing as well as long as " +
				"status.observedGeneration, if there is one, is behind metadata.generation.",
			Lua:  `kube.readiness(object).state`,
			CEL:  `kube.readiness(object)`,
			Call: readiness,
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

// eachCondition calls visit with each condition; a null element is none.
func eachCondition(conditions []any, visit func(map[string]any) error) error {
	for i, v := range conditions {
		if v == nil {
			continue
		}
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

// findCondition returns the first condition of a type in an object's status; nil when there is none.
func findCondition(o any, kind string) (map[string]any, error) {
	conditions, err := conditionsOf(o)
	if err != nil {
		return nil, err
	}
	var found map[string]any
	err = eachCondition(conditions, func(condition map[string]any) error {
		if found == nil && condition["type"] == kind {
			found = condition
		}
		return nil
	})
	return found, err
}

func conditionsOf(o any) ([]any, error) {
	found, err := at(o, "status.conditions")
	if err != nil || found == nil {
		return nil, err
	}
	l, ok := List.fit(found)
	if !ok {
		return nil, value.Wrong("status.conditions", "a list", found)
	}
	return list(l), nil
}

func readiness(_ *Call, args []any) (any, error) {
	generation, err := whole(args[0], "metadata.generation")
	if err != nil {
		return nil, err
	}
	observed, err := at(args[0], "status.observedGeneration")
	if err != nil {
		return nil, err
	}
	if n, ok := numberOf(observed); ok && compare(n, generation) < 0 {
		return health(interpreter.Progressing, fmt.Sprintf("generation %d is not observed yet", generation)), nil
	}
	ready, err := findCondition(args[0], "Ready")
	if err != nil {
		return nil, err
	}
	message := text(ready["message"])
	if message == "" {
		message = text(ready["reason"])
	}
	switch ready["status"] {
	case "True":
		return health(interpreter.Healthy, text(ready["message"])), nil
	case "False":
		return health(interpreter.Degraded, message), nil
	case nil:
		return health(interpreter.Progressing, "there is no condition Ready yet"), nil
	default:
		return health(interpreter.Progressing, message), nil
	}
}

func health(state interpreter.HealthState, message string) map[string]any {
	return map[string]any{"state": string(state), "message": message}
}

func hasCondition(_ *Call, args []any) (any, error) {
	conditions, err := conditionsOf(args[0])
	if err != nil {
		return nil, err
	}
	has := false
	err = eachCondition(conditions, func(condition map[string]any) error {
		has = has || condition["type"] == args[1] && condition["status"] == args[2] &&
			(len(args) == 3 || slices.Contains(args[3:], condition["reason"]))
		return nil
	})
	return has, err
}
