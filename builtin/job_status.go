package builtin

import (
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

// aggregateJob counts pods, and finishes the job: failed as soon as it failed in one member, complete when it is in all.
// A job that has finished stays as it is.
//
// API servers hold whoever writes the status of a job to what Kubernetes' own controller keeps to, and refuse anything
// else. So a job does not finish while pods are active: until then the condition FailureTarget tells that it will fail, and
// once told it stays. Failed and succeeded pods are not uncounted, even if the member that had them is no target any more.
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
	if err := countPods(merged, items); err != nil {
		return err
	}
	target, err := trueCondition(merged, batchv1.JobFailureTarget)
	if err != nil {
		return value.In("status", err)
	}
	outcome, idle := members.outcome(target != nil, len(items)), merged["active"] == nil
	var conditions []any
	switch {
	case outcome == batchv1.JobFailed:
		conditions = members.failed(target, idle)
	case outcome == batchv1.JobComplete && idle:
		conditions = members.complete()
	}
	setList(merged, "conditions", conditions)
	return setJobTimes(merged, items, outcome, idle)
}

var jobCounters = []counter{{field: "active"}, {field: "succeeded"}, {field: "failed"}}

// countPods sets the numbers of pods. Those that are not collected from the members are about pods of the cluster that has
// the template, where there are none.
func countPods(merged map[string]any, items []interpreter.StatusItem) error {
	for _, c := range jobCounters {
		n, err := status.Count(items, c.field)
		if err != nil {
			return err
		}
		before, _, err := value.Int(merged, c.field)
		if err != nil {
			return value.In("status", err)
		}
		if c.field != "active" {
			n = max(n, before)
		}
		setCounter(merged, c, n)
	}
	for _, field := range [...]string{"ready", "terminating", "uncountedTerminatedPods"} {
		delete(merged, field)
	}
	return nil
}

// setJobTimes sets the time at which the job started, once it has in every member or its outcome is known, and that at
// which it was complete. A start time that is set stays; by the clocks of other members the job may be complete before it.
func setJobTimes(merged map[string]any, items []interpreter.StatusItem, outcome batchv1.JobConditionType, idle bool) error {
	started, err := status.TimesOf(items, "startTime")
	if err != nil {
		return err
	}
	if merged["startTime"] == nil && (started.Count == len(items) || outcome != "") {
		setText(merged, "startTime", started.Earliest)
	}
	completed, err := status.TimesOf(items, "completionTime")
	if err != nil {
		return err
	}
	if outcome != batchv1.JobComplete || !idle || completed.Count < len(items) {
		return nil
	}
	ends, err := status.TimesOf([]interpreter.StatusItem{
		{Status: map[string]any{"at": merged["startTime"]}}, {Status: map[string]any{"at": completed.Latest}},
	}, "at")
	if err != nil {
		return err
	}
	setText(merged, "completionTime", ends.Latest)
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

// outcome returns the condition that the job finishes with: Failed when it failed in one member, or was failing already;
// Complete when it is in all of n; empty when neither is known.
func (m jobMembers) outcome(failing bool, n int) batchv1.JobConditionType {
	switch {
	case failing || m[batchv1.JobFailed] != nil:
		return batchv1.JobFailed
	case m.everywhere(batchv1.JobComplete, n):
		return batchv1.JobComplete
	}
	return ""
}

// failed returns the conditions of a job that fails: FailureTarget, and Failed when it is idle. target is what it has as
// FailureTarget, or nil. API servers that know FailureTarget want it, and the members' conditions tell whether they do.
func (m jobMembers) failed(target map[string]any, idle bool) []any {
	failed := maps.Clone(target)
	if here := m[batchv1.JobFailed]; here != nil {
		message := "Job executed failed in member clusters " + strings.Join(slices.Sorted(slices.Values(here.clusters)), ",")
		failed = here.condition("JobFailed", message)
		if there := m[batchv1.JobFailureTarget]; there != nil {
			target = there.condition("JobFailed", message)
		} else if target != nil || !idle {
			target = maps.Clone(failed)
		}
	}
	var out []any
	if idle {
		failed["type"] = string(batchv1.JobFailed)
		out = append(out, failed)
	}
	if target != nil {
		target["type"] = string(batchv1.JobFailureTarget)
		out = append(out, target)
	}
	return out
}

// complete returns the conditions of a job that is complete. API servers that know SuccessCriteriaMet want it, and the
// members' conditions tell whether they do.
func (m jobMembers) complete() []any {
	complete := m[batchv1.JobComplete].condition("Completed", "Job completed")
	complete["type"] = string(batchv1.JobComplete)
	met := m[batchv1.JobSuccessCriteriaMet]
	if met == nil {
		return []any{complete}
	}
	success := met.condition(batchv1.JobReasonCompletionsReached, "Job completed")
	success["type"] = string(batchv1.JobSuccessCriteriaMet)
	return []any{complete, success}
}

// condition returns a condition with the latest times of the members', so that the answer depends on no clock.
func (m *jobMember) condition(reason, message string) map[string]any {
	out := map[string]any{"status": "True", "reason": reason, "message": message}
	setText(out, "lastProbeTime", m.probed)
	setText(out, "lastTransitionTime", m.changed)
	return out
}
