package cases

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// Case is one question and what is expected of the answer. It is not changed by running it.
type Case struct {
	// Name identifies the case within its file. In a suite it is "suite/case" or "suite/case/row".
	Name string
	// Description and Reason say what the case is about and why it exists.
	Description, Reason string
	// File and Line are where the case begins.
	File string
	Line int
	// Recorded tells that the case is in the format of published recorded cases, and compared leniently.
	Recorded bool
	// Customizations are what the suite of the case names as its rules: files, their paths complete. Nil when it names
	// none.
	Customizations []string

	// Operation is what is asked.
	Operation interpreter.Operation
	// Desired and Observed are the objects of the case; at least one is there, both for Retain.
	Desired, Observed *unstructured.Unstructured
	// Replicas is for ReviseReplica.
	Replicas int32
	// Items is for AggregateStatus. Nil means that there is no list.
	Items []interpreter.StatusItem
	// Cluster and Targets are for ReviseReplica and Retain.
	Cluster string
	Targets []workv1alpha2.TargetCluster
	// Clock is the time that rules see. Zero means the real time.
	Clock time.Time

	// Expect is what the answer must be.
	Expect Expectation
	// Exempt are the laws that need not hold for the case's inputs, by name, and why.
	Exempt map[string]string

	// Ignored are fields of a recorded case that mean nothing here.
	Ignored []string

	document *manifest.Document
	// places are where the fields of the case stand in the document: those of a matrix row before those of its case.
	places []place
}

// place is a part of a document that holds fields of a case.
type place struct {
	path   manifest.Path
	fields map[string]any
}

// Expectation is what a case expects. All that is set must hold.
type Expectation struct {
	// Output holds the expected results by name (interpreter.OperationInfo.Outputs); nil when none is expected.
	Output map[string]any
	// OutputFile is a file that holds the expected results in place of Output; empty when there is none.
	OutputFile string
	// Error is the expected error; nil when an answer is expected.
	Error *ErrorMatch
	// NotHandled tells that no rule must answer.
	NotHandled bool
	// Assert are CEL expressions over the inputs and the output that must be true.
	Assert []string
	// Cost is what the rule may spend at most; a zero field is no limit.
	Cost interpreter.Usage
}

// ErrorMatch is an expected error.
type ErrorMatch struct {
	// Matches is a regular expression that the error's text must match; empty matches every text.
	Matches string
	// Line is the line of the script, from 1, that the error must name; 0 for any.
	Line int
}

// IsEmpty tells whether nothing is expected.
func (e *Expectation) IsEmpty() bool {
	return e.Output == nil && e.OutputFile == "" && e.Error == nil && !e.NotHandled && len(e.Assert) == 0 &&
		e.Cost == (interpreter.Usage{})
}

// Request returns the case's question. It shares the case's objects.
func (c *Case) Request() *interpreter.Request {
	req := &interpreter.Request{Operation: c.Operation, Object: c.Desired}
	info := c.Operation.Info()
	if info.Observed && c.Observed != nil || req.Object == nil {
		req.Object = c.Observed
	}
	if info.Takes(interpreter.InputObserved) {
		req.ObservedObject = c.Observed
	}
	if info.Takes(interpreter.InputReplicas) {
		req.DesiredReplicas = c.Replicas
	}
	if info.Takes(interpreter.InputItems) {
		req.AggregatedStatus = c.Items
	}
	if info.Takes(interpreter.InputContext) {
		req.Cluster, req.Targets = c.Cluster, c.Targets
	}
	return req
}

// Position returns the "file:line" of a field of the case, such as output.replica, or of the nearest field above it.
func (c *Case) Position(field manifest.Path) string {
	return fmt.Sprintf("%s:%d", c.File, c.lineOf(field))
}

func (c *Case) lineOf(field manifest.Path) int {
	if c.document == nil || len(field) == 0 {
		return c.Line
	}
	p := c.placeOf(field)
	return c.document.LineOf(append(slices.Clip(p.path), field...))
}

// placeOf returns the place of the case that holds a field.
func (c *Case) placeOf(field manifest.Path) place {
	for _, p := range c.places {
		if holds(p.fields, field) {
			return p
		}
	}
	for _, p := range c.places {
		if holds(p.fields, field[:1]) {
			return p
		}
	}
	return c.places[0]
}

func holds(value any, field manifest.Path) bool {
	for _, step := range field {
		switch s := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			child, ok := m[s]
			if !ok {
				return false
			}
			value = child
		case int:
			l, ok := value.([]any)
			if !ok || s >= len(l) {
				return false
			}
			value = l[s]
		default:
			return false
		}
	}
	return true
}

func (c *Case) errorf(field manifest.Path, format string, args ...any) error {
	return fmt.Errorf("%s: case %q: %w", c.Position(field), c.Name, fmt.Errorf(format, args...))
}
