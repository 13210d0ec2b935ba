package cel_test

import (
	"errors"

	"github.com/dragoman-io/dragoman/customizations/kube"
)

// kubeFunctions is a library with a function of each form that the table knows.
func kubeFunctions() []kube.Function {
	return []kube.Function{
		{
			Name: "first", Params: []kube.Param{{Name: "items", Type: kube.List}, {Name: "fallback", Type: kube.Any, Optional: true}},
			Result: kube.Any,
			Call: func(_ *kube.Call, args []any) (any, error) {
				if list, _ := args[0].([]any); len(list) > 0 {
					return list[0], nil
				}
				return args[1], nil
			},
		},
		{
			Name: "count", Aliases: []string{"countAll"}, Params: []kube.Param{{Name: "values", Type: kube.Any}}, Variadic: true,
			Result: kube.Int,
			Call:   func(_ *kube.Call, args []any) (any, error) { return int64(len(args)), nil },
		},
		{
			Name: "fail", Result: kube.Any,
			Call: func(*kube.Call, []any) (any, error) { return nil, errors.New("it does not work") },
		},
		{
			Name: "allocate", Params: []kube.Param{{Name: "bytes", Type: kube.Int}}, Result: kube.String,
			Call: func(c *kube.Call, args []any) (any, error) {
				n, _ := args[0].(int64)
				if err := c.Charge(int(n)); err != nil {
					return nil, err
				}
				return string(make([]byte, n)), nil
			},
		},
		{
			Name: "name", Result: kube.String,
			Call: func(c *kube.Call, _ []any) (any, error) { return c.Request.Name, nil },
		},
	}
}
