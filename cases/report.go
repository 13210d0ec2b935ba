package cases

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Report writes the results of a run in one format.
type Report func(w io.Writer, results []Result) error

// Summary counts results.
type Summary struct {
	// Passed, Failed and WithoutExpectation are how many cases have that outcome.
	Passed             int `json:"passed"`
	Failed             int `json:"failed"`
	WithoutExpectation int `json:"withoutExpectation"`
	// Broken is how many demands on the run as a whole are not met.
	Broken int `json:"broken,omitempty"`
}

// Summarize counts the outcomes of results.
func Summarize(results []Result) Summary {
	var s Summary
	for i := range results {
		switch results[i].Outcome {
		case Passed:
			s.Passed++
		case WithoutExpectation:
			s.WithoutExpectation++
		case Broken:
			s.Broken++
		default:
			s.Failed++
		}
	}
	return s
}

// Text is the report for people: what failed and why, what expects nothing, and last the line "N passed, N failed".
type Text struct {
	// Verbose lists the cases that passed as well.
	Verbose bool
	// Rerun returns the command that runs one case again; nil leaves it out.
	Rerun func(*Case) string
	// Mark returns an outcome's label, which may be coloured; nil writes PASS, FAIL, NONE and GATE.
	Mark func(Outcome) string
}

// Write writes the report.
func (t Text) Write(w io.Writer, results []Result) error {
	var b strings.Builder
	for i := range results {
		t.result(&b, &results[i])
	}
	s := Summarize(results)
	if s.WithoutExpectation > 0 {
		fmt.Fprintf(&b, "%d without expectation\n", s.WithoutExpectation)
	}
	if s.Broken > 0 {
		fmt.Fprintf(&b, "%d broken\n", s.Broken)
	}
	fmt.Fprintf(&b, "%d passed, %d failed\n", s.Passed, s.Failed)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Text) result(b *strings.Builder, r *Result) {
	if r.Outcome == Passed && !t.Verbose {
		return
	}
	mark := t.Mark
	if mark == nil {
		mark = plainMark
	}
	fmt.Fprintf(b, "%s  %s  (%s:%d)\n", mark(r.Outcome), r.title(), r.Case.File, r.Case.Line)
	for _, line := range r.lines() {
		fmt.Fprintf(b, "      %s\n", strings.ReplaceAll(line, "\n", "\n      "))
	}
	if t.Rerun != nil && (r.Outcome == Failed || r.Flags != "") {
		fmt.Fprintf(b, "      rerun: %s%s\n", t.Rerun(r.Case), r.Flags)
	}
}

// title returns what the result is about.
func (r *Result) title() string {
	switch {
	case r.Gate == "":
		return r.Case.Name
	case r.Case.Name == "":
		return r.Gate
	default:
		return r.Gate + ": " + r.Case.Name
	}
}

func plainMark(o Outcome) string {
	switch o {
	case Passed:
		return "PASS"
	case WithoutExpectation:
		return "NONE"
	case Broken:
		return "GATE"
	default:
		return "FAIL"
	}
}

// lines returns what there is to say about a case that did not pass.
func (r *Result) lines() []string {
	var lines []string
	if r.Outcome == Passed {
		return nil
	}
	for _, diff := range r.Diffs {
		lines = append(lines, diff.String())
	}
	lines = append(lines, r.Problems...)
	if r.Outcome == WithoutExpectation {
		return lines
	}
	switch {
	case r.Source.Link != "" && r.Position != "":
		lines = append(lines, fmt.Sprintf("answered by %s at %s", r.Source, r.Position))
	case r.Source.Link != "":
		lines = append(lines, fmt.Sprintf("answered by %s", r.Source))
	case r.Position != "":
		lines = append(lines, "at "+r.Position)
	}
	for _, text := range r.Printed {
		lines = append(lines, "printed: "+text)
	}
	return lines
}

// jsonResult is a Result in the JSON report.
type jsonResult struct {
	Name      string     `json:"name"`
	Gate      string     `json:"gate,omitempty"`
	File      string     `json:"file"`
	Line      int        `json:"line"`
	Operation string     `json:"operation"`
	Outcome   Outcome    `json:"outcome"`
	Diffs     []jsonDiff `json:"diffs,omitempty"`
	Problems  []string   `json:"problems,omitempty"`
	Rule      string     `json:"rule,omitempty"`
	Position  string     `json:"position,omitempty"`
	Steps     int64      `json:"steps"`
	Bytes     int64      `json:"bytes"`
	Seconds   float64    `json:"seconds"`
}

// jsonDiff is a Diff in the JSON report; a value that is absent is left out.
type jsonDiff struct {
	Field string           `json:"field"`
	Want  *json.RawMessage `json:"want,omitempty"`
	Got   *json.RawMessage `json:"got,omitempty"`
}

// JSON writes one JSON document: the summary and every result.
func JSON(w io.Writer, results []Result) error {
	out := struct {
		Summary
		Cases []jsonResult `json:"cases"`
	}{Summary: Summarize(results), Cases: make([]jsonResult, len(results))}
	for i := range results {
		r := &results[i]
		out.Cases[i] = jsonResult{
			Name: r.Case.Name, Gate: r.Gate, File: r.Case.File, Line: r.Case.Line, Operation: string(r.Case.Operation),
			Outcome: r.Outcome, Problems: r.Problems, Position: r.Position,
			Steps: r.Usage.Steps, Bytes: r.Usage.Bytes, Seconds: r.Duration.Seconds(),
		}
		if r.Source.Link != "" {
			out.Cases[i].Rule = r.Source.String()
		}
		for _, d := range r.Diffs {
			out.Cases[i].Diffs = append(out.Cases[i].Diffs, jsonDiff{Field: d.Field.String(), Want: rawValue(d.Want), Got: rawValue(d.Got)})
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func rawValue(value any) *json.RawMessage {
	if value == (Absent{}) {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		data, _ = json.Marshal(fmt.Sprint(value)) //nolint:errchkjson // a text has a JSON form
	}
	return (*json.RawMessage)(&data)
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`

	duration time.Duration
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes one JUnit XML document, with a test suite for each file.
func JUnit(w io.Writer, results []Result) error {
	s := Summarize(results)
	out := junitSuites{Tests: len(results), Failures: s.Failed + s.Broken, Skipped: s.WithoutExpectation}
	var total time.Duration
	for i := range results {
		r := &results[i]
		total += r.Duration
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != r.Case.File {
			out.Suites = append(out.Suites, junitSuite{Name: r.Case.File})
		}
		out.Suites[len(out.Suites)-1].add(r)
	}
	for i := range out.Suites {
		out.Suites[i].Time = seconds(out.Suites[i].duration)
	}
	out.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(r *Result) {
	s.Tests++
	s.duration += r.Duration
	c := junitCase{
		Name: r.title(), Class: string(r.Case.Operation), File: r.Case.File, Line: r.Case.Line,
		Time: seconds(r.Duration), Out: strings.Join(r.Printed, "\n"),
	}
	if r.Outcome != Passed {
		lines := r.lines()
		message := &junitMessage{Text: strings.Join(lines, "\n")}
		if len(lines) > 0 {
			message.Message, _, _ = strings.Cut(lines[0], "\n")
		}
		if r.Outcome != WithoutExpectation {
			s.Failures++
			c.Failure = message
		} else {
			s.Skipped++
			c.Skipped = message
		}
	}
	s.Cases = append(s.Cases, c)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
