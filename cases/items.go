package cases

import (
	"fmt"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// ParseItem returns the status item that a plain value is, in the form of the wire: clusterName, status, applied,
// appliedMessage, health. Strict refuses other fields, and a health that no cluster reports.
func ParseItem(value any, strict bool) (interpreter.StatusItem, error) {
	var item workv1alpha2.AggregatedStatusItem
	if err := recode(value, &item, strict); err != nil {
		return interpreter.StatusItem{}, err
	}
	switch item.Health {
	case "", workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy, workv1alpha2.ResourceUnknown:
	default:
		if strict {
			return interpreter.StatusItem{}, fmt.Errorf("health: want %s, %s or %s, got %q",
				workv1alpha2.ResourceHealthy, workv1alpha2.ResourceUnhealthy, workv1alpha2.ResourceUnknown, item.Health)
		}
	}
	return interpreter.DecodeItem(item)
}
