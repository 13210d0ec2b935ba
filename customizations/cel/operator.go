package cel

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// equal is ==.
func equal(r *run, left, right ref.Val) ref.Val {
	switch a := left.(type) {
	case types.String:
		if b, ok := right.(types.String); ok {
			r.charge(stepsFor(int64(min(len(a), len(b)))), 0)
			return types.Bool(a == b)
		}
	case traits.Sizer:
		b, ok := right.(traits.Sizer)
		if !ok {
			break
		}
		r.charge(stepsFor(min(length(left), length(right))), 0)
		if length(left) != length(right) {
			return types.False
		}
		// No more is compared than the lighter one of the two has; but which one that is cannot be known for less.
		weight := r.weigh(left)
		r.charge(stepsFor(weight), 0)
		if x, y := native(left), native(right); x != nil && y != nil {
			return types.Bool(sameValue(x, y))
		}
		r.charge(0, bytesRound*weight) // elements that are plain have to be wrapped
		return types.Equal(left, b.(ref.Val))
	case *types.Optional:
		r.charge(stepsFor(r.weigh(left)), 0)
	}
	return types.Equal(left, right)
}

func notEqual(r *run, left, right ref.Val) ref.Val {
	return types.Bool(equal(r, left, right) != types.True)
}

// contains is element in list, or key in map.
func contains(r *run, element, container ref.Val) ref.Val {
	switch c := container.(type) {
	case traits.Mapper:
		r.charge(stepsFor(length(element)), 0)
		return c.Contains(element)
	case traits.Lister:
		n := length(c)
		r.charge(n, 0)
		list, ok := c.Value().([]any)
		wanted := scalar(element)
		if ok && wanted != nil {
			r.charge(multiply(n, stepsFor(length(element))), 0)
			return types.Bool(slices.ContainsFunc(list, func(e any) bool { return sameValue(e, wanted) }))
		}
		weight := r.weigh(c)
		r.charge(stepsFor(weight), bytesRound*weight)
		return c.Contains(element)
	}
	return types.NoSuchOverloadErr()
}

// native returns the plain map or list that v is; nil when it is none.
func native(v ref.Val) any {
	switch plain := v.Value().(type) {
	case map[string]any, []any:
		return plain
	}
	return nil
}

// scalar returns v as a plain value; nil when it is null, or of a type that JSON does not have.
func scalar(v ref.Val) any {
	switch v := v.(type) {
	case types.String:
		return string(v)
	case types.Int:
		return int64(v)
	case types.Double:
		return float64(v)
	case types.Bool:
		return bool(v)
	}
	return nil
}

// add is +. Lists are joined at once: what cel-go does, joining them when they are read, makes doubling a list cost
// nothing however long it gets.
func add(r *run, left, right ref.Val) ref.Val {
	switch a := left.(type) {
	case types.String:
		if b, ok := right.(types.String); ok {
			n := int64(len(a) + len(b))
			r.charge(stepsFor(n), n)
			return a + b
		}
	case types.Bytes:
		r.charge(stepsFor(length(a)+length(right)), length(a)+length(right))
		return a.Add(right)
	case traits.MutableLister:
		// The accumulator of a loop, which nobody else can see. What is behind it was charged with the round.
		n := length(right)
		r.charge(stepsFor(n), 2*bytesElement*n)
		return a.Add(right)
	case traits.Lister:
		if b, ok := right.(traits.Lister); ok {
			return joinLists(r, a, b)
		}
	case traits.Adder:
		return a.Add(right)
	}
	return types.NoSuchOverloadErr()
}

func joinLists(r *run, a, b traits.Lister) ref.Val {
	switch n, m := length(a), length(b); {
	case n == 0:
		return b
	case m == 0:
		return a
	default:
		r.charge(n+m, bytesList+2*bytesElement*(n+m))
		out := make([]ref.Val, 0, n+m)
		for _, l := range []traits.Lister{a, b} {
			for i := range length(l) {
				out = append(out, l.Get(types.Int(i)))
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, out)
	}
}

// orderedMap is a map that is gone through in the order of its keys.
type orderedMap struct {
	traits.Mapper
	keys []ref.Val
}

func sortKeys(r *run, m traits.Mapper) ref.Val {
	n := length(m)
	if r != nil {
		r.charge(n, 4*bytesElement*n)
	}
	keys := make([]ref.Val, 0, n)
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, compareKeys)
	return &orderedMap{Mapper: m, keys: keys}
}

func compareKeys(a, b ref.Val) int {
	if a, ok := a.(types.String); ok {
		if b, ok := b.(types.String); ok {
			return cmp.Compare(a, b)
		}
	}
	if c := strings.Compare(a.Type().TypeName(), b.Type().TypeName()); c != 0 {
		return c
	}
	if a, ok := a.(traits.Comparer); ok {
		if c, ok := a.Compare(b).(types.Int); ok {
			return int(c)
		}
	}
	return 0
}

// Iterator goes through the keys.
func (m *orderedMap) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, m.keys).Iterator()
}

// Fold goes through the entries.
func (m *orderedMap) Fold(f traits.Folder) {
	for _, key := range m.keys {
		value, _ := m.Find(key)
		if !f.FoldEntry(key, value) {
			return
		}
	}
}
