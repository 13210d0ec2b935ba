package builtin

import (
	"fmt"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

var budgetCounters = []counter{
	{field: "currentHealthy", zero: true}, {field: "desiredHealthy", zero: true}, {field: "expectedPods", zero: true},
	{field: "disruptionsAllowed", zero: true},
}

var podDisruptionBudget = kind{
	gvk:       policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"),
	reflect:   pick(fields(budgetCounters, "disruptedPods")...),
	aggregate: aggregateBudget,
	health:    budgetHealth,
}

// aggregateBudget sums the counters, and lists the disrupted pods of all members as cluster/pod.
func aggregateBudget(copied map[string]any, items []interpreter.StatusItem) error {
	merged, err := inner(copied, "status")
	if err != nil {
		return err
	}
	if err := sum(merged, items, budgetCounters); err != nil {
		return err
	}
	disrupted := map[string]any{}
	for i := range items {
		item := &items[i]
		pods, err := value.Map(item.Status, "disruptedPods")
		if err != nil {
			return status.InStatus(item, err)
		}
		for name, since := range pods {
			disrupted[item.ClusterName+"/"+name] = value.Copy(since)
		}
	}
	delete(merged, "disruptedPods")
	if len(disrupted) > 0 {
		merged["disruptedPods"] = disrupted
	}
	return nil
}

func budgetHealth(object map[string]any) (interpreter.Health, error) {
	of, err := value.Map(object, "status")
	if err != nil {
		return interpreter.Health{}, err
	}
	current, _, err := value.Count(of, "currentHealthy")
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	desired, _, err := value.Count(of, "desiredHealthy")
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	if current < desired {
		message := fmt.Sprintf("%d of %d pods healthy", current, desired)
		return interpreter.Health{State: interpreter.Progressing, Message: message}, nil
	}
	return interpreter.Health{State: interpreter.Healthy}, nil
}
