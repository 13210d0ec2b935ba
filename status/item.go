package status

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// In returns err with the item's cluster before it; nil stays nil.
func In(item *interpreter.StatusItem, err error) error {
	if err == nil {
		return nil
	}
	name := item.ClusterName
	if name == "" {
		name = "a cluster without a name"
	}
	return fmt.Errorf("%s: %w", name, err)
}

// InStatus returns err, about a field of the item's status, with the cluster and the status before it; nil stays nil.
func InStatus(item *interpreter.StatusItem, err error) error {
	return In(item, value.In("status", err))
}

// ByCluster returns items sorted by the names of their clusters. Sorted ones are returned as they are, others as a copy.
func ByCluster(items []interpreter.StatusItem) []interpreter.StatusItem {
	byName := func(a, b interpreter.StatusItem) int { return strings.Compare(a.ClusterName, b.ClusterName) }
	if slices.IsSortedFunc(items, byName) {
		return items
	}
	return slices.SortedStableFunc(slices.Values(items), byName)
}

// counter returns the number at field of a status, at least 0; 0 when there is none.
func counter(status map[string]any, field string) (int64, error) {
	v := status[field]
	if v == nil {
		return 0, nil
	}
	n, ok := value.Whole(v)
	if !ok {
		return 0, value.Wrong(field, "a whole number", v)
	}
	if n < 0 {
		return 0, value.Wrong(field, "a number of at least 0", v)
	}
	return n, nil
}

// Count returns the sum of what the members count in a field of their status, one that has none counting 0. A number below
// 0, and a sum that an int64 does not hold, is an error.
func Count(items []interpreter.StatusItem, field string) (int64, error) {
	var sum int64
	for i := range items {
		n, err := counter(items[i].Status, field)
		if err != nil {
			return 0, InStatus(&items[i], err)
		}
		if sum > math.MaxInt64-n {
			return 0, InStatus(&items[i], &value.Error{Path: field, Want: "a sum that an int64 holds", Got: strconv.FormatInt(n, 10)})
		}
		sum += n
	}
	return sum, nil
}

// Times are the times that items have in one field of their status.
type Times struct {
	// Earliest and Latest are the first and last of them, as the members wrote them; empty when there is none.
	Earliest, Latest string
	// Count is how many items have one.
	Count int
}

// TimesOf returns the times that items have in a field of their status. Anything but RFC 3339 is an error.
func TimesOf(items []interpreter.StatusItem, field string) (Times, error) {
	var out Times
	var first, last time.Time
	for i := range items {
		v := items[i].Status[field]
		if v == nil {
			continue
		}
		s, _ := v.(string)
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return Times{}, InStatus(&items[i], value.Wrong(field, "a time such as 2006-01-02T15:04:05Z", v))
		}
		if out.Count == 0 || t.Before(first) {
			first, out.Earliest = t, s
		}
		if out.Count == 0 || t.After(last) {
			last, out.Latest = t, s
		}
		out.Count++
	}
	return out, nil
}
