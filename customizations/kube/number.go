package kube

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// A number is an int64 or a float64.

func isNumber(v any) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// add returns a + b, both numbers: a whole number when both are.
func add(a, b any) (any, error) {
	x, xWhole := a.(int64)
	y, yWhole := b.(int64)
	if !xWhole || !yWhole {
		return float(a) + float(b), nil
	}
	sum := x + y
	if (sum > x) != (y > 0) && y != 0 {
		return nil, errors.New("the sum does not fit 64 bits")
	}
	return sum, nil
}

// compare compares two numbers.
func compare(a, b any) int {
	x, xWhole := a.(int64)
	y, yWhole := b.(int64)
	if xWhole && yWhole {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(float(a), float(b))
}

var (
	wholeText = regexp.MustCompile(`^[+-]?[0-9]+$`)
	pointText = regexp.MustCompile(`^[+-]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	hexText   = regexp.MustCompile(`^[+-]?0[xX][0-9a-fA-F]+$`)
)

// parseNumber returns the number that a text stands for: decimal digits, decimal digits with a point and perhaps an
// exponent, or 0x and hexadecimal digits; with a sign and blanks around it if need be.
func parseNumber(s string) (any, bool) {
	s = strings.TrimSpace(s)
	base := 10
	switch {
	case wholeText.MatchString(s):
	case hexText.MatchString(s):
		s = strings.Replace(strings.Replace(s, "0x", "", 1), "0X", "", 1)
		base = 16
	case pointText.MatchString(s):
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	default:
		return nil, false
	}
	n, err := strconv.ParseInt(s, base, 64)
	if err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if base != 10 || err != nil || math.IsInf(f, 0) {
		return nil, false
	}
	return f, true
}

// numberOf returns v as a number: itself, or what it stands for as text.
func numberOf(v any) (any, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		return v, !math.IsNaN(v)
	case string:
		return parseNumber(v)
	}
	return nil, false
}

// whole returns the whole number at path, 0 when it is absent or empty text. Text that stands for one is one: some operators write
// generations as text.
func whole(v any, path string) (int64, error) {
	found, err := at(v, path)
	if err != nil || found == nil || found == "" {
		return 0, err
	}
	if n, ok := numberOf(found); ok {
		if n, ok := value.Whole(n); ok {
			return n, nil
		}
	}
	return 0, value.Wrong(path, "a whole number", found)
}
