package lua

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// maxResults is how many values a script's function may return.
const maxResults = 2

// input returns one input of the request as an argument of the script's function.
func (r *run) input(in interpreter.Input) lua.LValue {
	return r.toLua(script.EncodeInput(r.req, in))
}

// decode makes the response of what the script's function left on the stack.
func (r *run) decode() (*interpreter.Response, error) {
	first, second := r.l.Get(-2), r.l.Get(-1)
	if healthy, ok := first.(lua.LBool); ok && second == lua.LNil && r.program.info.Result == interpreter.ResultHealth {
		return &interpreter.Response{Health: interpreter.HealthOf(bool(healthy))}, nil
	}
	value, err := r.plainAnswer(first, second)
	if err != nil {
		return nil, err
	}
	return script.Decoder{Lenient: true}.Decode(r.req, value)
}

// plainAnswer returns what the script's function returned in the shape that script.Decode takes.
func (r *run) plainAnswer(first, second lua.LValue) (any, error) {
	info := r.program.info
	c := result{run: r, share: true, decoded: true}
	switch info.Result {
	case interpreter.ResultReplicas:
		replicas, ok := first.(lua.LNumber)
		if !ok {
			return nil, fmt.Errorf("%s returns %s: want a number, and perhaps a table", info.Function, typeName(first))
		}
		if second == lua.LNil {
			return float64(replicas), nil
		}
		if !isTable(second) {
			return nil, fmt.Errorf("%s returns %s after the number: want a table", info.Function, typeName(second))
		}
		requirements, err := c.returned("replicaRequirements", second)
		return script.Fields{
			{Name: "replicas", Value: float64(replicas)}, {Name: "replicaRequirements", Value: requirements},
		}, err
	case interpreter.ResultHealth:
		return r.plainHealth(first, second)
	case interpreter.ResultComponents:
		if first == lua.LNil {
			return nil, nil
		}
		return c.returned("components", first)
	case interpreter.ResultDependencies:
		return c.returned("dependencies", first)
	case interpreter.ResultStatus:
		c.share, c.decoded = false, false
		return c.returned("status", first)
	default:
		c.share, c.decoded = false, false
		if info.Operation == interpreter.Retain || info.Operation == interpreter.ReviseReplica {
			c.references = append(c.references, r.req.Object.Object)
			if r.req.ObservedObject != nil {
				c.references = append(c.references, r.req.ObservedObject.Object)
			}
		}
		return c.returned("object", first)
	}
}

// returned converts a table that the script's function returned.
func (c *result) returned(name string, value lua.LValue) (any, error) {
	if !isTable(value) {
		return nil, fmt.Errorf("%s returns %s: want a table", c.run.program.info.Function, typeName(value))
	}
	out, err := c.value(value)
	if err != nil {
		return nil, atKey(name, err)
	}
	return out, nil
}

// plainHealth takes a boolean or a state, perhaps with a message behind it.
func (r *run) plainHealth(first, second lua.LValue) (any, error) {
	out := map[string]any{}
	switch first := first.(type) {
	case lua.LBool:
		out["state"] = string(interpreter.HealthOf(bool(first)).State)
	case lua.LString:
		out["state"] = string(first)
	default:
		return nil, fmt.Errorf("%s returns %s: want a boolean, or a state and a message", r.program.info.Function, typeName(first))
	}
	switch message := second.(type) {
	case *lua.LNilType:
	case lua.LString:
		out["message"] = string(message)
	default:
		return nil, fmt.Errorf("%s returns %s after the state: want a message", r.program.info.Function, typeName(second))
	}
	return out, nil
}

// spreadAnswer returns an answer of the next rule as the values that the operation's function would return.
func (r *run) spreadAnswer(resp *interpreter.Response) ([]lua.LValue, error) {
	op := r.req.Operation
	value, err := script.Encode(op, resp)
	if err != nil {
		return nil, err
	}
	m, _ := value.(map[string]any)
	switch op.Info().Result {
	case interpreter.ResultReplicas:
		return []lua.LValue{r.toLua(m["replicas"]), r.toLua(m["replicaRequirements"])}, nil
	case interpreter.ResultHealth:
		return []lua.LValue{r.toLua(m["state"]), r.toLua(m["message"])}, nil
	case interpreter.ResultStatus:
		if value == nil {
			value = map[string]any{}
		}
	}
	return []lua.LValue{r.toLua(value)}, nil
}

// isTable tells whether a script sees value as a table.
func isTable(value lua.LValue) bool {
	return value.Type() == lua.LTTable || viewOf(value) != nil
}

// typeName returns the type of value as a script sees it.
func typeName(value lua.LValue) string {
	if value.Type() == lua.LTUserData {
		return lua.LTTable.String()
	}
	return value.Type().String()
}
