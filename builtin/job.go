package builtin

import (
	"cmp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

var job = kind{
	gvk:          batchv1.SchemeGroupVersion.WithKind("Job"),
	templates:    atSpecTemplate,
	replicas:     jobReplicas,
	revise:       reviseJob,
	retain:       retainJobLabels,
	reflect:      pick("active", "succeeded", "failed", "conditions", "startTime", "completionTime"),
	aggregate:    aggregateJob,
	health:       jobHealth,
	dependencies: dependenciesAt("spec", "template"),
	prune:        pruneJob,
}

// jobReplicas is parallelism, but no more than there are completions to reach.
func jobReplicas(object map[string]any) (int32, *workv1alpha2.ReplicaRequirements, error) {
	n, requirements, err := replicasAt("parallelism")(object)
	if err != nil {
		return 0, nil, err
	}
	completions, ok, err := jobCompletions(object)
	if err != nil {
		return 0, nil, err
	}
	if ok {
		n = min(n, completions)
	}
	return n, requirements, nil
}

func jobCompletions(object map[string]any) (int32, bool, error) {
	spec, err := value.Map(object, "spec")
	if err != nil {
		return 0, false, err
	}
	n, ok, err := value.Count(spec, "completions")
	return n, ok, value.In("spec", err)
}

// reviseJob sets parallelism, and completions to the cluster's share of them when the job is divided over its targets. A
// job without parallelism leaves both to somebody else. It is not divided when every target that has replicas has as many as the template asks for; one that has none has nothing
// to complete in either case.
func reviseJob(copied map[string]any, req *interpreter.Request) error {
	ok, err := setReplicas(copied, "parallelism", req.DesiredReplicas)
	if err != nil || !ok {
		return err
	}
	completions, ok, err := jobCompletions(copied)
	if err != nil || !ok {
		return err
	}
	whole, _, err := jobReplicas(req.Object.Object)
	if err != nil {
		return err
	}
	divided, idle := false, false
	for _, t := range req.Targets {
		divided = divided || t.Replicas != 0 && t.Replicas != whole
		idle = idle || t.Replicas == 0 && t.Name == req.Cluster
	}
	if !divided && !idle {
		return nil
	}
	share, ok, err := shareOf(req.Cluster, completions, req.Targets)
	if err != nil || !ok {
		return err
	}
	_, err = setReplicas(copied, "completions", share)
	return err
}

// shareOf returns the share of total that cluster gets when it is divided over targets in proportion to their replicas:
// the whole part of its quota, and one more of what rounding left over for the targets with the largest remainders; of
// equal ones first that with more replicas, then by name. The shares of all targets sum to total. There is none for a
// cluster that is not a target, nor when no target has replicas.
func shareOf(cluster string, total int32, targets []workv1alpha2.TargetCluster) (int32, bool, error) {
	type quota struct {
		workv1alpha2.TargetCluster
		share, remainder int64
	}
	var weights int64
	for i, t := range targets {
		if t.Replicas < 0 {
			return 0, false, value.InElement("targets", i, value.Wrong("replicas", "a number of at least 0", int64(t.Replicas)))
		}
		if slices.ContainsFunc(targets[:i], func(u workv1alpha2.TargetCluster) bool { return u.Name == t.Name }) {
			return 0, false, value.InElement("targets", i, value.Wrong("name", "each cluster once", t.Name))
		}
		weights += int64(t.Replicas)
	}
	if weights == 0 {
		return 0, false, nil
	}
	left := int64(total)
	quotas := make([]quota, len(targets))
	for i, t := range targets {
		n := int64(total) * int64(t.Replicas)
		quotas[i] = quota{t, n / weights, n % weights}
		left -= quotas[i].share
	}
	slices.SortFunc(quotas, func(a, b quota) int {
		return cmp.Or(cmp.Compare(b.remainder, a.remainder), cmp.Compare(b.Replicas, a.Replicas), cmp.Compare(a.Name, b.Name))
	})
	for i, q := range quotas {
		if q.Name != cluster {
			continue
		}
		if int64(i) < left {
			q.share++
		}
		return int32(q.share), true, nil
	}
	return 0, false, nil
}

// retainJobLabels keeps the labels by which the member's controller finds the pods: it made them up.
func retainJobLabels(copied, observed map[string]any) error {
	for _, at := range [...]struct {
		path  []string
		field string
	}{{[]string{"spec", "selector"}, "matchLabels"}, {[]string{"spec", "template", "metadata"}, "labels"}} {
		from, err := value.MapAt(observed, at.path...)
		if err != nil {
			return inObserved(err)
		}
		theirs, err := value.Map(from, at.field)
		if err != nil {
			return inObserved(value.In(strings.Join(at.path, "."), err))
		}
		if theirs == nil {
			continue
		}
		to, err := inner(copied, at.path...)
		if err != nil {
			return err
		}
		replace(to, from, at.field)
	}
	return nil
}

// jobOwnLabels are the labels that a job's controller makes up.
var jobOwnLabels = []string{
	"controller-uid", batchv1.ControllerUidLabel, "job-name", batchv1.JobNameLabel,
}

// pruneJob removes what the controller made up, unless the user chose the selector, and the time to live: a member that
// deleted a finished job would get it again.
func pruneJob(copied map[string]any) {
	spec, _ := value.Map(copied, "spec")
	delete(spec, "ttlSecondsAfterFinished")
	if manual, _ := value.Bool(spec, "manualSelector"); manual {
		return
	}
	removeKeys(copied, []string{"spec", "selector"}, "matchLabels", jobOwnLabels[:2]...)
	removeKeys(copied, []string{"spec", "template", "metadata"}, "labels", jobOwnLabels...)
}

func jobHealth(object map[string]any) (interpreter.Health, error) {
	of, err := value.Map(object, "status")
	if err != nil {
		return interpreter.Health{}, err
	}
	failed, err := trueCondition(of, batchv1.JobFailed)
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	if failed != nil {
		return interpreter.Health{State: interpreter.Degraded, Message: reasonOf(failed)}, nil
	}
	suspended, err := trueCondition(of, batchv1.JobSuspended)
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	if suspended != nil {
		return interpreter.Health{State: interpreter.Suspended, Message: reasonOf(suspended)}, nil
	}
	return interpreter.Health{State: interpreter.Healthy}, nil
}

// trueCondition returns the condition of the given type if its status is True, else nil.
func trueCondition(of map[string]any, kind batchv1.JobConditionType) (map[string]any, error) {
	condition, err := status.Condition(of, string(kind))
	if err != nil || condition["status"] != "True" {
		return nil, err
	}
	return condition, nil
}
