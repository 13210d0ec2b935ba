package coverage_test

import (
	"bufio"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/coverage"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// profiled returns what the cases of testdata cover, run once or more.
func profiled(t *testing.T, times int) []coverage.Rule {
	t.Helper()
	const file = "testdata/rules.yaml"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	decoded, err := customizations.Decode(file, data)
	require.NoError(t, err)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(decoded...)
	profile := coverage.New(engines)
	for _, c := range decoded {
		profile.Add(c.Sources("customizations")...)
		profile.Add(c.Sources("customizations")...) // once more changes nothing
	}
	found, err := cases.Load("testdata/cases.yaml")
	require.NoError(t, err)
	for range times {
		runner := cases.Runner{Rules: cases.Fixed(set), Watch: func(*cases.Case) *interpreter.Trace { return profile.Trace() }}
		for _, result := range runner.Run(t.Context(), found) {
			require.Equal(t, cases.Passed, result.Outcome, result.Problems)
		}
	}
	return profile.Rules()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "write it with -update")
	assert.Equal(t, string(want), got)
}

func TestReports(t *testing.T) {
	rules := profiled(t, 1)
	for name, report := range map[string]func(io.Writer, []coverage.Rule) error{
		"want.txt": coverage.Text, "want.info": coverage.LCOV, "want.html": coverage.HTML,
	} {
		var out strings.Builder
		require.NoError(t, report(&out, rules))
		golden(t, name, out.String())
	}
}

// tracefile is an lcov tracefile as geninfo(1) describes it.
type tracefile struct {
	lines    map[string]map[int]int
	branches map[string]map[string]string
}

// parseTracefile is written after the manual page alone.
func parseTracefile(t *testing.T, text string) tracefile {
	t.Helper()
	out := tracefile{lines: map[string]map[int]int{}, branches: map[string]map[string]string{}}
	var file string
	totals := map[string]int{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		key, value, _ := strings.Cut(scanner.Text(), ":")
		switch key {
		case "TN":
		case "SF":
			require.Empty(t, file, "a file begins inside another one")
			file = value
			out.lines[file], out.branches[file] = map[int]int{}, map[string]string{}
		case "DA":
			line, count, ok := strings.Cut(value, ",")
			require.True(t, ok)
			number, err := strconv.Atoi(line)
			require.NoError(t, err)
			require.NotContains(t, out.lines[file], number, "a line is there twice")
			out.lines[file][number], err = strconv.Atoi(count)
			require.NoError(t, err)
		case "BRDA":
			fields := strings.Split(value, ",")
			require.Len(t, fields, 4)
			id := strings.Join(fields[:3], ",")
			require.NotContains(t, out.branches[file], id, "a branch is there twice")
			out.branches[file][id] = fields[3]
		case "LF", "LH", "BRF", "BRH":
			n, err := strconv.Atoi(value)
			require.NoError(t, err)
			totals[key] = n
		case "end_of_record":
			hit, taken := 0, 0
			for _, count := range out.lines[file] {
				hit += min(count, 1)
			}
			for _, count := range out.branches[file] {
				if count != "-" && count != "0" {
					taken++
				}
			}
			assert.Equal(t, map[string]int{
				"LF": len(out.lines[file]), "LH": hit, "BRF": len(out.branches[file]), "BRH": taken,
			}, totals, "the totals of %s", file)
			file = ""
		default:
			t.Fatalf("unknown record %q", scanner.Text())
		}
	}
	require.Empty(t, file, "the last file has no end")
	return out
}

func TestTracefileIsReadBack(t *testing.T) {
	rules := profiled(t, 3)
	var out strings.Builder
	require.NoError(t, coverage.LCOV(&out, rules))
	parsed := parseTracefile(t, out.String())
	lines := parsed.lines["testdata/rules.yaml"]
	require.NotNil(t, lines)
	source, err := os.ReadFile("testdata/rules.yaml")
	require.NoError(t, err)
	text := strings.Split(string(source), "\n")
	for line, want := range map[string]int{
		`local status = obj.status or {}`: 3, `if status.phase ~= "Running" then`: 3, `if c.type == "Ready" and c.status == "False" then`: 6,
	} {
		at := 0
		for i := range text {
			if strings.TrimSpace(text[i]) == line {
				at = i + 1
			}
		}
		assert.Equal(t, want, lines[at], line)
	}
	total := coverage.TotalOf(rules)
	hit := 0
	for _, count := range lines {
		hit += min(count, 1)
	}
	assert.Equal(t, coverage.Share{Covered: hit, Total: len(lines)}, total.Lines)
	assert.Len(t, parsed.branches["testdata/rules.yaml"], total.Branches.Total)
}

func TestPageIsHTML(t *testing.T) {
	var out strings.Builder
	require.NoError(t, coverage.HTML(&out, profiled(t, 1)))
	document, err := html.Parse(strings.NewReader(out.String()))
	require.NoError(t, err)
	classes := map[string]int{}
	for node := range document.Descendants() {
		for _, attribute := range node.Attr {
			if node.Data == "span" && attribute.Key == "class" {
				classes[attribute.Val]++
			}
			assert.NotContains(t, []string{"src", "onclick"}, attribute.Key, "the page takes nothing from elsewhere")
		}
	}
	assert.Positive(t, classes["line full"])
	assert.Positive(t, classes["line part"])
	assert.Positive(t, classes["line none"])
}

func TestScriptsAreEscaped(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	profile := coverage.New(engines)
	profile.Add(&script.Source{
		Customization: "hostile", Operation: interpreter.InterpretHealth, Language: script.CEL, Text: `'<script>alert(1)</script>' == object.kind`,
	})
	var out strings.Builder
	require.NoError(t, coverage.HTML(&out, profile.Rules()))
	assert.NotContains(t, out.String(), "<script>")
}

func TestShare(t *testing.T) {
	assert.InDelta(t, 100, coverage.Share{}.Percent(), 0, "nothing to cover is covered")
	assert.Equal(t, "1/3 33.3%", coverage.Share{Covered: 1, Total: 3}.String())
}

func TestNeverAskedIsNotCovered(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	for _, source := range []*script.Source{
		{Customization: "a", Operation: interpreter.InterpretHealth, Language: script.CEL, Text: `object.status.ready`},
		{Customization: "a", Operation: interpreter.InterpretHealth, Language: script.Lua, Text: "function InterpretHealth(obj)\n  return true\nend"},
	} {
		profile := coverage.New(engines)
		profile.Add(source)
		rule := profile.Rules()[0]
		share := rule.Share()
		assert.Positive(t, share.Total, source.Language)
		assert.Zero(t, share.Covered, source.Language)
		assert.NotEmpty(t, rule.Missed())
	}
}

func TestScriptThatDoesNotCompileIsLeftOut(t *testing.T) {
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	profile := coverage.New(engines)
	profile.Add(&script.Source{Customization: "a", Operation: interpreter.InterpretHealth, Language: script.CEL, Text: "("})
	assert.Empty(t, profile.Rules())
}
