package status

import (
	"math"
	"strconv"
	"time"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Sum returns the sum of a field over the items, absent ones counting 0: an int64 as long as every number is whole, a
// float64 otherwise.
func Sum(items []interpreter.StatusItem, field string) (any, error) {
	var whole int64
	var fractions float64
	fractional := false
	err := numbers(items, field, func(item interpreter.StatusItem, v any) error {
		n, ok := value.Whole(v)
		if !ok {
			fractional = true
			fractions += v.(float64)
			return nil
		}
		if (n > 0 && whole > math.MaxInt64-n) || (n < 0 && whole < math.MinInt64-n) {
			return inStatus(item, &value.Error{Path: field, Want: "a sum that an int64 holds", Got: strconv.FormatInt(n, 10)})
		}
		whole += n
		return nil
	})
	if err != nil {
		return nil, err
	}
	if fractional {
		return float64(whole) + fractions, nil
	}
	return whole, nil
}

// Min returns the smallest number that any item has in field, as the first that has it wrote it; nil when none has one.
func Min(items []interpreter.StatusItem, field string) (any, error) {
	return extreme(items, field, less)
}

// Max returns the greatest number that any item has in field, as the first that has it wrote it; nil when none has one.
func Max(items []interpreter.StatusItem, field string) (any, error) {
	return extreme(items, field, func(a, b any) bool { return less(b, a) })
}

func extreme(items []interpreter.StatusItem, field string, before func(a, b any) bool) (any, error) {
	var out any
	err := numbers(items, field, func(_ interpreter.StatusItem, v any) error {
		if out == nil || before(v, out) {
			out = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// less compares two numbers exactly, also an int64 that no float64 holds.
func less(a, b any) bool {
	n, ok := value.Whole(a)
	m, also := value.Whole(b)
	if ok && also {
		return n < m
	}
	return float(a) < float(b)
}

func float(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// numbers calls visit with field of each item that has it; it is an int64 or a float64.
func numbers(items []interpreter.StatusItem, field string, visit func(interpreter.StatusItem, any) error) error {
	for _, item := range items {
		v, err := Field(item, field)
		if err != nil {
			return err
		}
		switch v.(type) {
		case nil:
			continue
		case int64, float64:
		default:
			return inStatus(item, value.Wrong(field, "a number", v))
		}
		if err := visit(item, v); err != nil {
			return err
		}
	}
	return nil
}

// Latest returns the greatest string that any item has in field, and whether there is one. For times as Kubernetes writes
// them that is the latest.
func Latest(items []interpreter.StatusItem, field string) (string, bool, error) {
	return text(items, field, func(a, b string) bool { return a > b })
}

// Earliest returns the smallest string that any item has in field, and whether there is one. For times as Kubernetes
// writes them that is the earliest.
func Earliest(items []interpreter.StatusItem, field string) (string, bool, error) {
	return text(items, field, func(a, b string) bool { return a < b })
}

func text(items []interpreter.StatusItem, field string, before func(a, b string) bool) (out string, found bool, err error) {
	for _, item := range items {
		v, err := Field(item, field)
		if err != nil {
			return "", false, err
		}
		if v == nil {
			continue
		}
		s, ok := v.(string)
		if !ok {
			return "", false, inStatus(item, value.Wrong(field, "a string", v))
		}
		if !found || before(s, out) {
			out, found = s, true
		}
	}
	return out, found, nil
}

// Times are the times that items have in one field.
type Times struct {
	// Earliest and Latest are the first and last of them, as the members wrote them; empty when there is none.
	Earliest, Latest string
	// Count is how many items have one.
	Count int
}

// TimesOf returns the times that items have in field. Anything but RFC 3339 is an error.
func TimesOf(items []interpreter.StatusItem, field string) (Times, error) {
	var out Times
	var first, last time.Time
	for _, item := range items {
		v, err := Field(item, field)
		if err != nil {
			return Times{}, err
		}
		if v == nil {
			continue
		}
		s, _ := v.(string)
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return Times{}, inStatus(item, value.Wrong(field, "a time such as 2006-01-02T15:04:05Z", v))
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

// First returns the value of field in the first item that has it; nil when none has. It is the member's own value.
func First(items []interpreter.StatusItem, field string) (any, error) {
	for _, item := range items {
		if v, err := Field(item, field); err != nil || v != nil {
			return v, err
		}
	}
	return nil, nil
}

// Last returns the value of field in the last item that has it; nil when none has. It is the member's own value.
func Last(items []interpreter.StatusItem, field string) (any, error) {
	for i := len(items) - 1; i >= 0; i-- {
		if v, err := Field(items[i], field); err != nil || v != nil {
			return v, err
		}
	}
	return nil, nil
}

// LastNonEmpty is Last, but passes over "".
func LastNonEmpty(items []interpreter.StatusItem, field string) (any, error) {
	for i := len(items) - 1; i >= 0; i-- {
		if v, err := Field(items[i], field); err != nil || (v != nil && v != "") {
			return v, err
		}
	}
	return nil, nil
}
