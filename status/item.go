package status

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Items returns the items of a list of plain values, in the JSON form of AggregatedStatusItem. Their statuses are those of
// the list, not copies. Nil stays nil. Fields other than clusterName and status are left out.
func Items(list []any) ([]interpreter.StatusItem, error) {
	if list == nil {
		return nil, nil
	}
	out := make([]interpreter.StatusItem, len(list))
	for i, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, value.InElement("items", i, value.Wrong("", "an object", v))
		}
		var err error
		if out[i].ClusterName, err = value.String(m, "clusterName"); err != nil {
			return nil, value.InElement("items", i, err)
		}
		if out[i].Status, err = value.Map(m, "status"); err != nil {
			return nil, In(out[i], err)
		}
	}
	return out, nil
}

// In returns err with the item's cluster before it; nil stays nil.
func In(item interpreter.StatusItem, err error) error {
	if err == nil {
		return nil
	}
	name := item.ClusterName
	if name == "" {
		name = "a cluster without a name"
	}
	return fmt.Errorf("%s: %w", name, err)
}

// inStatus returns err, about a field of the item's status, as one about the item.
func inStatus(item interpreter.StatusItem, err error) error {
	return In(item, value.In("status", err))
}

// Field returns the value of a field of the item's status; nil when there is none. It is the member's own value.
func Field(item interpreter.StatusItem, field string) (any, error) {
	m := item.Status
	for rest := field; ; {
		name, deeper, nested := strings.Cut(rest, ".")
		v := m[name]
		if v == nil || !nested {
			return v, nil
		}
		next, ok := v.(map[string]any)
		if !ok {
			return nil, inStatus(item, value.Wrong(field[:len(field)-len(deeper)-1], "an object", v))
		}
		m, rest = next, deeper
	}
}

// Counter returns the number that a field of the item's status counts; 0 when there is none. It is at least 0.
func Counter(item interpreter.StatusItem, field string) (int64, error) {
	v, err := Field(item, field)
	if err != nil || v == nil {
		return 0, err
	}
	n, ok := value.Whole(v)
	if !ok {
		return 0, inStatus(item, value.Wrong(field, "a whole number", v))
	}
	if n < 0 {
		return 0, inStatus(item, value.Wrong(field, "a number of at least 0", v))
	}
	return n, nil
}

// Count returns the sum of what the members count in a field, a member that has none counting 0.
func Count(items []interpreter.StatusItem, field string) (int64, error) {
	var sum int64
	for _, item := range items {
		n, err := Counter(item, field)
		if err != nil {
			return 0, err
		}
		if sum > math.MaxInt64-n {
			return 0, inStatus(item, &value.Error{Path: field, Want: "a sum that an int64 holds", Got: strconv.FormatInt(n, 10)})
		}
		sum += n
	}
	return sum, nil
}
