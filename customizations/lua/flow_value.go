package lua

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// knowledge is what is known about a value at a point of a script. Its zero value is that nothing is known.
type knowledge struct {
	// schema is the schema of the value.
	schema *script.Schema
	// place is the value's identity: where it stands in the inputs, "object.status", or a name of its own. What a condition
	// tells about one value of a place is true of all. Empty when there is none.
	place string
	// written is how the script first wrote the value, for messages.
	written string
	// absent tells that the value may be nil, unless its place is known to be there.
	absent bool
	// defaulted tells that the value may be an empty table that the script has put in the place of nothing.
	defaulted bool
	// counts is the place whose length the value is.
	counts string
	// truth tells what the value counts for in a condition, if it is always the same.
	truth truth
	// text is the value of a constant text.
	text *string
	// made is the table, when the script has made it; function is the function; library is the name of what the library has,
	// "kube" or "string.format".
	made     *made
	function *closure
	library  string
	// yes and no are the places that are there when the value counts as true, and when it counts as false.
	yes, no []string
}

type truth int

const (
	unknown truth = iota
	isTrue
	isFalse
)

// made is a table that the script has made, with everything that is ever put into it.
type made struct {
	fields   []entry
	elements []entry
	// schema and where are those of the place that the table has been put to.
	schema *script.Schema
	where  string
}

// entry is something that is put into a table.
type entry struct {
	name  string
	at    ast.PositionHolder
	value knowledge
}

// field returns what is known about a field that is assigned to once.
func (m *made) field(name string) knowledge {
	var out knowledge
	found := false
	for _, e := range m.fields {
		if e.name == name && found {
			return knowledge{}
		} else if e.name == name {
			out, found = e.value, true
		}
	}
	return out
}

// closure is a function of the script.
type closure struct {
	function *ast.FunctionExpr
	scope    *names
	// open tells that it may be called with more arguments than are known.
	open bool
}

// names are the local names of a block.
type names struct {
	variables map[string]*binding
	outer     *names
}

// binding is one variable of the script, in one call of its function.
type binding struct{ id int }

// place returns the place of what only the variable is known to hold.
func (v *binding) place() string { return "$" + strconv.Itoa(v.id) }

// index returns the step to the element that the variable is the index of.
func (v *binding) index() string { return "[#" + strconv.Itoa(v.id) + "]" }

func (n *names) find(name string) *binding {
	for ; n != nil; n = n.outer {
		if v := n.variables[name]; v != nil {
			return v
		}
	}
	return nil
}

// state is what is known at a point of the script.
type state struct {
	variables map[*binding]knowledge
	// there are the places that are not nil.
	there map[string]bool
	// gone are the places that are nil.
	gone map[string]bool
	// changed are the places that the script has assigned to: what the schema says is no longer known of them.
	changed map[string]bool
	// over tells that this point is never reached.
	over bool
}

func newState() *state {
	return &state{variables: map[*binding]knowledge{}, there: map[string]bool{}, gone: map[string]bool{}, changed: map[string]bool{}}
}

func (s *state) clone() *state {
	return &state{
		variables: maps.Clone(s.variables), there: maps.Clone(s.there), gone: maps.Clone(s.gone), changed: maps.Clone(s.changed), over: s.over,
	}
}

func (s *state) size() int { return len(s.variables) + len(s.there) + len(s.changed) }

// join returns what is known where two ways meet. It may change both.
func join(a, b *state) *state {
	switch {
	case a == nil || a.over && b != nil:
		return b
	case b == nil || b.over:
		return a
	}
	for v := range a.variables {
		if _, ok := b.variables[v]; ok {
			a.variables[v] = joinVariable(v, a, b)
		}
	}
	for v, known := range b.variables {
		if _, ok := a.variables[v]; !ok {
			a.variables[v] = known
		}
	}
	// A place is there when it is on both ways.
	maps.DeleteFunc(a.there, func(place string, _ bool) bool { return !b.there[place] })
	maps.DeleteFunc(a.gone, func(place string, _ bool) bool { return !b.gone[place] })
	maps.Copy(a.changed, b.changed)
	return a
}

