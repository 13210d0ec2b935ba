package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// decoder makes one Case of its fields.
type decoder struct {
	*Case
	fields map[string]any
	// bases are the objects of the suite, by name; nil outside of suites.
	bases map[string]any
	errs  []error
}

// decode makes the case of the given fields, found at places of d. All that is wrong with them is in the error.
func decodeCase(d *manifest.Document, name string, fields map[string]any, places []place, bases map[string]any) (*Case, error) {
	c := &decoder{
		Case:   &Case{Name: name, File: d.File, document: d, places: places},
		fields: fields,
		bases:  bases,
	}
	c.Line = d.LineOf(places[0].path)
	_, hasReason := fields["reason"]
	c.Recorded = !hasReason && bases == nil
	if c.Name == "" {
		if c.Name, _ = fields["name"].(string); c.Name == "" {
			c.Name = fmt.Sprintf("line %d", c.Line)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		decode, known := caseFields[key]
		switch {
		case known:
			if fields[key] != nil {
				decode(c, key, fields[key])
			}
		case c.Recorded:
			c.Ignored = append(c.Ignored, key)
		default:
			c.fail(manifest.Path{key}, "unknown field %q: want one of %s", key, strings.Join(slices.Sorted(maps.Keys(caseFields)), ", "))
		}
	}
	c.checkInputs()
	c.checkExpectation()
	return c.Case, errors.Join(c.errs...)
}

func (c *decoder) fail(field manifest.Path, format string, args ...any) {
	c.errs = append(c.errs, c.errorf(field, format, args...))
}

// caseFields are the fields of a case and how each is read. None is called with null, which is the same as absent.
var caseFields = map[string]func(c *decoder, key string, value any){
	"name":          func(c *decoder, key string, value any) { c.text(key, value) },
	"description":   func(c *decoder, key string, value any) { c.Description = c.text(key, value) },
	"reason":        (*decoder).readReason,
	"operation":     (*decoder).readOperation,
	"desiredObj":    func(c *decoder, key string, value any) { c.Desired = c.object(manifest.Path{key}, value) },
	"observedObj":   func(c *decoder, key string, value any) { c.Observed = c.object(manifest.Path{key}, value) },
	"inputReplicas": (*decoder).readReplicas,
	"statusItems":   (*decoder).readItems,
	"cluster":       func(c *decoder, key string, value any) { c.Cluster = c.text(key, value) },
	"targets":       (*decoder).readTargets,
	"clock":         (*decoder).readClock,
	"output":        (*decoder).readOutput,
	"outputFile":    (*decoder).readOutputFile,
	"error":         (*decoder).readError,
	"expect":        (*decoder).readExpect,
	"assert":        (*decoder).readAssert,
	"cost":          (*decoder).readCost,
	"exempt":        func(c *decoder, _ string, value any) { c.Exempt = decodeExemptions(value, c.fail) },
}

func (c *decoder) text(key string, value any) string {
	text, ok := value.(string)
	if !ok {
		c.fail(manifest.Path{key}, "%s: want a string, got %s", key, manifest.Describe(value))
	}
	return text
}

func (c *decoder) readReason(key string, value any) {
	if c.Reason = c.text(key, value); value != c.Reason {
		return
	}
	if strings.TrimSpace(c.Reason) == "" {
		c.fail(manifest.Path{key}, "reason: want why this case exists, got nothing")
	}
}

func (c *decoder) readOperation(key string, value any) {
	op, err := interpreter.ParseOperation(c.text(key, value))
	if err != nil {
		c.fail(manifest.Path{key}, "operation: %w", err)
	}
	c.Operation = op
}

func (c *decoder) readReplicas(key string, value any) {
	n, ok := value.(int64)
	if !ok || n < 0 || n > math.MaxInt32 {
		c.fail(manifest.Path{key}, "inputReplicas: want a whole number of at least 0, got %s", manifest.Describe(value))
	}
	c.Replicas = int32(n) //nolint:gosec // the range was looked at
}

func (c *decoder) readItems(key string, value any) {
	list, ok := value.([]any)
	if !ok {
		c.fail(manifest.Path{key}, "statusItems: want a list of {clusterName, status, ...}, got %s", manifest.Describe(value))
		return
	}
	c.Items = make([]interpreter.StatusItem, 0, len(list))
	for i, value := range list {
		item, err := ParseItem(value, !c.Recorded)
		if err != nil {
			c.fail(manifest.Path{key, i}, "statusItems[%d]: %w", i, err)
		}
		c.Items = append(c.Items, item)
	}
}

func (c *decoder) readTargets(key string, value any) {
	if err := recode(value, &c.Targets, true); err != nil {
		c.fail(manifest.Path{key}, "targets: %w", err)
	}
}

func (c *decoder) readClock(key string, value any) {
	clock, err := time.Parse(time.RFC3339, c.text(key, value))
	if err != nil {
		c.fail(manifest.Path{key}, "clock: want a time such as 2026-01-31T12:00:00Z, got %q", value)
	}
	c.Clock = clock
}

func (c *decoder) readOutput(key string, value any) {
	output, ok := value.(map[string]any)
	if !ok {
		c.fail(manifest.Path{key}, "output: want results by name, got %s", manifest.Describe(value))
		return
	}
	c.Expect.Output = output
}

func (c *decoder) readOutputFile(key string, value any) {
	if file := c.text(key, value); file != "" {
		c.Expect.OutputFile = filepath.Join(filepath.Dir(c.File), filepath.FromSlash(file))
	}
}

func (c *decoder) readError(key string, value any) {
	match := &ErrorMatch{}
	c.Expect.Error = match
	switch v := value.(type) {
	case string:
		match.Matches = v
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			switch field {
			case "matches":
				match.Matches, _ = v[field].(string)
			case "line":
				line, _ := v[field].(int64)
				match.Line = int(line)
			default:
				c.fail(manifest.Path{key, field}, "error.%s: unknown field: want matches and line", field)
			}
		}
	default:
		c.fail(manifest.Path{key}, "error: want {matches, line}, got %s", manifest.Describe(value))
	}
	if match.Matches == "" && match.Line < 1 {
		c.fail(manifest.Path{key}, "error: want matches (a regular expression), line (a number from 1), or both")
	}
	if _, err := regexp.Compile(match.Matches); err != nil {
		c.fail(manifest.Path{key, "matches"}, "error.matches: %w", err)
	}
}

