package cases

import (
	"encoding/json"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Output is one part of an answer.
type Output struct {
	// Name is one of interpreter.OperationInfo.Outputs.
	Name string
	// Value is a plain value: nil, bool, int64, float64, string, map[string]any or []any.
	Value any
}

// Outputs returns the parts of the answer to op, under the names that case files and the command line have for them, as
// plain values. A health that says no more than yes or no is healthy alone; otherwise its state is in health and its
// message, when it has one, in message. The values share memory with resp.
func Outputs(op interpreter.Operation, resp *interpreter.Response) ([]Output, error) {
	info := op.Info()
	if info == nil {
		_, err := interpreter.ParseOperation(string(op))
		return nil, err
	}
	values, err := outputValues(info.Result, resp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	outputs := make([]Output, 0, len(values))
	for i, value := range values {
		outputs = append(outputs, Output{Name: info.Outputs[i], Value: value})
	}
	return outputs, nil
}

// outputValues returns the parts in the order of OperationInfo.Outputs; those at the end may be left out.
func outputValues(result interpreter.Result, resp *interpreter.Response) ([]any, error) {
	switch result {
	case interpreter.ResultReplicas:
		requires, err := plain(resp.ReplicaRequirements)
		return []any{int64(resp.Replicas), requires}, err
	case interpreter.ResultComponents:
		return plainList(resp.Components)
	case interpreter.ResultDependencies:
		return plainList(resp.Dependencies)
	case interpreter.ResultStatus:
		if resp.Status == nil {
			return []any{nil}, nil
		}
		return []any{resp.Status}, nil
	case interpreter.ResultHealth:
		health := resp.Health
		if health == interpreter.HealthOf(health.Healthy()) {
			return []any{health.Healthy()}, nil
		}
		if health.Message == "" {
			return []any{health.Healthy(), string(health.State)}, nil
		}
		return []any{health.Healthy(), string(health.State), health.Message}, nil
	default:
		if resp.Object == nil {
			return []any{nil}, nil
		}
		return []any{resp.Object.Object}, nil
	}
}

// plainList returns one plain value: a list, never nil.
func plainList[T any](list []T) ([]any, error) {
	if len(list) == 0 {
		return []any{[]any{}}, nil
	}
	value, err := plain(list)
	return []any{value}, err
}

// plain returns a typed value as a plain one.
func plain(typed any) (any, error) {
	data, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var value any
	err = utiljson.Unmarshal(data, &value)
	return value, err
}
