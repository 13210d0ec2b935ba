package laws

import (
	"math/rand/v2"

	"github.com/dragoman-io/dragoman/manifest"
)

// attempts is how often inputs are made smaller at most.
const attempts = 3000

// shrink returns the smallest inputs that it finds to break the law in the same way, and how they do. What is required stays.
func (t *trial) shrink(f finding) (inputs, string) {
	in, wrong := f.in, f.wrong
	left := attempts
	for smaller := true; smaller; {
		smaller = false
		var paths []manifest.Path
		in.visit(func(path manifest.Path, _ any) bool {
			if !isFixed(path) && !t.required(path) {
				paths = append(paths, path)
			}
			return true
		})
		for _, path := range paths {
			if left--; left < 0 {
				return in, wrong
			}
			other := in.clone()
			if !other.remove(path) {
				continue
			}
			if text := t.broken(f, other); text != "" {
				in, wrong, smaller = other, text, true
			}
		}
	}
	return in, wrong
}

// broken says how in breaks the law of f in the same way; "" when it does not.
func (t *trial) broken(f finding, in inputs) string {
	again := *t
	again.random = rand.New(rand.NewPCG(1, 1)) //nolint:gosec // it makes test inputs
	again.group = &group{values: t.group.values, reports: t.group.reports, seen: map[string]bool{}}
	a := again.ask(t.op, in)
	if f.law.breaks != nil {
		return f.law.breaks(&again, in, a)
	}
	if again.crashed(a) && origin(a.err) == f.defect {
		return cause(a.err)
	}
	return ""
}
