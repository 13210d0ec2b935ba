package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// Runner runs cases.
type Runner struct {
	// Rules says which interpreter answers a case; it must not be nil.
	Rules Rules
	// Strict compares recorded cases as strictly as our own, and fails those that expect nothing.
	Strict bool
	// Parallel is how many cases run at once; 0 means one for each processor.
	Parallel int
	// Watch returns who is told what happens while a case runs, beside the Result. Nil, and a nil Trace, mean nobody. It is
	// called from several goroutines, the functions of one Trace are not.
	Watch func(*Case) *interpreter.Trace
}

// Outcome is what became of a case.
type Outcome string

// The outcomes.
const (
	// Passed means that all that the case expects holds.
	Passed Outcome = "passed"
	// Failed means that something does not.
	Failed Outcome = "failed"
	// WithoutExpectation means that a recorded case expects nothing that means something here.
	WithoutExpectation Outcome = "without expectation"
	// Broken is the outcome of a demand on the run as a whole, its Gate, that is not met. No case has it.
	Broken Outcome = "broken"
)

// Result is what became of one case.
type Result struct {
	// Case is the case; never nil.
	Case *Case
	// Gate is the demand beside the case's own that the result is about, such as "law deterministic"; empty for that of a
	// case.
	Gate string
	// Flags are those that dragoman test needs, beside the case, to come to the result again; empty for the usual ones.
	Flags string
	// Outcome is what became of it.
	Outcome Outcome
	// Diffs are the fields of the answer that are not as expected.
	Diffs []Diff
	// Problems is what else is wrong, one text each.
	Problems []string
	// Err is the error of the interpreter, expected or not; nil when it answered.
	Err error
	// Outputs is the answer; nil when there is none.
	Outputs []Output
	// Source is the rule that answered; zero when nobody said so.
	Source interpreter.Source
	// Position is the "file:line" of the script that the failure is about, where it is known.
	Position string
	// Printed is what scripts printed.
	Printed []string
	// Usage is what all script runs of the case cost together.
	Usage interpreter.Usage
	// Duration is how long the answer took by wall clock.
	Duration time.Duration
}

// PanicError is the error of a rule that panicked: a defect of the program, never of a script.
type PanicError struct {
	// Value is what it panicked with; Stack is where.
	Value any
	Stack []byte
}

// Error returns the value.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v: a defect of the program", e.Value)
}

