package builtin

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

var jobCounters = []counter{{field: "active"}, {field: "succeeded"}, {field: "failed"}}

// aggregateJob counts pods, and finishes the job: failed as soon as it failed in one member, complete when it is in all.
// A job that has finished stays as it is.
func aggregateJob(copied map[string]any, items []interpreter.StatusItem) error {
	before, err := value.Map(copied, "status")
	if err != nil {
		return err
	}
	finished, err := jobFinished(before)
	if err != nil {
		return value.In("status", err)
	}
	members, err := jobConditions(items)
	if err != nil || finished {
		return err
	}
	merged, err := inner(copied, "status")
	if err != nil {
		return err
	}
	if err := sum(merged, items, jobCounters); err != nil {
		return err
	}
	setList(merged, "conditions", members.merge(len(items)))
	started, err := status.TimesOf(items, "startTime")
	if err != nil {
		return err
	}
	if merged["startTime"] == nil && started.Count == len(items) {
		setText(merged, "startTime", started.Earliest)
	}
	completed, err := status.TimesOf(items, "completionTime")
	if err != nil {
		return err
	}
	if members.everywhere(batchv1.JobComplete, len(items)) && completed.Count == len(items) {
		setText(merged, "completionTime", completed.Latest)
	}
	return nil
}

func jobFinished(of map[string]any) (bool, error) {
	for _, kind := range [...]batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		condition, err := trueCondition(of, kind)
		if err != nil || condition != nil {
			return condition != nil, err
		}
	}
	return false, nil
}

// jobMembers says, for each type of condition, which members have it with the status True.
type jobMembers map[batchv1.JobConditionType]*jobMember

type jobMember struct {
	clusters []string
	// probed and changed are the latest times of the members' conditions.
	probed, changed string
}

func jobConditions(items []interpreter.StatusItem) (jobMembers, error) {
	out := jobMembers{}
	for i := range items {
		item := &items[i]
		for _, kind := range [...]batchv1.JobConditionType{
			batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget,
		} {
			condition, err := trueCondition(item.Status, kind)
			if err != nil {
				return nil, status.InStatus(item, err)
			}
			if condition == nil {
				continue
			}
			m := out[kind]
			if m == nil {
				m = &jobMember{}
				out[kind] = m
			}
			m.clusters = append(m.clusters, item.ClusterName)
			probed, _ := condition["lastProbeTime"].(string)
			changed, _ := condition["lastTransitionTime"].(string)
			m.probed, m.changed = max(m.probed, probed), max(m.changed, changed)
		}
	}
	return out, nil
}

// everywhere tells whether all of n members have the condition; none of 0 do.
func (m jobMembers) everywhere(kind batchv1.JobConditionType, n int) bool {
	return m[kind] != nil && len(m[kind].clusters) == n
}

// merge returns the conditions of the job. Those that API servers want before the one that finishes a job come along when
// the members have them. Their times are the latest of the members', so that the answer depends on no clock.
func (m jobMembers) merge(n int) []any {
	var out []any
	add := func(kind batchv1.JobConditionType, reason, message string) {
		condition := map[string]any{"type": string(kind), "status": "True", "reason": reason, "message": message}
		setText(condition, "lastProbeTime", m[kind].probed)
		setText(condition, "lastTransitionTime", m[kind].changed)
		out = append(out, condition)
	}
	if failed := m[batchv1.JobFailed]; failed != nil {
		message := "Job executed failed in member clusters " + strings.Join(slices.Sorted(slices.Values(failed.clusters)), ",")
		add(batchv1.JobFailed, "JobFailed", message)
		if target := m[batchv1.JobFailureTarget]; target != nil && len(target.clusters) >= len(failed.clusters) {
			add(batchv1.JobFailureTarget, "JobFailed", message)
		}
	}
	if m.everywhere(batchv1.JobComplete, n) {
		add(batchv1.JobComplete, "Completed", "Job completed")
		if m.everywhere(batchv1.JobSuccessCriteriaMet, n) {
			add(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonCompletionsReached, "Job completed")
		}
	}
	return out
}
