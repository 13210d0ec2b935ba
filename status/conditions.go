package status

import (
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// conditionKey is what makes two conditions one; nil is absent, and equals nothing else.
type conditionKey struct{ kind, status, reason any }

// MergeConditions returns the conditions of all items, those of the same type, status and reason as one. Their messages
// are joined, each with its cluster before it: "member1=all fine, member2=so so"; an absent message is an empty one. The
// other fields are those of the first. The order is that of first appearance. Nil when there is none; each is a copy.
func MergeConditions(items []interpreter.StatusItem) ([]any, error) {
	var out []any
	var messages []*strings.Builder
	at := map[conditionKey]int{}
	for _, item := range items {
		err := Conditions(item.Status, func(condition map[string]any) error {
			key, err := keyOf(condition)
			if err != nil {
				return err
			}
			message, err := value.String(condition, "message")
			if err != nil {
				return err
			}
			i, ok := at[key]
			if !ok {
				i = len(out)
				at[key] = i
				out = append(out, value.CopyMap(condition))
				messages = append(messages, &strings.Builder{})
			}
			b := messages[i]
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(item.ClusterName + "=" + message)
			return nil
		})
		if err != nil {
			return nil, inStatus(item, err)
		}
	}
	for i, b := range messages {
		out[i].(map[string]any)["message"] = b.String()
	}
	return out, nil
}

func keyOf(condition map[string]any) (conditionKey, error) {
	key := conditionKey{condition["type"], condition["status"], condition["reason"]}
	for _, field := range [...]string{"type", "status", "reason"} {
		if _, err := value.String(condition, field); err != nil {
			return conditionKey{}, err
		}
	}
	return key, nil
}

// Conditions calls visit with each of a status's conditions until one returns an error; what it names is put before it.
// A condition that is null is left out.
func Conditions(status map[string]any, visit func(map[string]any) error) error {
	return value.Each(status, "conditions", func(condition map[string]any) error {
		if condition == nil {
			return nil
		}
		return visit(condition)
	})
}

// Condition returns the first of a status's conditions that has the given type; nil when none has. It is the status's own.
func Condition(status map[string]any, kind string) (map[string]any, error) {
	var out map[string]any
	err := Conditions(status, func(condition map[string]any) error {
		got, err := value.String(condition, "type")
		if err == nil && out == nil && got == kind {
			out = condition
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
