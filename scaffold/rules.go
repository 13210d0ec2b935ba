package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
)

// rule is one rule of the customization, with its cases.
type rule struct {
	operation interpreter.Operation
	// comment explains the rule, and what may have to be changed.
	comment string
	script  string
	isLua   bool
	cases   []testCase
}

// rules returns the rules in the order of the operations.
func (k *Kind) rules() []*rule {
	var out []*rule
	for _, r := range []*rule{k.replicaRule(), k.componentRule(), k.revisionRule(), k.reflectionRule(), k.aggregationRule(), k.healthRule(), k.dependencyRule()} {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

func (k *Kind) replicaRule() *rule {
	if k.hasComponents() || k.replicas == nil && k.own == nil {
		return nil
	}
	replicas, comment := "1", "How many replicas an object asks for, and what each of them needs.\n"
	if k.replicas != nil {
		replicas = get(k.replicas, fmt.Sprint(k.otherwise))
		comment += fmt.Sprintf("%s is the field, or %d when it is absent.\n", replicas, k.otherwise)
	}
	r := &rule{operation: interpreter.InterpretReplica, script: "{'replicas': " + replicas + "}"}
	output := map[string]any{"replica": k.sampleReplicas()}
	switch {
	case k.own != nil:
		r.script = fmt.Sprintf("{\n  'replicas': %s,\n  'replicaRequirements': kube.podRequirements(%s)\n}", replicas, k.own.cel("{}"))
		output["requires"] = map[string]any{"resourceRequest": sampleRequests()}
	case len(k.templates) > 0:
		comment += "CHANGE: the schema does not say which of these pod templates a replica is. Add\n" +
			"'replicaRequirements': kube.podRequirements(...) with yours: " + k.templateList() + ".\n"
	default:
		comment += "No pod template was found in the schema. What a replica needs can be written out, such as\n" +
			"'replicaRequirements': {'resourceRequest': {'cpu': '1', 'memory': '2Gi'}}.\n"
	}
	r.comment = comment
	r.cases = []testCase{{
		name: "replicas", reason: "a scheduler divides these among the members", object: "plain", output: output,
	}}
	return r
}

func (k *Kind) revisionRule() *rule {
	if k.replicas == nil {
		return nil
	}
	return &rule{
		operation: interpreter.ReviseReplica,
		comment:   "The object with another number of replicas: a member's share. A map in CEL is merged into the object.\n",
		script:    opened(k.replicas) + "replicas" + strings.Repeat("}", len(k.replicas)),
		cases: []testCase{{
			name: "revision", reason: "nothing but the number of replicas changes", object: "plain", replicas: 5,
			output: map[string]any{"revised": patched("plain", nested(k.replicas, int64(5)))},
		}},
	}
}

// opened returns {'a': {'b': of a path, for a value to follow.
func opened(path []string) string {
	return "{'" + strings.Join(path, "': {'") + "': "
}

func (k *Kind) reflectionRule() *rule {
	if len(k.status.known()) == 0 {
		return nil
	}
	comment := "The part of a member's status that is collected.\n"
	if len(k.status.others) > 0 {
		comment += wrapped("Left out, since values of several members do not make one: "+strings.Join(k.status.others, ", ")+
			". Without this rule the whole status is collected.") + "\n"
	}
	function := "kube.pick(object.?status, "
	want := k.sampleStatus(1)
	if k.status.observed {
		function = "kube.reflectStatus(object, "
		comment += "reflectStatus adds generations, which tell the aggregation who has caught up.\n"
		want["generation"] = int64(sampleGeneration)
	}
	return &rule{
		operation: interpreter.InterpretStatus, comment: comment,
		script: function + listed(k.status.known()) + ")",
		cases: []testCase{{
			name: "collected status", reason: "members report what the aggregation needs", object: "running",
			output: map[string]any{"status": want},
		}},
	}
}

func (k *Kind) aggregationRule() *rule {
	s := &k.status
	if len(s.known()) == 0 {
		return nil
	}
	var fields []string
	add := func(name, expression string) { fields = append(fields, fmt.Sprintf("'%s': %s", name, expression)) }
	if s.conditions {
		add("conditions", "kube.mergeConditions(items)")
	}
	for _, f := range []struct {
		function string
		names    []string
	}{{"max", s.highest}, {"latest", s.latest}, {"lastNonEmpty", s.texts}} {
		for _, name := range f.names {
			add(name, fmt.Sprintf("kube.%s(items, '%s')", f.function, name))
		}
	}
	var parts []string
	if len(s.sums) > 0 {
		parts = append(parts, "kube.sums(items, "+listed(s.sums)+")")
	}
	if len(fields) > 0 || len(parts) == 0 {
		parts = append(parts, "{\n  "+strings.Join(fields, ",\n  ")+"\n}")
	}
	status := parts[0]
	if len(parts) > 1 {
		status = "kube.merge(\n" + indented(strings.Join(parts, ",\n"), "  ") + "\n)"
	}
	function := "kube.setStatus(object, "
	comment := "What members' statuses make together: numbers add up, conditions are merged, of times the latest counts.\n" +
		"CHANGE numbers that do not add up: kube.max, kube.min, kube.last(items, 'field').\n"
	if s.observed {
		function = "kube.advanceStatus(object, items, "
		comment += "advanceStatus sets observedGeneration as well, once every member has caught up.\n"
	}
	if len(fields) == 0 && len(parts) == 1 && len(s.sums) == 0 {
		status = "{}"
	}
	return &rule{
		operation: interpreter.AggregateStatus, comment: comment, script: function + status + ")",
		cases: k.aggregationCases(),
	}
}

// isRolledOut tells whether the fields are there that kube.isRolledOut reads.
func (k *Kind) isRolledOut() bool {
	return k.status.observed && strings.Join(k.replicas, ".") == "spec.replicas" && k.status.counts("updatedReplicas", "availableReplicas")
}

// isJob tells whether objects come to an end.
func (k *Kind) isJob() bool {
	return strings.HasSuffix(k.GVK.Kind, "Job") || slices.Contains(k.status.latest, "completionTime")
}

func (k *Kind) healthRule() *rule {
	r := &rule{operation: interpreter.InterpretHealth}
	switch {
	case k.isRolledOut():
		r.comment = "Healthy when the last change is observed, and all replicas are updated and available.\n"
		r.script = "kube.isRolledOut(object)"
		r.cases = []testCase{
			{name: "rolled out", reason: "all replicas are as wanted", object: "running", output: map[string]any{"healthy": true}},
			{
				name: "one replica is old", reason: "a rollout goes on", object: "running",
				patch: nested([]string{"status", "updatedReplicas"}, sampleReplicas-1), output: map[string]any{"healthy": false},
			},
		}
	case k.status.conditions && k.isJob():
		r.comment = "A job is healthy unless it has failed: condition Failed is True.\n" +
			"CHANGE when the kind says so otherwise: object.?status.phase.orValue('') == 'Failed'.\n"
		r.script = "kube.hasCondition(object, 'Failed', 'True')\n" +
			"  ? {'state': 'Degraded', 'message': kube.get(kube.condition(object, 'Failed'), 'message', '')}\n" +
			"  : {'state': 'Healthy'}"
		failed := condition("True", "no more retries")
		failed["type"] = "Failed"
		r.cases = []testCase{
			{name: "running or complete", reason: "that is what jobs are for", object: "running", output: map[string]any{"health": "Healthy"}},
			{
				name: "failed", reason: "it will not be tried again", object: "running",
				patch:  map[string]any{"status": map[string]any{"conditions": []any{failed}}},
				output: map[string]any{"health": "Degraded", "message": "no more retries"},
			},
		}
	case k.status.conditions:
		r.comment = "Healthy when condition Ready is True, Degraded when it is False, else Progressing.\n" +
			"CHANGE when the kind has no condition Ready: kube.hasCondition(object, 'Available', 'True').\n"
		r.script = "kube.readiness(object)"
		r.cases = []testCase{
			{name: "ready", reason: "the condition says so", object: "running", output: map[string]any{"health": "Healthy", "message": "all is well"}},
			{
				name: "not ready", reason: "the condition's message says why", object: "running",
				patch:  map[string]any{"status": map[string]any{"conditions": []any{condition("False", "no room")}}},
				output: map[string]any{"health": "Degraded", "message": "no room"},
			},
			{name: "no status yet", reason: "a new object is not healthy, and not broken", object: "plain", output: map[string]any{"health": "Progressing", "message": "there is no condition Ready yet"}},
		}
	case k.status.counts("readyReplicas") && k.replicas != nil:
		r.comment = "Healthy when as many replicas are ready as are wanted.\n"
		r.script = "kube.get(object, 'status.readyReplicas', 0) >= " + get(k.replicas, fmt.Sprint(k.otherwise))
		r.cases = []testCase{
			{name: "all are ready", reason: "all replicas are as wanted", object: "running", output: map[string]any{"healthy": true}},
			{
				name: "one is not ready", reason: "less than what is wanted is not healthy", object: "running",
				patch: nested([]string{"status", "readyReplicas"}, sampleReplicas-1), output: map[string]any{"healthy": false},
			},
		}
	default:
		return nil
	}
	return r
}

func (k *Kind) dependencyRule() *rule {
	if len(k.templates) == 0 {
		return nil
	}
	r := &rule{
		operation: interpreter.InterpretDependency,
		comment:   "The ConfigMaps, Secrets, ServiceAccounts and PersistentVolumeClaims that pods refer to travel with the object.\n",
		cases: []testCase{{
			name: "dependencies", reason: "pods do not start without them", object: "plain",
			output: map[string]any{"dependencies": []any{k.sampleDependency()}},
		}},
	}
	if k.isRepeated() {
		r.isLua, r.script = true, k.dependencyScript()
		return r
	}
	var templates []string
	for i := range k.templates {
		templates = append(templates, k.templates[i].cel("null"))
	}
	list := k.templates[0].cel("{}")
	if len(templates) > 1 {
		list = "[\n  " + strings.Join(templates, ",\n  ") + "\n]"
	}
	r.script = "kube.podDependencies(" + list + ", object.?metadata.?namespace)"
	return r
}

// cel returns the expression of a template of the object itself.
func (t *template) cel(otherwise string) string {
	if t.bare {
		return "{'spec': " + get(t.path, "{}") + "}"
	}
	return get(t.path, otherwise)
}

// get returns the CEL expression that reads a field of the object.
func get(path []string, otherwise string) string {
	if otherwise == "null" {
		return fmt.Sprintf("kube.get(object, '%s')", strings.Join(path, "."))
	}
	return fmt.Sprintf("kube.get(object, '%s', %s)", strings.Join(path, "."), otherwise)
}

func (k *Kind) templateList() string {
	var out []string
	for i := range k.templates {
		out = append(out, k.templates[i].String())
	}
	return strings.Join(out, ", ")
}

// listed returns a list of names in CEL, a line for about eighty characters.
func listed(names []string) string {
	line := "['" + strings.Join(names, "', '") + "']"
	if len(line) < 80 {
		return line
	}
	return "[\n" + indented(wrapped("'"+strings.Join(names, "', '")+"'"), "  ") + "\n]"
}

// wrapped breaks text into lines of about ninety characters.
func wrapped(text string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && length+len(word) > 90:
			b.WriteString("\n")
			length = 0
		case i > 0:
			b.WriteString(" ")
		}
		b.WriteString(word)
		length += len(word) + 1
	}
	return b.String()
}

// indented returns the lines of text with indent before each that is not empty.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}
