package script

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// place is where a value stands in a result. Its text is made only when there is something to say about it. A nil place
// is the result itself.
type place struct {
	parent *place
	name   string // of a field; empty for an element
	index  int    // of an element
}

func (p *place) field(name string) *place { return &place{parent: p, name: name} }

func (p *place) element(i int) *place { return &place{parent: p, index: i} }

// String returns, for example, "components[1].replicas".
func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.parent == nil:
		return p.name
	case strings.ContainsAny(p.name, ".[]"):
		return p.parent.String() + "[" + strconv.Quote(p.name) + "]"
	default:
		return p.parent.String() + "." + p.name
	}
}

// want returns the error of a value that is not what it should be.
func (p *place) want(wanted string, got any) error {
	return fmt.Errorf("%s: want %s, got %s", p.String(), wanted, Describe(got))
}

// Describe returns a plain value in the words of an error message: a number and a short string as they are, anything
// else by its type.
func Describe(value any) string {
	const long = 64
	switch v := value.(type) {
	case nil:
		return "nothing"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > long {
			return "a string of " + strconv.Itoa(len(v)) + " bytes"
		}
		return strconv.Quote(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	default:
		return fmt.Sprintf("a %T", v)
	}
}

// object returns value as an object; nil for nil. An empty list is an empty object: a script may not be able to tell.
func (p *place) object(value any) (map[string]any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	case []any:
		if len(v) == 0 {
			return map[string]any{}, nil
		}
	}
	return nil, p.want("an object", value)
}

// required is object, with nil an error.
func (p *place) required(value any) (map[string]any, error) {
	if value == nil {
		return nil, p.want("an object", value)
	}
	return p.object(value)
}

// list returns value as a list; nil for nil. An empty object is an empty list.
func (p *place) list(value any) ([]any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case map[string]any:
		if len(v) == 0 {
			return []any{}, nil
		}
	}
	return nil, p.want("a list", value)
}

func decodeList[T any](at *place, value any, decode func(*place, any) (T, error)) ([]T, error) {
	list, err := at.list(value)
	if err != nil || list == nil {
		return nil, err
	}
	out := make([]T, len(list))
	for i, element := range list {
		if out[i], err = decode(at.element(i), element); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// text returns value as a string; "" for nil.
func (p *place) text(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return "", p.want("a string", value)
}

// textField is a field that holds a string, and where to put it.
type textField struct {
	name string
	into *string
}

func (p *place) texts(m map[string]any, fields []textField) (err error) {
	for _, f := range fields {
		if value := m[f.name]; value != nil {
			if *f.into, err = p.field(f.name).text(value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *place) int64(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		return v, nil
	case float64:
		// 2^63 is a float64, 2^63-1 is not.
		if v == math.Trunc(v) && v >= math.MinInt64 && v < math.MaxInt64 {
			return int64(v), nil
		}
	}
	return 0, p.want("a whole number", value)
}

func (p *place) int32(value any) (int32, error) {
	n, err := p.int64(value)
	if err != nil {
		return 0, err
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return 0, p.want("a whole number of 32 bits", n)
	}
	return int32(n), nil
}

func (p *place) quantity(given any) (resource.Quantity, error) {
	var text string
	switch v := given.(type) {
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI), nil
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
		if v == math.Trunc(v) && math.Abs(v) < math.MaxInt64 {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
	case string:
		text = v
	default:
		return resource.Quantity{}, p.want("a quantity", given)
	}
	q, err := value.ParseQuantity(text)
	if err != nil {
		return q, fmt.Errorf("%s: %w", p, err)
	}
	return q, nil
}

func (p *place) resources(value any) (corev1.ResourceList, error) {
	m, err := p.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	out := make(corev1.ResourceList, len(m))
	return out, each(m, func(name string, value any) (err error) {
		if value != nil {
			out[corev1.ResourceName(name)], err = p.field(name).quantity(value)
		}
		return err
	})
}

func (p *place) labels(value any) (map[string]string, error) {
	m, err := p.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	out := make(map[string]string, len(m))
	return out, each(m, func(name string, value any) (err error) {
		out[name], err = p.field(name).text(value)
		return err
	})
}

// each calls do for every entry of m, and returns the error of the least key.
func each(m map[string]any, do func(key string, value any) error) error {
	var first string
	var failed error
	for key, value := range m {
		if err := do(key, value); err != nil && (failed == nil || key < first) {
			first, failed = key, err
		}
	}
	return failed
}

// known tells which key of m is none of keys.
func (d Decoder) known(at *place, m map[string]any, keys ...string) error {
	if d.AllowUnknown {
		return nil
	}
	return each(m, func(key string, _ any) error {
		if slices.Contains(keys, key) {
			return nil
		}
		return fmt.Errorf("%s: unknown field: want one of %s", at.field(key), strings.Join(keys, ", "))
	})
}
