package conform

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Outcome is what became of a check.
type Outcome string

// The outcomes.
const (
	// Passed means that the webhook does as the protocol says.
	Passed Outcome = "passed"
	// Failed means that it does not.
	Failed Outcome = "failed"
	// Warned means that it does, in a way that is likely to make trouble.
	Warned Outcome = "warned"
	// Skipped means that the webhook does not answer the question, and says so as it should.
	Skipped Outcome = "skipped"
)

// Check is one property of the webhook.
type Check struct {
	// Name says what was asked, such as "ReviseReplica apps/v1 Deployment default/web: 7 replicas".
	Name string `json:"name"`
	// Outcome is what became of it.
	Outcome Outcome `json:"outcome"`
	// Problems say what is wrong, one text each, or why the check was skipped.
	Problems []string `json:"problems,omitempty"`
}

// Report is the result of all checks, in the order in which they ran.
type Report struct {
	// URL is where the webhook is.
	URL string `json:"url"`
	// Checks are what was looked at.
	Checks []Check `json:"checks"`
}

// Count returns how many checks had the outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for _, c := range r.Checks {
		if c.Outcome == o {
			n++
		}
	}
	return n
}

// Failed returns how many checks failed.
func (r *Report) Failed() int { return r.Count(Failed) }

// Text writes the report for people: what is wrong, and with all set every check; at the end a line of counts.
func (r *Report) Text(w io.Writer, all bool) error {
	var b strings.Builder
	for _, c := range r.Checks {
		if c.Outcome == Failed || c.Outcome == Warned || all {
			fmt.Fprintf(&b, "%s  %s\n", labels[c.Outcome], c.Name)
			for _, p := range c.Problems {
				fmt.Fprintf(&b, "      %s\n", strings.ReplaceAll(p, "\n", "\n      "))
			}
		}
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d warned, %d skipped\n", r.Count(Passed), r.Failed(), r.Count(Warned), r.Count(Skipped))
	_, err := io.WriteString(w, b.String())
	return err
}

var labels = map[Outcome]string{Passed: "PASS", Failed: "FAIL", Warned: "WARN", Skipped: "SKIP"}

// JSON writes the report as one JSON document.
func (r *Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// JUnit writes the report as JUnit XML. A warning is a test that passed, with a note.
func (r *Report) JUnit(w io.Writer) error {
	type note struct {
		Message string `xml:"message,attr"`
	}
	type testCase struct {
		Name    string `xml:"name,attr"`
		Failure *note  `xml:"failure"`
		Skipped *note  `xml:"skipped"`
		Output  string `xml:"system-out,omitempty"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testCase `xml:"testcase"`
	}{Name: "conform " + r.URL, Tests: len(r.Checks), Failures: r.Failed(), Skipped: r.Count(Skipped)}
	for _, c := range r.Checks {
		tc, text := testCase{Name: c.Name}, strings.Join(c.Problems, "\n")
		switch c.Outcome {
		case Failed:
			tc.Failure = &note{text}
		case Skipped:
			tc.Skipped = &note{text}
		case Warned:
			tc.Output = text
		case Passed:
		}
		suite.Cases = append(suite.Cases, tc)
	}
	data, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}
