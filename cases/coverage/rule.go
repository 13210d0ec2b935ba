package coverage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// Rule is what ran of one rule.
type Rule struct {
	// Source is the rule.
	Source *script.Source
	// Lines are the lines of the script that something can run on, in order.
	Lines []Line
	// Branches are the ways that a run can take, in the order in which they stand in the script. An expression has one more
	// than it shows: being evaluated at all.
	Branches []Branch
}

// Line is one line of a script.
type Line struct {
	// Number is the line of the script, from 1.
	Number int
	// Count is how often it ran.
	Count int
}

// Branch is a way that a run can take.
type Branch struct {
	// Line and Column are its place in the script, from 1; Column is 0 where the language does not tell it.
	Line, Column int
	// Group is the same for the ways of which a run takes one.
	Group int
	// Text is the part of the expression that it is about; empty for Lua.
	Text string
	// Way says which way it is: "true", "false", "equal", "different", "evaluated".
	Way string
	// Count is how often it was taken.
	Count int
}

func (c *counter) rule() Rule {
	c.mu.Lock()
	defer c.mu.Unlock()
	rule := Rule{Source: c.source}
	for _, number := range slices.Sorted(maps.Keys(c.lines)) {
		rule.Lines = append(rule.Lines, Line{Number: number, Count: c.lines[number]})
	}
	if c.source.Language == script.CEL {
		rule.Branches = append(rule.Branches, Branch{Line: 1, Column: 1, Way: "evaluated", Count: int(c.runs)})
		if c.root == 0 && len(c.lines) == 0 {
			rule.Branches = nil // a constant
		}
	}
	for group, id := range c.order {
		if known := c.parts[id]; known != nil {
			rule.Branches = append(rule.Branches, Branch{
				Line: known.line, Column: known.column, Group: group + 1, Text: known.text, Way: "evaluated", Count: known.count,
			})
			continue
		}
		known := c.conditions[id]
		ways := [2]string{"true", "false"}
		if known.equality {
			ways = [2]string{"equal", "different"}
		}
		for i, count := range []int{known.whenTrue, known.whenFalse} {
			rule.Branches = append(rule.Branches, Branch{
				Line: known.line, Column: known.column, Group: group + 1, Text: known.text, Way: ways[i], Count: count,
			})
		}
	}
	return rule
}

// Share is how many of a number of things were covered.
type Share struct {
	Covered, Total int
}

// Percent returns the share in percent; 100 when there is nothing to cover.
func (s Share) Percent() float64 {
	if s.Total == 0 {
		return 100
	}
	return 100 * float64(s.Covered) / float64(s.Total)
}

// String returns "12/14 85.7%".
func (s Share) String() string { return fmt.Sprintf("%d/%d %.1f%%", s.Covered, s.Total, s.Percent()) }

func (s *Share) add(covered bool) {
	s.Total++
	if covered {
		s.Covered++
	}
}

func (s Share) plus(o Share) Share {
	return Share{Covered: s.Covered + o.Covered, Total: s.Total + o.Total}
}

// LineShare returns the share of the lines that ran.
func (r *Rule) LineShare() (s Share) {
	for _, line := range r.Lines {
		s.add(line.Count > 0)
	}
	return s
}

// BranchShare returns the share of the branches that were taken.
func (r *Rule) BranchShare() (s Share) {
	for _, branch := range r.Branches {
		s.add(branch.Count > 0)
	}
	return s
}

// Share returns what counts: the lines of a Lua script, the branches of an expression, which is often one line.
func (r *Rule) Share() Share {
	if r.Source.Language == script.CEL {
		return r.BranchShare()
	}
	return r.LineShare()
}

// Total is what was covered of a number of rules.
type Total struct {
	// Lines and Branches are those of all rules; Share is what counts of each.
	Lines, Branches, Share Share
}

// TotalOf adds up rules.
func TotalOf(rules []Rule) (t Total) {
	for i := range rules {
		t.Lines = t.Lines.plus(rules[i].LineShare())
		t.Branches = t.Branches.plus(rules[i].BranchShare())
		t.Share = t.Share.plus(rules[i].Share())
	}
	return t
}

// Missed says what was not covered of the rule, one text for each place, with the place in its file.
func (r *Rule) Missed() []string {
	var out []string
	if r.Source.Language == script.Lua {
		for i := 0; i < len(r.Lines); i++ {
			if r.Lines[i].Count > 0 {
				continue
			}
			last := i
			for last+1 < len(r.Lines) && r.Lines[last+1].Count == 0 {
				last++
			}
			place := r.Source.Position(r.Lines[i].Number)
			if last > i {
				out = append(out, fmt.Sprintf("%s: %d lines up to %d are never run", place, last-i+1, r.Source.FileLine(r.Lines[last].Number)))
			} else {
				out = append(out, place+": the line is never run")
			}
			i = last
		}
	}
	ran := map[int]bool{}
	for _, line := range r.Lines {
		ran[line.Number] = line.Count > 0
	}
	for _, b := range r.Branches {
		if b.Count > 0 || r.Source.Language == script.Lua && !ran[b.Line] {
			continue
		}
		out = append(out, r.missed(b))
	}
	return out
}

func (r *Rule) missed(b Branch) string {
	place := r.Source.Position(b.Line)
	if b.Column > 0 {
		place = fmt.Sprintf("%s:%d", place, b.Column)
	}
	what := b.Text
	switch {
	case what == "" && b.Way == "evaluated":
		return place + ": the expression is never evaluated"
	case what == "" && b.Way == "equal", what == "" && b.Way == "different":
		return fmt.Sprintf("%s: what is compared is never %s", place, b.Way)
	case what == "":
		return fmt.Sprintf("%s: the condition is never %s", place, b.Way)
	default:
		return fmt.Sprintf("%s: never %s: %s", place, b.Way, oneLine(what))
	}
}
