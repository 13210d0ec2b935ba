package cases

import (
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// ParseItem returns the status item that a plain value is, in the form of the wire: clusterName, status, applied,
// appliedMessage, health. Strict refuses other fields.
func ParseItem(value any, strict bool) (interpreter.StatusItem, error) {
	var item workv1alpha2.AggregatedStatusItem
	if err := recode(value, &item, strict); err != nil {
		return interpreter.StatusItem{}, err
	}
	return interpreter.DecodeItem(item)
}
