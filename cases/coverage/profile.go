package coverage

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Profile counts what runs of a number of rules. It is safe for concurrent use.
type Profile struct {
	engines map[script.Language]script.Engine

	mu    sync.RWMutex
	rules map[identity]*counter
}

// identity tells rules apart as a trace names them.
type identity struct {
	link, name, field, position string
}

func identityOf(s interpreter.Source) identity {
	return identity{link: s.Link, name: s.Name, field: s.Field, position: s.Position}
}

// New returns a Profile that knows nothing yet. engines are those of customizations.Engines: they say which lines and
// branches a script has.
func New(engines map[script.Language]script.Engine) *Profile {
	return &Profile{engines: engines, rules: map[identity]*counter{}}
}

// Add adds rules whose coverage is wanted; those that are known already stay as they are. A script that does not compile
// has nothing to cover and is left out.
func (p *Profile) Add(sources ...*script.Source) {
	for _, source := range sources {
		id := identityOf(source.Source())
		p.mu.RLock()
		known := p.rules[id] != nil
		p.mu.RUnlock()
		if known {
			continue
		}
		c, err := p.counter(source)
		if err != nil {
			continue
		}
		p.mu.Lock()
		if p.rules[id] == nil {
			p.rules[id] = c
		}
		p.mu.Unlock()
	}
}

// counter counts what runs of one rule.
type counter struct {
	source *script.Source

	mu sync.Mutex
	// lines are how often the lines of the script were run, by line, from 1.
	lines map[int]int
	// nodes are how often the parts of an expression were evaluated. They, conditions and parts are by Step.Node.
	nodes      map[int64]int
	conditions map[int64]*condition
	parts      map[int64]*part
	order      []int64
	// runs is how often an expression was evaluated as a whole.
	runs, root int64
}

// condition is a place that has two outcomes.
type condition struct {
	line, column int
	text         string
	equality     bool
	whenTrue     int
	whenFalse    int
}

// part is a part of an expression that an evaluation may leave out.
type part struct {
	line, column int
	text         string
	count        int
}

func (p *Profile) counter(source *script.Source) (*counter, error) {
	c := &counter{
		source: source, lines: map[int]int{}, nodes: map[int64]int{}, conditions: map[int64]*condition{}, parts: map[int64]*part{},
	}
	switch engine := p.engines[source.Language].(type) {
	case *lua.Engine:
		program, _, err := engine.Load(source)
		if err != nil {
			return nil, err
		}
		c.learnLua(program)
	case *cel.Engine:
		program, _, err := engine.Program(source)
		if err != nil {
			return nil, err
		}
		c.learnCEL(program)
	default:
		return nil, fmt.Errorf("there is no engine for %s", source.Language)
	}
	return c, nil
}

func (c *counter) learnLua(program *lua.Program) {
	for _, line := range program.Lines() {
		c.lines[line] = 0
	}
	for _, known := range program.Conditions() {
		c.conditions[known.ID] = &condition{line: known.Line, equality: known.Equality}
		c.order = append(c.order, known.ID)
	}
}

func (c *counter) learnCEL(program *cel.Program) {
	for i, node := range program.Nodes() {
		if i == 0 {
			c.root = node.ID
		}
		c.lines[node.Line] = 0
		switch {
		case node.Condition:
			c.conditions[node.ID] = &condition{line: node.Line, column: node.Column, text: node.Text}
		case node.Optional:
			c.parts[node.ID] = &part{line: node.Line, column: node.Column, text: node.Text}
		default:
			continue
		}
		c.order = append(c.order, node.ID)
	}
}

// Trace returns a trace that counts the steps of one goroutine's runs.
func (p *Profile) Trace() *interpreter.Trace {
	var last interpreter.Source
	var c *counter
	return &interpreter.Trace{Step: func(step interpreter.Step) {
		if c == nil || identityOf(last) != identityOf(step.Source) {
			last = step.Source
			p.mu.RLock()
			c = p.rules[identityOf(last)]
			p.mu.RUnlock()
		}
		if c != nil {
			c.count(step)
		}
	}}
}

func (c *counter) count(step interpreter.Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if step.Node == 0 {
		if _, known := c.lines[step.Line]; known {
			c.lines[step.Line]++
		}
		return
	}
	if c.source.Language == script.CEL {
		// A line of an expression ran as often as the part of it that was evaluated most.
		c.nodes[step.Node]++
		if most, known := c.lines[step.Line]; known {
			c.lines[step.Line] = max(most, c.nodes[step.Node])
		}
	}
	if step.Node == c.root {
		c.runs++
	}
	if known := c.parts[step.Node]; known != nil {
		known.count++
	}
	if known := c.conditions[step.Node]; known != nil {
		switch step.Values()[""] {
		case true:
			known.whenTrue++
		case false:
			known.whenFalse++
		}
	}
}

// Rules returns what was counted, in the order of files and lines.
func (p *Profile) Rules() []Rule {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]Rule, 0, len(p.rules))
	for _, c := range p.rules {
		out = append(out, c.rule())
	}
	slices.SortFunc(out, func(a, b Rule) int {
		if n := strings.Compare(a.Source.File, b.Source.File); n != 0 {
			return n
		}
		if a.Source.Line != b.Source.Line {
			return a.Source.Line - b.Source.Line
		}
		return strings.Compare(a.Source.Name(), b.Source.Name())
	})
	return out
}
