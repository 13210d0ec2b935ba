package kube

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/podspec"
)

func resources() []Function {
	return []Function{
		{
			Name:    "podRequirements",
			Aliases: []string{"accuratePodRequirements"},
			Params:  []Param{{Name: "template", Type: Map}},
			Result:  Any,
			Doc: "What a pod of the template needs, as replicaRequirements: nodeClaim from its node selector, tolerations and " +
				"required node affinity; resourceRequest as Kubernetes counts it, a missing request defaulting to its limit. Null " +
				"when it needs nothing.",
			Lua: `kube.podRequirements(object.spec.template)`,
			CEL: `kube.podRequirements(object.spec.template)`,
			Call: func(_ *Call, args []any) (any, error) {
				requirements, err := podspec.RequirementsValue(object(args[0]))
				if requirements == nil || err != nil {
					return nil, value.In("template", err)
				}
				return requirements, nil
			},
		},
		{
			Name:    "podDependencies",
			Aliases: []string{"getPodDependencies"},
			Params: []Param{
				{Name: "template", Type: Any},
				{Name: "namespace", Type: String, Optional: true},
			},
			Result: List,
			Doc: "The ConfigMaps, Secrets, ServiceAccount and PersistentVolumeClaims that pods of the template refer to, as " +
				"dependencies; an empty list when there are none. Of a list of templates it is those of all, null ones passed " +
				"over. The references are in namespace: `default` when it is null, none at all when it is empty.",
			Lua:  `kube.podDependencies(object.spec.template, object.metadata.namespace)`,
			CEL:  `kube.podDependencies(object.spec.template, object.metadata.?namespace)`,
			Call: podDependencies,
		},
		{
			Name: "component",
			Params: []Param{
				{Name: "name", Type: String},
				{Name: "replicas", Type: Any},
				{Name: "template", Type: Map, Optional: true},
			},
			Result: Map,
			Doc: "A component, as a rule for components returns it: a name, how many replicas, and what each needs, which is " +
				"podRequirements of the template. Without a template, or when it needs nothing, there are no requirements.",
			Lua:  `kube.component("worker", 3, object.spec.template)`,
			CEL:  `kube.component('worker', 3, object.spec.template)`,
			Call: component,
		},
		{
			Name:     "resourceAdd",
			Params:   []Param{{Name: "quantities", Type: String, Optional: true}},
			Variadic: true,
			Result:   String,
			Doc:      "The sum of quantities as a quantity; null counts 0.",
			Lua:      `kube.resourceAdd("500m", "1", nil)`,
			CEL:      `kube.resourceAdd('500m', '1', null)`,
			Call: func(_ *Call, args []any) (any, error) {
				var total resource.Quantity
				for i, arg := range args {
					if arg == nil {
						continue
					}
					q, err := value.ParseQuantity(text(arg))
					if err != nil {
						return nil, value.InElement("quantities", i, err)
					}
					total.Add(q)
				}
				return total.String(), nil
			},
		},
		{
			Name:     "resourceMax",
			Params:   []Param{{Name: "quantities", Type: Any, Optional: true}},
			Variadic: true,
			Result:   Any,
			Doc: "The greatest of quantities, text or numbers, as it was given; the first of equal ones. Null is passed over; " +
				"null when there is none.",
			Lua:  `kube.resourceMax("500m", 1, nil)`,
			CEL:  `kube.resourceMax('500m', 1, null)`,
			Call: resourceMax,
		},
		{
			Name:    "resourceQuantity",
			Aliases: []string{"getResourceQuantity"},
			Params:  []Param{{Name: "quantity", Type: String, Optional: true}},
			Result:  Double,
			Doc:     "A quantity as a number, rounded to the nearest there is; null is 0. A negative one is an error.",
			Lua:     `kube.resourceQuantity("1500m")`,
			CEL:     `kube.resourceQuantity('1500m')`,
			Call: func(_ *Call, args []any) (any, error) {
				if args[0] == nil {
					return 0.0, nil
				}
				q, err := value.ParseQuantity(text(args[0]))
				if err != nil {
					return nil, fmt.Errorf("quantity: %w", err)
				}
				f := q.AsApproximateFloat64()
				if f < 0 || math.IsInf(f, 0) {
					return nil, fmt.Errorf("quantity: want one from 0 to the greatest number, got %q", text(args[0]))
				}
				return f, nil
			},
		},
	}
}

func podDependencies(_ *Call, args []any) (any, error) {
	namespace := "default"
	if args[1] != nil {
		namespace = text(args[1])
	}
	templates, isList := args[0].([]any)
	if !isList {
		template, ok := Map.fit(args[0])
		if !ok {
			return nil, value.Wrong("template", "an object or a list of objects", args[0])
		}
		refs, err := podspec.DependenciesValue(object(template), namespace)
		return refs, value.In("template", err)
	}
	all := []any{}
	for i, v := range templates {
		template, ok := Map.fit(v)
		if !ok && v != nil {
			return nil, value.InElement("template", i, value.Wrong("", "an object", v))
		}
		refs, err := podspec.DependenciesValue(object(template), namespace)
		if err != nil {
			return nil, value.InElement("template", i, err)
		}
		all = append(all, refs...)
	}
	return all, nil
}

func component(_ *Call, args []any) (any, error) {
	out := map[string]any{"name": args[0], "replicas": args[1]}
	if args[2] == nil {
		return out, nil
	}
	requirements, err := podspec.RequirementsValue(object(args[2]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text(args[0]), value.In("template", err))
	}
	if requirements != nil {
		out["replicaRequirements"] = requirements
	}
	return out, nil
}

func resourceMax(_ *Call, args []any) (any, error) {
	var best any
	var most resource.Quantity
	for i, arg := range args {
		if arg == nil {
			continue
		}
		q, err := quantity(arg)
		if err != nil {
			return nil, value.InElement("quantities", i, err)
		}
		if best == nil || q.Cmp(most) > 0 {
			best, most = arg, q
		}
	}
	return best, nil
}

func quantity(v any) (resource.Quantity, error) {
	switch v := v.(type) {
	case string:
		return value.ParseQuantity(v)
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return resource.Quantity{}, errors.New("want a quantity, got " + strconv.FormatFloat(v, 'g', -1, 64))
		}
		return value.ParseQuantity(strconv.FormatFloat(v, 'f', -1, 64))
	}
	return resource.Quantity{}, value.Wrong("", "a quantity", v)
}
