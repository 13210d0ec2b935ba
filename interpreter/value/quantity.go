package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// ParseQuantity returns the quantity that text stands for. It is resource.ParseQuantity for text that nobody vouches for:
// a long text, or an exponent of more than two digits, is an error. (resource.ParseQuantity takes a second for
// "1e-10000000", ten times as long with one more zero, and cannot be stopped.)
func ParseQuantity(text string) (resource.Quantity, error) {
	const longest, greatest = 64, 99
	text = strings.TrimSpace(text)
	if len(text) > longest {
		return resource.Quantity{}, fmt.Errorf("want a quantity of at most %d characters, got %d", longest, len(text))
	}
	if i := strings.LastIndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 64)
		tooGreat := err == nil && (exponent > greatest || exponent < -greatest)
		if tooGreat || errors.Is(err, strconv.ErrRange) {
			return resource.Quantity{}, fmt.Errorf("want a quantity with an exponent of at most %d, got %q", greatest, text)
		}
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("want a quantity, got %q", text)
	}
	return q, nil
}
