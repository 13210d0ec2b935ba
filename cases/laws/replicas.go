package laws

import (
	"fmt"

	"github.com/dragoman-io/dragoman/interpreter"
)

// asked are the numbers of replicas that are tried beside the case's own.
var asked = [...]int64{0, 1, 2, 7, 1000}

func revisesOtherwise(t *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	own, _ := in[inputReplicas].(int64)
	for _, n := range append([]int64{own}, asked[:]...) {
		revised := t.ask(t.op, in.with(inputReplicas, n))
		if !revised.ok() {
			continue
		}
		found := t.ask(interpreter.InterpretReplica, inputs{inputObject: revised.object()})
		if found.ok() && equal(revised.object(), in.object()) && found.response.Replicas == 0 {
			continue // there is nothing whose number could be another one
		}
		if found.ok() && int64(found.response.Replicas) != n {
			return fmt.Sprintf("revised to %d replicas, the object has %d", n, found.response.Replicas)
		}
	}
	return ""
}

func componentsDisagree(t *trial, in inputs, _ *answer) string {
	replicas, components := t.ask(interpreter.InterpretReplica, in), t.ask(interpreter.InterpretComponent, in)
	if !replicas.ok() || !components.ok() {
		return ""
	}
	list := components.response.Components
	var sum int64
	for _, c := range list {
		sum += int64(c.Replicas)
	}
	want := int64(replicas.response.Replicas)
	if sum != want {
		return fmt.Sprintf("InterpretReplica says %d replicas, the components have %d", want, sum)
	}
	if len(list) != 1 {
		return ""
	}
	one, err := plain(list[0].ReplicaRequirements)
	all, err2 := plain(replicas.response.ReplicaRequirements)
	if err != nil || err2 != nil {
		return ""
	}
	one, all = requested(one), requested(all)
	if d := firstDiff(nil, one, all); d != nil {
		return fmt.Sprintf("the only component needs %s, and InterpretReplica says %s", compact(one), compact(all))
	}
	return ""
}

// requested returns the resources of requirements.
func requested(requirements any) any {
	m, _ := requirements.(map[string]any)
	if resources, ok := m["resourceRequest"].(map[string]any); ok && len(resources) > 0 {
		return resources
	}
	return nil
}