// joinVariable returns what is known about a variable that is in both states.
func joinVariable(v *binding, a, b *state) knowledge {
	known, other := a.variables[v], b.variables[v]
	if known.place != other.place {
		known.absent, other.absent = a.mayBeNil(known), b.mayBeNil(other)
	}
	out := joinKnowledge(known, other)
	if out.schema != nil && out.place == "" {
		out.place = v.place()
		a.forget(out.place)
		b.forget(out.place)
	}
	return out
}

// joinKnowledge returns what is known about a value that is one of two.
func joinKnowledge(a, b knowledge) knowledge {
	if a.isNil() != b.isNil() {
		if a.isNil() {
			a = b
		}
		if a.schema != nil || a.made != nil {
			return knowledge{schema: a.schema, written: a.written, made: a.made, defaulted: a.defaulted}
		}
		return knowledge{}
	}
	out := knowledge{absent: a.absent || b.absent, defaulted: a.defaulted || b.defaulted}
	if a.place == b.place {
		out.place = a.place
	}
	if a.written == b.written {
		out.written = a.written
	}
	if a.made == b.made {
		out.made = a.made
	}
	if a.function == b.function {
		out.function = a.function
	}
	if a.library == b.library {
		out.library = a.library
	}
	if a.truth == b.truth {
		out.truth = a.truth
	}
	if a.counts == b.counts {
		out.counts = a.counts
	}
	out.yes, out.no = both(a.yes, b.yes), both(a.no, b.no)
	switch {
	case a.schema.Same(b.schema):
		out.schema = a.schema
	case a.schema != nil && b.made != nil && b.schema == nil:
		out.schema, out.place, out.written, out.defaulted, out.absent = a.schema, a.place, a.written, true, false
	case b.schema != nil && a.made != nil && a.schema == nil:
		out.schema, out.place, out.written, out.defaulted, out.absent = b.schema, b.place, b.written, true, false
	default:
		out.absent = false
	}
	return out
}

// both returns what is in both lists.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(place string) bool { return !slices.Contains(b, place) })
}

// nothing is what is known of nil.
var nothing = knowledge{truth: isFalse, library: "nil"}

func (k knowledge) isNil() bool { return k.library == "nil" }

// mayBeNil tells whether a value is one that the schema lets be absent, and that nothing says is there.
func (s *state) mayBeNil(k knowledge) bool {
	return k.absent && (k.place == "" || !s.there[k.place] && !s.isChanged(k.place))
}

// set remembers that a place is there, and so everything on the way to it.
func (s *state) set(place string) {
	for prefix := range prefixes(place) {
		s.there[prefix] = true
	}
}

// isChanged tells whether the script has assigned to a place, or to one on the way to it.
func (s *state) isChanged(place string) bool {
	if len(s.changed) == 0 {
		return false
	}
	for prefix := range prefixes(place) {
		if s.changed[prefix] {
			return true
		}
	}
	return false
}

// assign remembers that something else is at a place now.
func (s *state) assign(place string) {
	s.forget(place)
	s.changed[place] = true
}

func (s *state) forget(place string) {
	below := func(other string, _ bool) bool { return isBelow(other, place) }
	maps.DeleteFunc(s.there, below)
	maps.DeleteFunc(s.gone, below)
	maps.DeleteFunc(s.changed, below)
}

// isBelow tells whether place is root or a part of it.
func isBelow(place, root string) bool {
	rest, ok := strings.CutPrefix(place, root)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// prefixes yields the places on the way to a place, and the place itself.
func prefixes(place string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 1; i <= len(place); i++ {
			if (i == len(place) || place[i] == '.' || place[i] == '[') && !yield(place[:i]) {
				return
			}
		}
	}
}