// Run runs every case and returns the results in the order of the cases. A context that ends makes the cases that have
// not run yet fail with its error.
func (r Runner) Run(ctx context.Context, cases []*Case) []Result {
	parallel := r.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	results := make([]Result, len(cases))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(parallel, len(cases)) {
		workers.Go(func() {
			for i := range next {
				results[i] = r.run(ctx, cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// recordedClock is the time of our own cases that give none, so that what they expect stays true.
var recordedClock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (r Runner) run(ctx context.Context, c *Case) Result {
	result := Result{Case: c}
	info := c.Operation.Info()
	if err := ctx.Err(); err != nil {
		result.fail("not run: %v", err)
		return result
	}
	rules, err := r.Rules(c)
	if err != nil {
		result.Err = err
		result.fail("rules do not load: %v", err)
		return result
	}
	response := ask(r.context(ctx, &result), rules, &result)
	if response != nil {
		if result.Outputs, err = Outputs(c.Operation, response); err != nil {
			result.fail("%v", err)
			return result
		}
	}
	result.Outcome = Passed
	r.expect(info, &result)
	if len(result.Diffs) > 0 && result.Position == "" {
		result.Position = origin(ctx, rules, c, result.Diffs[0])
	}
	if result.Outcome == Failed && result.Position == "" {
		result.Position = result.Source.Position
	}
	return result
}

// Context returns the context of the case's question: with its clock.
func (c *Case) Context(ctx context.Context) context.Context {
	clock := c.Clock
	if clock.IsZero() && !c.Recorded {
		clock = recordedClock
	}
	if clock.IsZero() {
		return ctx
	}
	return interpreter.WithClock(ctx, interpreter.Clock{Now: func() time.Time { return clock }})
}

// context returns the context of result's case, with a trace that fills result and tells r.Watch.
func (r Runner) context(ctx context.Context, result *Result) context.Context {
	trace := &interpreter.Trace{
		// The rule that answers the question says so last: after those that it asked.
		Answered: func(source interpreter.Source, _ error) { result.Source = source },
		Printed:  func(_ interpreter.Source, text string) { result.Printed = append(result.Printed, text) },
		Spent: func(_ interpreter.Source, usage interpreter.Usage) {
			result.Usage.Steps += usage.Steps
			result.Usage.Bytes += usage.Bytes
		},
	}
	if r.Watch != nil {
		trace = interpreter.JoinTraces(trace, r.Watch(result.Case))
	}
	return interpreter.WithTrace(result.Case.Context(ctx), trace)
}

// ask returns the answer to the case's question, or nil with result.Err set.
func ask(ctx context.Context, rules interpreter.Interpreter, result *Result) (response *interpreter.Response) {
	start := time.Now()
	defer func() {
		result.Duration = time.Since(start)
		if value := recover(); value != nil {
			response, result.Err = nil, &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	response, result.Err = interpreter.Client{Interpreter: rules}.Do(ctx, result.Case.Request())
	if result.Err == nil && response == nil {
		result.Err = errors.New("a rule returned neither a response nor an error")
	}
	return response
}

func (r *Result) fail(format string, args ...any) {
	r.Outcome = Failed
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// expect compares result with what its case expects.
func (r Runner) expect(info *interpreter.OperationInfo, result *Result) {
	e := &result.Case.Expect
	var crash *PanicError
	switch {
	case errors.As(result.Err, &crash):
		result.fail("%v", result.Err)
	case e.IsEmpty():
		r.expectNothing(result)
	case e.NotHandled:
		expectNotHandled(result)
	case e.Error != nil:
		expectError(e.Error, result)
	case result.Err != nil:
		result.fail("%v", result.Err)
		result.Position = position(result.Err)
	default:
		r.expectAnswer(info, result)
	}
	expectCost(e.Cost, result)
}

func (r Runner) expectNothing(result *Result) {
	ignored := ""
	if names := result.Case.Ignored; len(names) > 0 {
		ignored = "; ignored: " + strings.Join(names, ", ")
	}
	text := "want an expectation (output, outputFile, error, expect or assert), got none" + ignored
	if result.Case.Recorded && !r.Strict {
		result.Outcome = WithoutExpectation
		result.Problems = []string{text}
		return
	}
	result.fail("%s", text)
}

func expectNotHandled(result *Result) {
	switch {
	case result.Err == nil:
		result.fail("want nobody to answer, got an answer of %s", result.Source)
	case !errors.Is(result.Err, interpreter.ErrNotHandled):
		result.fail("want nobody to answer, got the error: %v", result.Err)
		result.Position = position(result.Err)
	}
}

func expectError(want *ErrorMatch, result *Result) {
	if result.Err == nil {
		result.fail("want an error, got an answer")
		return
	}
	result.Position = position(result.Err)
	if matched, err := regexp.MatchString(want.Matches, result.Err.Error()); err != nil || !matched {
		result.fail("want an error that matches %q, got: %v", want.Matches, result.Err)
	}
	if want.Line == 0 {
		return
	}
	lines := problemLines(result.Err)
	if !slices.Contains(lines, want.Line) {
		result.fail("want an error at line %d of the script, got %s: %v", want.Line, lineList(lines), result.Err)
	}
}

func lineList(lines []int) string {
	if len(lines) == 0 {
		return "one without a line"
	}
	return "line " + strings.Trim(fmt.Sprint(lines), "[]")
}

func (r Runner) expectAnswer(info *interpreter.OperationInfo, result *Result) {
	e := &result.Case.Expect
	want := e.Output
	if e.OutputFile != "" {
		var err error
		if want, err = readOutputFile(e.OutputFile, info); err != nil {
			result.fail("%v", err)
			return
		}
	}
	if want != nil {
		lenient := result.Case.Recorded && !r.Strict
		c := comparison{lenient: lenient, matchers: !result.Case.Recorded}
		c.outputs(info, want, result.Outputs)
		if result.Diffs = c.diffs; len(c.diffs) > 0 {
			result.Outcome = Failed
		}
	}
	for _, problem := range failedAssertions(result) {
		result.fail("%s", problem)
	}
}

// readOutputFile returns the expected results in a golden file.
func readOutputFile(file string, info *interpreter.OperationInfo) (map[string]any, error) {
	data, err := os.ReadFile(file) //nolint:gosec // the case names the file
	if err != nil {
		return nil, fmt.Errorf("outputFile: %w: write it with --update", err)
	}
	documents := manifest.Split(file, data)
	if len(documents) != 1 {
		return nil, fmt.Errorf("outputFile %s: want one document, got %d", file, len(documents))
	}
	value, err := documents[0].Decode()
	if err != nil {
		return nil, fmt.Errorf("outputFile %w", err)
	}
	output, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("outputFile %s: want results by name, got %s", file, manifest.Describe(value))
	}
	for name := range output {
		if !slices.Contains(info.Outputs, name) {
			return nil, fmt.Errorf("outputFile %s: %s is no result of %s: want %s", file, name, info.Operation, strings.Join(info.Outputs, ", "))
		}
	}
	if errs := checkMatchers(manifest.Path{"output"}, output); len(errs) > 0 {
		return nil, fmt.Errorf("outputFile %s: %w", file, errors.Join(errs...))
	}
	return output, nil
}

func expectCost(limit interpreter.Usage, result *Result) {
	if limit.Steps > 0 && result.Usage.Steps > limit.Steps {
		result.fail("cost.steps  want at most %d  got %d", limit.Steps, result.Usage.Steps)
	}
	if limit.Bytes > 0 && result.Usage.Bytes > limit.Bytes {
		result.fail("cost.bytes  want at most %d  got %d", limit.Bytes, result.Usage.Bytes)
	}
}

// position returns the "file:line" that an error names, or "".
func position(err error) string {
	var problem *script.Problem
	if errors.As(err, &problem) && problem.Line > 0 {
		return problem.Source.Position(problem.Line)
	}
	return ""
}

// problemLines returns the lines of scripts that an error names.
func problemLines(err error) []int {
	if problems, ok := errors.AsType[script.Problems](err); ok {
		lines := make([]int, len(problems))
		for i, problem := range problems {
			lines[i] = problem.Line
		}
		return lines
	}
	if problem, ok := errors.AsType[*script.Problem](err); ok {
		return []int{problem.Line}
	}
	return nil
}
