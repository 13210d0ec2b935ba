package coverage

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// longest is how many bytes of an expression a report shows.
const longest = 90

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longest {
		return text[:longest] + "..."
	}
	return text
}

// Text writes a table of the rules, what was missed of each, and last the total.
func Text(w io.Writer, rules []Rule) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RULE\tLANGUAGE\tLINES\tBRANCHES")
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.Source.Name(), r.Source.Language, r.LineShare(), r.BranchShare())
	}
	total := TotalOf(rules)
	fmt.Fprintf(table, "total\t\t%s\t%s\n", total.Lines, total.Branches)
	if err := table.Flush(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for i := range rules {
		for _, text := range rules[i].Missed() {
			fmt.Fprintln(out, text)
		}
	}
	fmt.Fprintf(out, "coverage: %.1f%% (lines of Lua and branches of CEL: %d of %d)\n", total.Share.Percent(), total.Share.Covered, total.Share.Total)
	return out.Flush()
}

// LCOV writes a tracefile as genhtml, editors and forges read it: lines and branches of the files that hold the scripts.
// Scripts without a file stand under the names of their rules.
func LCOV(w io.Writer, rules []Rule) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "TN:")
	for _, file := range byFile(rules) {
		file.lcov(out)
	}
	return out.Flush()
}

// fileCoverage is what was counted in one file.
type fileCoverage struct {
	name     string
	rules    []Rule
	lines    map[int]int
	branches []fileBranch
}

type fileBranch struct {
	line, block, number, count int
	// reached tells whether the place of the branch ran at all.
	reached bool
}

func byFile(rules []Rule) []*fileCoverage {
	files := map[string]*fileCoverage{}
	for _, r := range rules {
		name := r.Source.File
		if name == "" {
			name = r.Source.Name()
		}
		if files[name] == nil {
			files[name] = &fileCoverage{name: name, lines: map[int]int{}}
		}
		files[name].add(r)
	}
	out := make([]*fileCoverage, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, files[name])
	}
	return out
}

func (f *fileCoverage) add(r Rule) {
	f.rules = append(f.rules, r)
	for _, line := range r.Lines {
		f.lines[r.Source.FileLine(line.Number)] += line.Count
	}
	block, numbers := 0, map[int]int{}
	if n := len(f.branches); n > 0 {
		block = f.branches[n-1].block + 1
	}
	reached := map[int]bool{}
	for _, b := range r.Branches {
		reached[b.Group] = reached[b.Group] || b.Count > 0
	}
	for _, b := range r.Branches {
		f.branches = append(f.branches, fileBranch{
			line: r.Source.FileLine(b.Line), block: block + b.Group, number: numbers[b.Group], count: b.Count, reached: reached[b.Group],
		})
		numbers[b.Group]++
	}
}

func (f *fileCoverage) lcov(out io.Writer) {
	fmt.Fprintf(out, "SF:%s\n", f.name)
	var hit, found int
	for _, b := range f.branches {
		found++
		taken := "-"
		if b.reached {
			taken = fmt.Sprint(b.count)
		}
		if b.count > 0 {
			hit++
		}
		fmt.Fprintf(out, "BRDA:%d,%d,%d,%s\n", b.line, b.block, b.number, taken)
	}
	fmt.Fprintf(out, "BRF:%d\nBRH:%d\n", found, hit)
	hit = 0
	for _, line := range slices.Sorted(maps.Keys(f.lines)) {
		if f.lines[line] > 0 {
			hit++
		}
		fmt.Fprintf(out, "DA:%d,%d\n", line, f.lines[line])
	}
	fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", len(f.lines), hit)
}
