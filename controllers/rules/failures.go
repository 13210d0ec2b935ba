package rules

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// memory is how long a rule counts as failing after the last run that failed.
const memory = 10 * time.Minute

// failures are the rules that fail when they run, by customization. Of each rule the first failure is kept until the
// rule is edited or has not failed for as long as memory: what a script can make of it is bounded.
type failures struct {
	now func() time.Time
	// changed gets the customizations whose failures are others than before.
	changed chan event.GenericEvent

	mu sync.Mutex
	// since is when statuses began to be written, which is when this process was elected to ask rules. What an earlier one
	// has seen counts as long after it as memory.
	since  time.Time
	byName map[string]*failing
}

// failing is how the rules of one generation of a customization fail.
type failing struct {
	uid        types.UID
	generation int64
	rules      map[interpreter.Operation]failure
}

// failure is how a rule failed, which object it was asked about, and when it failed last.
type failure struct {
	problem, about string
	last           time.Time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, changed: make(chan event.GenericEvent, 1024), byName: map[string]*failing{}}
}

// Failed is to be called when a rule of the customization called name has failed: o says which one, about what, and how.
// The customization's status and an event tell of it. It does not block.
func (r *Rules) Failed(name string, o interpreter.Observation) {
	set := r.customizations.Load()
	if set == nil {
		return
	}
	if c, ok := set.Get(name); ok {
		about := strings.TrimPrefix(o.Request.Namespace+"/"+o.Request.Name, "/")
		r.failures.add(c.Object, o.Request.Operation, o.Err.Error(), o.Request.Kind.Kind+" "+about)
	}
}

func (f *failures) add(object *configv1alpha1.ResourceInterpreterCustomization, op interpreter.Operation, problem, about string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	all := f.byName[object.Name]
	if all == nil || all.uid != object.UID || all.generation != object.Generation {
		all = &failing{uid: object.UID, generation: object.Generation, rules: map[interpreter.Operation]failure{}}
		f.byName[object.Name] = all
	}
	if known, ok := all.rules[op]; ok && now.Sub(known.last) < memory {
		known.last = now
		all.rules[op] = known
		return
	}
	select {
	case f.changed <- event.GenericEvent{Object: object}:
		all.rules[op] = failure{problem: problem, about: about, last: now}
	default: // the next failure is told, when there is room
	}
}

// forget drops what is known of a customization that is gone.
func (f *failures) forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byName, name)
}

// of returns the rules of object that fail.
func (f *failures) of(object *configv1alpha1.ResourceInterpreterCustomization) map[interpreter.Operation]failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.byName[object.Name]
	if all == nil || all.uid != object.UID || all.generation != object.Generation {
		return nil
	}
	now := f.now()
	maps.DeleteFunc(all.rules, func(_ interpreter.Operation, known failure) bool { return now.Sub(known.last) >= memory })
	return maps.Clone(all.rules)
}

// young tells whether an earlier process may have seen failures of which this one could not know yet.
func (f *failures) young() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.since.IsZero() {
		f.since = now
	}
	return now.Sub(f.since) < memory
}

// condition returns the condition Failing of object, given the one that it has; nil when no rule fails. told is what
// nobody was told of yet.
func (f *failures) condition(object *configv1alpha1.ResourceInterpreterCustomization, had *metav1.Condition) (condition *metav1.Condition, told map[interpreter.Operation]failure) {
	known := f.of(object)
	before := map[string]string{} // the lines of had, by operation
	if had != nil && had.ObservedGeneration == object.Generation {
		for line := range strings.Lines(had.Message) {
			op, _, _ := strings.Cut(line, ": ")
			before[op] = strings.TrimSuffix(line, "\n")
		}
	}
	lines := map[string]string{}
	if f.young() {
		maps.Copy(lines, before) // an earlier process has seen them
	}
	told = map[interpreter.Operation]failure{}
	for op, failure := range known {
		line, ok := before[string(op)]
		if !ok {
			told[op] = failure
			line = string(op) + ": " + cut(strings.ReplaceAll(failure.problem, "\n", " "), maxMessage/len(interpreter.Operations()))
		}
		lines[string(op)] = line
	}
	if len(lines) == 0 {
		return nil, nil
	}
	message := make([]string, 0, len(lines))
	for _, op := range slices.Sorted(maps.Keys(lines)) {
		message = append(message, lines[op])
	}
	return &metav1.Condition{
		Type: configv1alpha1.ConditionFailing, Status: metav1.ConditionTrue, Reason: configv1alpha1.ReasonRuleFailed,
		Message: strings.Join(message, "\n"), ObservedGeneration: object.Generation,
	}, told
}

// cut returns text with what is beyond most bytes cut off.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
