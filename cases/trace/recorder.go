package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Recorder records the rules that run for one question. It is for one goroutine.
type Recorder struct {
	rules []*ruleRun
}

// New returns a Recorder that has recorded nothing.
func New() *Recorder { return &Recorder{} }

// ruleRun is what one rule did.
type ruleRun struct {
	source  interpreter.Source
	lines   []line
	nodes   map[int64]*node
	order   []int64
	reads   []string
	printed []string
	outcome string
	usage   *interpreter.Usage
	// locals are the variables as they were shown last.
	locals map[string]string
}

// line is a line that was run, or a condition on it.
type line struct {
	number  int
	text    string
	changes []string
}

// node is a part of an expression.
type node struct {
	id, parent   int64
	line, column int
	text         string
	values       []string
}

func (r *Recorder) of(source interpreter.Source) *ruleRun {
	for _, run := range r.rules {
		if run.source.Link == source.Link && run.source.Name == source.Name && run.source.Field == source.Field {
			return run
		}
	}
	run := &ruleRun{source: source, nodes: map[int64]*node{}, locals: map[string]string{}}
	r.rules = append(r.rules, run)
	return run
}

// Trace returns the trace that tells the recorder.
func (r *Recorder) Trace() *interpreter.Trace {
	return &interpreter.Trace{
		Answered: func(source interpreter.Source, err error) {
			run := r.of(source)
			run.outcome = "answered"
			if err != nil {
				run.outcome = "failed: " + err.Error()
			}
		},
		Printed: func(source interpreter.Source, text string) {
			run := r.of(source)
			run.printed = append(run.printed, text)
			if n := len(run.lines); n > 0 {
				run.lines[n-1].changes = append(run.lines[n-1].changes, "printed "+text)
			}
		},
		Spent: func(source interpreter.Source, usage interpreter.Usage) { r.of(source).usage = &usage },
		Step:  func(step interpreter.Step) { r.of(step.Source).step(step) },
		Read: func(source interpreter.Source, path string) {
			run := r.of(source)
			if !slices.Contains(run.reads, path) {
				run.reads = append(run.reads, path)
			}
		},
	}
}

func (r *ruleRun) step(step interpreter.Step) {
	switch {
	case step.Node == 0:
		r.lines = append(r.lines, line{number: step.Line, text: step.Text, changes: r.changes(step.Values())})
	case step.Column == 0:
		if n := len(r.lines); n > 0 {
			last := &r.lines[n-1]
			last.changes = append(last.changes, "condition "+step.Text)
		}
	default:
		known := r.nodes[step.Node]
		if known == nil {
			known = &node{id: step.Node, parent: step.Parent, line: step.Line, column: step.Column, text: step.Text}
			r.nodes[step.Node] = known
			r.order = append(r.order, step.Node)
		}
		known.values = append(known.values, compact(step.Values()[""]))
	}
}

// changes returns the variables that are not as they were shown last.
func (r *ruleRun) changes(values map[string]any) []string {
	var out []string
	now := make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		now[name] = compact(values[name])
		if old, ok := r.locals[name]; !ok || old != now[name] {
			out = append(out, name+" = "+now[name])
		}
	}
	r.locals = now
	return out
}

// longest is how many bytes of a value are shown, and most how many values of a part that was evaluated again and again.
const (
	longest = 80
	most    = 8
)

func compact(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return cut(string(data))
}

func cut(text string) string {
	if len(text) > longest {
		return text[:longest] + "..."
	}
	return text
}

// linesAbove returns how many lines of its file stand above a script, from the "file:line" of its first line.
func linesAbove(position string) int {
	line, err := strconv.Atoi(position[strings.LastIndexByte(position, ':')+1:])
	if err != nil {
		return 0
	}
	return line - 1
}

// Write writes what was recorded, the rules in the order in which they began.
func (r *Recorder) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, run := range r.rules {
		run.write(out)
	}
	return out.Flush()
}

func (r *ruleRun) write(out io.Writer) {
	fmt.Fprintf(out, "%s", r.source)
	if r.source.Position != "" {
		fmt.Fprintf(out, " at %s", r.source.Position)
	}
	fmt.Fprintln(out)
	above := linesAbove(r.source.Position)
	for _, l := range r.lines {
		l.number += above
		l.write(out)
	}
	for _, n := range r.nodes {
		n.line += above
	}
	r.writeTree(out)
	if len(r.reads) > 0 {
		fmt.Fprintf(out, "  read: %s\n", strings.Join(outermost(r.reads), ", "))
	}
	if len(r.lines) == 0 {
		for _, text := range r.printed {
			fmt.Fprintf(out, "  printed: %s\n", text)
		}
	}
	if r.usage != nil {
		fmt.Fprintf(out, "  cost: %d steps, %d bytes\n", r.usage.Steps, r.usage.Bytes)
	}
	if r.outcome != "" {
		fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(r.outcome, "\n", "\n  "))
	}
}

const textWidth = 48

func (l *line) write(out io.Writer) {
	text := fmt.Sprintf("  %4d  %s", l.number, l.text)
	if len(l.changes) > 0 {
		text = fmt.Sprintf("%-*s  -- %s", textWidth, text, strings.Join(l.changes, ", "))
	}
	fmt.Fprintln(out, text)
}

// writeTree writes the parts of an expression, each below the one that it is in, in the order in which they are written.
func (r *ruleRun) writeTree(out io.Writer) {
	children := map[int64][]*node{}
	for _, id := range r.order {
		n := r.nodes[id]
		parent := n.parent
		if r.nodes[parent] == nil {
			parent = r.around(n)
		}
		children[parent] = append(children[parent], n)
	}
	for _, list := range children {
		slices.SortStableFunc(list, func(a, b *node) int {
			if a.line != b.line {
				return a.line - b.line
			}
			return a.column - b.column
		})
	}
	var write func(parent int64, depth int)
	write = func(parent int64, depth int) {
		for _, n := range children[parent] {
			values := n.values
			rest := ""
			if len(values) > most {
				rest = fmt.Sprintf(", ... (%d in all)", len(values))
				values = values[:most]
			}
			fmt.Fprintf(out, "  %4d:%-3d %s%s = %s%s\n",
				n.line, n.column, strings.Repeat("  ", depth), cut(strings.Join(strings.Fields(n.text), " ")), strings.Join(values, ", "), rest)
			write(n.id, depth+1)
		}
	}
	write(0, 0)
}

// around returns the smallest part that n is in, for one that stands in a part which was not evaluated: a field of which
// only the beginning is there.
func (r *ruleRun) around(n *node) (id int64) {
	smallest := 0
	for _, other := range r.nodes {
		if n.parent != 0 && other.id != n.id && other.line >= n.line && strings.Contains(other.text, n.text) && (id == 0 || len(other.text) < smallest ||
			len(other.text) == smallest && other.id < id) && len(other.text) > len(n.text) {
			id, smallest = other.id, len(other.text)
		}
	}
	return id
}

// outermost leaves out the fields of which something inside was read: those that only lead there.
func outermost(reads []string) []string {
	var out []string
	for _, path := range reads {
		leads := slices.ContainsFunc(reads, func(other string) bool {
			return strings.HasPrefix(other, path+".") || strings.HasPrefix(other, path+"[]")
		})
		if !leads {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
