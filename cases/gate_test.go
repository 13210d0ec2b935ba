package cases

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// outcomes returns a result of every outcome, gates among them, with what reports have to escape.
func outcomes() []Result {
	one := &Case{Name: `50% <of> "all", a: b`, File: "a/cases.yaml", Line: 3, Operation: interpreter.InterpretReplica}
	other := &Case{Name: "other", File: "b/cases.yaml", Line: 9, Operation: interpreter.AggregateStatus}
	rule := interpreter.Source{Link: "customizations", Name: "widgets", Field: "statusAggregation", Language: "lua", Position: "rules.yaml:7"}
	return []Result{
		{Case: one, Outcome: Passed},
		{Case: one, Outcome: Failed, Diffs: []Diff{{Field: manifest.Path{"replica"}, Want: int64(3), Got: int64(2)}}, Printed: []string{"a & b"}},
		{Case: other, Outcome: WithoutExpectation, Problems: []string{"want an expectation, got none"}},
		{Case: other, Outcome: Failed, Problems: []string{"rules.yaml:9: no field:\n | return a.b.c\n |           ^"}, Source: rule, Position: "rules.yaml:9"},
		{Case: other, Gate: "law members-order", Outcome: Broken, Problems: []string{"the order matters", "smallest inputs: {}"}, Source: rule, Position: "rules.yaml:7"},
		{Case: other, Gate: "cost", Outcome: Broken, Problems: []string{"cost.steps  want at most 100  got 150 (+50.0%)"}, Source: rule},
		{Case: &Case{File: "rules.yaml", Line: 7}, Gate: "coverage", Outcome: Broken, Problems: []string{"want at least 95%, got 1/2 50.0%"}},
	}
}

func TestGatesInReports(t *testing.T) {
	text := Text{Rerun: func(c *Case) string { return "dragoman test --run " + c.Name }}
	for extension, report := range map[string]Report{"txt": text.Write, "json": JSON, "xml": JUnit, "github": GitHub} {
		t.Run(extension, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report(&b, outcomes()))
			golden(t, "report/gates."+extension, b.String())
		})
	}
	assert.Equal(t, Summary{Passed: 1, Failed: 2, WithoutExpectation: 1, Broken: 3}, Summarize(outcomes()))
}

// readJUnit reads a JUnit file token by token, without the types that wrote it: what the attributes of the suites say, how
// many elements there are by "parent>name", and the names of the cases.
func readJUnit(t *testing.T, data []byte) (declared, counted map[string]int, names []string) {
	t.Helper()
	declared, counted = map[string]int{}, map[string]int{}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch element := token.(type) {
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range element.Attr {
				attributes[a.Name.Local] = a.Value
			}
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			open = append(open, element.Name.Local)
			counted[parent+">"+element.Name.Local]++
			switch element.Name.Local {
			case "testsuite":
				require.NotEmpty(t, attributes["name"])
				for _, key := range []string{"tests", "failures", "skipped"} {
					n, err := strconv.Atoi(attributes[key])
					require.NoError(t, err)
					declared[key] += n
				}
			case "testcase":
				require.NotEmpty(t, attributes["classname"]+attributes["name"])
				_, err := strconv.ParseFloat(attributes["time"], 64)
				require.NoError(t, err)
				names = append(names, attributes["name"])
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	return declared, counted, names
}

func TestJUnitIsReadBack(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, JUnit(&b, outcomes()))
	declared, counted, names := readJUnit(t, b.Bytes())
	assert.Equal(t, map[string]int{"tests": 7, "failures": 5, "skipped": 1}, declared)
	assert.Equal(t, 7, counted["testsuite>testcase"])
	assert.Equal(t, 5, counted["testcase>failure"])
	assert.Equal(t, 1, counted["testcase>skipped"])
	assert.Equal(t, 1, counted[">testsuites"])
	assert.Equal(t, `50% <of> "all", a: b`, names[0])
	assert.Contains(t, names, "law members-order: other")
}

// TestGitHubCommandsAreOneLineEach undoes the escapes as a runner of workflows does.
func TestGitHubCommandsAreOneLineEach(t *testing.T) {
	var b strings.Builder
	require.NoError(t, GitHub(&b, outcomes()))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 6, "one for each that did not pass")
	undo := strings.NewReplacer("%0A", "\n", "%0D", "\r", "%3A", ":", "%2C", ",", "%25", "%")
	for _, line := range lines {
		command, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		require.True(t, ok, line)
		level, properties, _ := strings.Cut(command, " ")
		assert.Contains(t, []string{"error", "notice"}, level)
		assert.NotEmpty(t, undo.Replace(message))
		for property := range strings.SplitSeq(properties, ",") {
			key, value, ok := strings.Cut(property, "=")
			require.True(t, ok, property)
			assert.Contains(t, []string{"file", "line", "title"}, key)
			assert.NotEmpty(t, value)
		}
	}
	assert.Contains(t, lines[0], "title=50%25 <of> \"all\"%2C a%3A b")
}
