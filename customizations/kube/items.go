package kube

import (
	"maps"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// eachValue calls visit with each item's status field that is present, and the item's cluster. field may be a path. An
// error of visit's is put behind the cluster and the field's path.
func eachValue(items any, field string, visit func(cluster string, v any) error) error {
	return eachItem(items, func(item map[string]any) error {
		found, err := at(item["status"], field)
		if err != nil || found == nil {
			return value.In("status", err)
		}
		return visit(text(item["clusterName"]), found)
	})
}

// eachItem calls visit with each item. An error of visit's is put behind the cluster.
func eachItem(items any, visit func(item map[string]any) error) error {
	for i, v := range list(items) {
		item, ok := v.(map[string]any)
		if !ok {
			return value.InElement("items", i, value.Wrong("", "an object", v))
		}
		if err := visit(item); err != nil {
			return inCluster(text(item["clusterName"]), i, err)
		}
	}
	return nil
}

// inCluster puts the cluster of an item before err.
func inCluster(cluster string, index int, err error) error {
	if cluster == "" {
		return value.InElement("items", index, err)
	}
	return &clusterError{cluster: cluster, err: err}
}

// clusterError is the error of what one member reports.
type clusterError struct {
	cluster string
	err     error
}

func (e *clusterError) Error() string { return e.cluster + ": " + e.err.Error() }

func (e *clusterError) Unwrap() error { return e.err }

// wrong returns the error that an item's status has v at field where want was wanted.
func wrong(field, want string, v any) error {
	return value.Wrong("status."+field, want, v)
}

// reducer returns the function that reduces the values that a status field has in the items to one.
func reducer(name, field, doc string, reduce func(items any, field string) (any, error)) Function {
	return Function{
		Name: name,
		Params: []Param{
			{Name: "items", Type: List, Optional: true},
			{Name: "field", Type: String, Path: MemberStatus},
		},
		Result: Any,
		Doc:    doc,
		Lua:    "kube." + name + `(items, "` + field + `")`,
		CEL:    "kube." + name + "(items, '" + field + "')",
		Call:   func(_ *Call, args []any) (any, error) { return reduce(args[0], text(args[1])) },
	}
}

func reducers() []Function {
	return []Function{
		reducer("sum", "readyReplicas", "The sum of a status field over the items; 0 for none. An item without the field "+
			"counts 0; a value that is no number is an error that names the cluster.", sum),
		sums(),
		reducer("min", "readyReplicas", "The smallest value of a status field, a number, over the items; null when no item "+
			"has it.", extreme("a number", isNumber, func(a, b any) bool { return compare(a, b) < 0 })),
		reducer("max", "readyReplicas", "The greatest value of a status field, a number, over the items; null when no item "+
			"has it.", extreme("a number", isNumber, func(a, b any) bool { return compare(a, b) > 0 })),
		reducer("earliest", "startTime", "The smallest time of a status field over the items, as RFC 3339 text; null when no "+
			"item has one. Empty text is no time.", extreme("a time", isText, func(a, b any) bool { return text(a) < text(b) })),
		reducer("latest", "startTime", "The greatest time of a status field over the items, as RFC 3339 text; null when no "+
			"item has one. Empty text is no time.", extreme("a time", isText, func(a, b any) bool { return text(a) > text(b) })),
		reducer("first", "phase", "The value of a status field in the first item that has it; null when none has.",
			func(items any, field string) (found any, err error) {
				err = eachValue(items, field, func(_ string, v any) error {
					if found == nil {
						found = v
					}
					return nil
				})
				return found, err
			}),
		reducer("last", "phase", "The value of a status field in the last item that has it; null when none has.",
			func(items any, field string) (found any, err error) {
				err = eachValue(items, field, func(_ string, v any) error {
					found = v
					return nil
				})
				return found, err
			}),
		reducer("lastNonEmpty", "url", "The value of a status field in the last item where it is neither absent nor empty "+
			"text; null when there is none.",
			func(items any, field string) (found any, err error) {
				err = eachValue(items, field, func(_ string, v any) error {
					if v != "" {
						found = v
					}
					return nil
				})
				return found, err
			}),
		reducer("concat", "conditions", "The lists that a status field holds in the items, one behind the other; null when "+
			"there is no element.", concat),
		reducer("union", "endpoints", "The maps that a status field holds in the items, joined by key: a later item's value "+
			"replaces an earlier one's. Null when there is no key.", union),
		reducer("sumTree", "replicaStatuses", "The maps that a status field holds in the items, joined by key at every "+
			"depth, numbers under the same keys added; anything that is neither a map nor a number is left out. Null when no "+
			"number is found.", sumTree),
		reducer("sumQuantities", "cpu", "The sum of a status field, a quantity, over the items, as a quantity; `0` when no "+
			"item has it. Empty text is passed over.", sumQuantities),
		reducer("sumByName", "replicatedJobsStatus", "The lists that a status field holds in the items, joined by their "+
			"elements' name, numbers added, anything else as in the first of that name. Null when there is no element.", sumByName),
		highestStatus(),
	}
}

func sumByName(items any, field string) (any, error) {
	all := []any{}
	byName := map[string]map[string]any{}
	err := eachValue(items, field, func(_ string, v any) error {
		l, ok := List.fit(v)
		if !ok {
			return wrong(field, "a list", v)
		}
		for i, v := range list(l) {
			if v == nil {
				continue
			}
			element, ok := v.(map[string]any)
			if !ok {
				return value.InElement("status."+field, i, value.Wrong("", "an object", v))
			}
			name, err := value.String(element, "name")
			if err != nil {
				return value.InElement("status."+field, i, err)
			}
			total, ok := byName[name]
			if !ok {
				total = maps.Clone(element)
				byName[name] = total
				all = append(all, total)
				continue
			}
			for key, v := range element {
				if !isNumber(v) || total[key] != nil && !isNumber(total[key]) {
					continue
				}
				if total[key], err = add(orZero(total[key]), v); err != nil {
					return value.InElement("status."+field, i, value.In(key, err))
				}
			}
		}
		return nil
	})
	if len(all) == 0 {
		return nil, err
	}
	return all, err
}

func orZero(v any) any {
	if v == nil {
		return int64(0)
	}
	return v
}

func sumQuantities(items any, field string) (any, error) {
	var total resource.Quantity
	err := eachValue(items, field, func(_ string, v any) error {
		if v == "" {
			return nil
		}
		q, err := quantity(v)
		if err != nil {
			return value.In("status."+field, err)
		}
		total.Add(q)
		return nil
	})
	return total.String(), err
}

func highestStatus() Function {
	return Function{
		Name: "highestStatus",
		Params: []Param{
			{Name: "items", Type: List, Optional: true},
			{Name: "field", Type: String, Path: MemberStatus},
			{Name: "order", Type: List},
		},
		Result: Any,
		Doc: "The status of the item in which a field has the value that stands last in order; a value that is not in order " +
			"is lowest, and of equal ones the first counts. Values of one rank stand in a list of their own. Null when no item " +
			"has the field.",
		Lua: `kube.highestStatus(items, "phase", {"Succeeded", {"Pending", "Running"}, "Failed"})`,
		CEL: `kube.highestStatus(items, 'phase', ['Succeeded', ['Pending', 'Running'], 'Failed'])`,
		Call: func(_ *Call, args []any) (any, error) {
			ranks := map[any]int{}
			for i, v := range list(args[2]) {
				same, err := textOrList("order", v)
				if err != nil {
					return nil, err
				}
				for _, name := range same {
					ranks[name] = i + 1
				}
			}
			var best any
			highest := -1
			field := text(args[1])
			err := eachItem(args[0], func(item map[string]any) error {
				found, err := at(item["status"], field)
				switch {
				case err != nil || found == nil:
					return value.In("status", err)
				case !isText(found):
					return wrong(field, "a string", found)
				case ranks[found] > highest:
					best, highest = item["status"], ranks[found]
				}
				return nil
			})
			return best, err
		},
	}
}

func sum(items any, field string) (any, error) {
	var total any = int64(0)
	err := eachValue(items, field, func(_ string, v any) (err error) {
		if !isNumber(v) {
			return wrong(field, "a number", v)
		}
		if total, err = add(total, v); err != nil {
			return value.In("status."+field, err)
		}
		return nil
	})
	return total, err
}

func sums() Function {
	return Function{
		Name: "sums",
		Params: []Param{
			{Name: "items", Type: List, Optional: true},
			{Name: "fields", Type: List, Path: MemberStatus},
		},
		Result: Map,
		Doc:    "A map with the sum of each of the status fields over the items, as sum has it.",
		Lua:    `kube.sums(items, {"replicas", "readyReplicas"})`,
		CEL:    `kube.sums(items, ['replicas', 'readyReplicas'])`,
		Call: func(_ *Call, args []any) (any, error) {
			fields, err := names("fields", list(args[1]))
			if err != nil {
				return nil, err
			}
			out := make(map[string]any, len(fields))
			for _, field := range fields {
				if out[field], err = sum(args[0], field); err != nil {
					return nil, err
				}
			}
			return out, nil
		},
	}
}

// extreme returns the reduction to the first value that no other is better than.
func extreme(want string, is func(any) bool, better func(a, b any) bool) func(any, string) (any, error) {
	return func(items any, field string) (best any, err error) {
		err = eachValue(items, field, func(_ string, v any) error {
			switch {
			case !is(v):
				return wrong(field, want, v)
			case v != "" && (best == nil || better(v, best)):
				best = v
			}
			return nil
		})
		return best, err
	}
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func concat(items any, field string) (any, error) {
	var all []any
	err := eachValue(items, field, func(_ string, v any) error {
		l, ok := List.fit(v)
		if !ok {
			return wrong(field, "a list", v)
		}
		all = append(all, list(l)...)
		return nil
	})
	if len(all) == 0 {
		return nil, err
	}
	return all, err
}

// eachMap calls visit with each item's status field, a map, that is present.
func eachMap(items any, field string, visit func(map[string]any) error) error {
	return eachValue(items, field, func(_ string, v any) error {
		m, ok := Map.fit(v)
		if !ok {
			return wrong(field, "an object", v)
		}
		return visit(object(m))
	})
}

func union(items any, field string) (any, error) {
	all := map[string]any{}
	err := eachMap(items, field, func(m map[string]any) error {
		maps.Copy(all, m)
		return nil
	})
	if len(all) == 0 {
		return nil, err
	}
	return all, err
}

func sumTree(items any, field string) (any, error) {
	var total map[string]any
	err := eachMap(items, field, func(m map[string]any) (err error) {
		total, err = addTree(total, m)
		return value.In("status."+field, err)
	})
	if total == nil {
		return nil, err
	}
	return total, err
}

// addTree adds the numbers of m to total, which it may modify, and returns it; nil as long as there are none.
func addTree(total, m map[string]any) (map[string]any, error) {
	for key, v := range m {
		var sum any
		var err error
		if inner, ok := v.(map[string]any); ok {
			var tree map[string]any
			if tree, err = addTree(object(total[key]), inner); tree != nil {
				sum = tree
			}
		} else if isNumber(v) {
			if sum = v; isNumber(total[key]) {
				sum, err = add(total[key], v)
			}
		}
		if err != nil {
			return nil, value.In(key, err)
		}
		if sum == nil {
			continue
		}
		if total == nil {
			total = map[string]any{}
		}
		total[key] = sum
	}
	return total, nil
}
