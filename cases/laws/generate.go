package laws

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// group is what is known from all cases about one kind.
type group struct {
	// values are those that a field has in any case, by anywhere and type; reports those of members.
	values  map[string][]any
	reports []any

	mu   sync.Mutex
	seen map[string]bool
}

func newGroup() *group { return &group{values: map[string][]any{}, seen: map[string]bool{}} }

// learn adds the values of a case. It must not be called once trials run.
func (g *group) learn(c *cases.Case) {
	in := inputsOf(c)
	in.visit(func(path manifest.Path, value any) bool {
		if len(path) < 2 || isFixed(path) {
			return true
		}
		key := valueKey(path, value)
		if !slices.ContainsFunc(g.values[key], func(v any) bool { return equal(v, value) }) {
			g.values[key] = append(g.values[key], value)
		}
		return true
	})
	g.reports = append(g.reports, in.items()...)
}

func valueKey(path manifest.Path, value any) string { return anywhere(path) + " " + kindOf(value) }

// first tells whether it is called for the first time with these words.
func (g *group) first(words ...any) bool {
	key := fmt.Sprint(words...)
	g.mu.Lock()
	defer g.mu.Unlock()
	seen := g.seen[key]
	g.seen[key] = true
	return !seen
}

// most is how many members a made list has at most.
const most = 4

// generate returns other inputs made of in at random, and says how.
func (t *trial) generate(in inputs) (inputs, string) {
	out := in.clone()
	var changed []string
	if t.op.Info().Takes(interpreter.InputItems) && t.random.IntN(2) == 0 {
		out[inputItems] = t.members()
		changed = append(changed, fmt.Sprintf("%d members", len(out.items())))
	}
	for range 1 + t.random.IntN(3) {
		if text := t.change(out); text != "" {
			changed = append(changed, text)
		}
	}
	return out, strings.Join(changed, ", ")
}

// members returns a list of members with statuses from any case.
func (t *trial) members() []any {
	out := []any{}
	if len(t.group.reports) == 0 {
		return out
	}
	for i := range t.random.IntN(most + 1) {
		report := runtime.DeepCopyJSONValue(t.group.reports[t.random.IntN(len(t.group.reports))])
		if m, ok := report.(map[string]any); ok {
			m["clusterName"] = fmt.Sprintf("member%d", i+1)
		}
		out = append(out, report)
	}
	return out
}

// hasTwins tells whether a list has two objects of one name, which an API server does not take.
func (q inputs) hasTwins() bool {
	twins := false
	q.visit(func(_ manifest.Path, value any) bool {
		list, _ := value.([]any)
		seen := map[any]bool{}
		for _, element := range list {
			m, _ := element.(map[string]any)
			for _, key := range []string{"name", "type"} {
				if name, ok := m[key].(string); ok {
					twins = twins || seen[key+name]
					seen[key+name] = true
				}
			}
		}
		return !twins
	})
	return twins
}

// change gives one field of in another value, or none, and says which.
func (t *trial) change(in inputs) string {
	var paths []manifest.Path
	in.visit(func(path manifest.Path, _ any) bool {
		if !isFixed(path) {
			paths = append(paths, path)
		}
		return true
	})
	if len(paths) == 0 {
		return ""
	}
	path := paths[t.random.IntN(len(paths))]
	value, _ := get(map[string]any(in), path)
	if t.random.IntN(4) == 0 && !t.required(path) {
		in.remove(path)
		return fieldName(path) + " absent"
	}
	other := value
	if number, ok := value.(int64); ok && number >= 0 && t.random.IntN(2) == 0 {
		other = t.random.Int64N(10)
	} else if known := t.group.values[valueKey(path, value)]; len(known) > 0 {
		other = runtime.DeepCopyJSONValue(known[t.random.IntN(len(known))])
	}
	if equal(other, value) {
		return ""
	}
	hadTwins := in.hasTwins()
	in.set(path, other)
	if !hadTwins && in.hasTwins() {
		in.set(path, value)
		return ""
	}
	return fieldName(path) + " " + compact(other)
}