func (c *decoder) readExpect(key string, value any) {
	if value != "notHandled" {
		c.fail(manifest.Path{key}, "expect: want notHandled, got %s", manifest.Describe(value))
	}
	c.Expect.NotHandled = true
}

func (c *decoder) readAssert(key string, value any) {
	if err := recode(value, &c.Expect.Assert, true); err != nil {
		c.fail(manifest.Path{key}, "assert: want a list of CEL expressions: %w", err)
		return
	}
	for i, expression := range c.Expect.Assert {
		if _, _, err := compileAssertion(expression); err != nil {
			c.fail(manifest.Path{key, i}, "assert[%d]: %w", i, err)
		}
	}
}

func (c *decoder) readCost(key string, value any) {
	var limit struct {
		Steps int64 `json:"steps"`
		Bytes int64 `json:"bytes"`
	}
	if err := recode(value, &limit, true); err != nil {
		c.fail(manifest.Path{key}, "cost: want the most steps and bytes that a run may take: %w", err)
	} else if limit.Steps < 0 || limit.Bytes < 0 || limit.Steps+limit.Bytes == 0 {
		c.fail(manifest.Path{key}, "cost: want steps, bytes or both above 0")
	}
	c.Expect.Cost = interpreter.Usage(limit)
}

// object returns the object at a field: written out, or made from a base.
func (c *decoder) object(field manifest.Path, value any) *unstructured.Unstructured {
	object, ok := value.(map[string]any)
	if !ok {
		c.fail(field, "%s: want an object, got %s", field, manifest.Describe(value))
		return nil
	}
	if isDerived(object) && c.bases != nil {
		derived, err := derive(c.bases, object, nil)
		if err != nil {
			c.fail(field, "%s: %w", field, err)
			return nil
		}
		if object, ok = derived.(map[string]any); !ok {
			c.fail(field, "%s: want an object, got %s", field, manifest.Describe(derived))
			return nil
		}
	}
	return &unstructured.Unstructured{Object: object}
}

func (c *decoder) checkInputs() {
	if c.Operation == "" {
		if c.fields["operation"] == nil {
			c.fail(nil, "operation: want one of the operations, got none")
		}
		return
	}
	req := c.Request()
	if req.Object == nil && len(c.errs) > 0 {
		return
	}
	info := c.Operation.Info()
	switch {
	case req.Object == nil:
		c.fail(nil, "%s needs desiredObj or observedObj", c.Operation)
	case info.Takes(interpreter.InputObserved) && (c.Desired == nil || c.Observed == nil):
		c.fail(nil, "%s needs desiredObj and observedObj", c.Operation)
	default:
		if _, given := c.fields["inputReplicas"]; info.Takes(interpreter.InputReplicas) && !given {
			c.fail(nil, "%s needs inputReplicas", c.Operation)
		}
		if err := req.Complete(); err != nil {
			c.fail(nil, "%w", err)
		}
	}
}

func (c *decoder) checkExpectation() {
	info := c.Operation.Info()
	e := &c.Expect
	if info == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.Output)) {
		switch {
		case slices.Contains(info.Outputs, name):
			c.deriveOutput(info, name)
		case c.Recorded:
			c.Ignored = append(c.Ignored, "output."+name)
			delete(e.Output, name)
		default:
			c.fail(manifest.Path{"output", name}, "output.%s is no result of %s: want %s", name, info.Operation, strings.Join(info.Outputs, ", "))
		}
	}
	if len(e.Output) == 0 {
		e.Output = nil
	}
	if !c.Recorded {
		for _, err := range checkMatchers(manifest.Path{"output"}, e.Output) {
			if at, ok := errors.AsType[*fieldError](err); ok {
				c.fail(at.field, "%w", err)
			}
		}
	}
	answered := e.Output != nil || e.OutputFile != "" || len(e.Assert) > 0
	switch {
	case e.Output != nil && e.OutputFile != "":
		c.fail(manifest.Path{"outputFile"}, "want output or outputFile, got both")
	case e.Error != nil && answered, e.NotHandled && answered, e.NotHandled && e.Error != nil:
		c.fail(nil, "an answer, an error and expect: notHandled exclude each other, got more than one")
	}
}

// deriveOutput replaces an expected object that is made from a base.
func (c *decoder) deriveOutput(info *interpreter.OperationInfo, name string) {
	object, ok := c.Expect.Output[name].(map[string]any)
	if c.bases == nil || info.Result != interpreter.ResultObject || !ok || !isDerived(object) {
		return
	}
	derived, err := derive(c.bases, object, nil)
	if err != nil {
		c.fail(manifest.Path{"output", name}, "output.%s: %w", name, err)
	}
	c.Expect.Output = maps.Clone(c.Expect.Output)
	c.Expect.Output[name] = derived
}

// recode decodes a plain value into a typed one; strict refuses fields that the type does not have.
func recode(value, into any, strict bool) error {
	for _, misfit := range manifest.Misfits(value, reflect.TypeOf(into)) {
		if strict || !misfit.Unknown {
			return misfit
		}
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
