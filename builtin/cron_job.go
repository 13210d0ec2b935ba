package builtin

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

// cronJob has no replicas: how many pods there are is up to its schedule.
var cronJob = kind{
	gvk:          batchv1.SchemeGroupVersion.WithKind("CronJob"),
	templates:    [][]string{{"spec", "jobTemplate", "spec", "template"}},
	pods:         podsAt("spec", "jobTemplate", "spec", "template"),
	aggregate:    aggregateCronJob,
	dependencies: dependenciesAt("spec", "jobTemplate", "spec", "template"),
}

// aggregateCronJob lists the active jobs of all members, and the latest times.
func aggregateCronJob(copied map[string]any, items []interpreter.StatusItem) error {
	active, err := concatenate(items, "active")
	if err != nil {
		return err
	}
	merged, err := inner(copied, "status")
	if err != nil {
		return err
	}
	setList(merged, "active", active)
	for _, field := range [...]string{"lastScheduleTime", "lastSuccessfulTime"} {
		times, err := status.TimesOf(items, field)
		if err != nil {
			return err
		}
		setText(merged, field, times.Latest)
	}
	return nil
}

// concatenate returns copies of the objects in the list at field of all items' statuses, by the names of the clusters.
func concatenate(items []interpreter.StatusItem, field string) ([]any, error) {
	items = status.ByCluster(items)
	var out []any
	for i := range items {
		item := &items[i]
		err := value.Each(item.Status, field, func(m map[string]any) error {
			if m != nil {
				out = append(out, value.CopyMap(m))
			}
			return nil
		})
		if err != nil {
			return nil, status.InStatus(item, err)
		}
	}
	return out, nil
}
