package cases

import (
	"errors"
	"maps"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/manifest"
)

// updateOutput returns the node of a case's expected output after the answer: the parts of old that are still true, and
// the rest anew. Old may be nil.
func updateOutput(compare comparison, order []string, old *yamlv3.Node, c *Case, got []Output) (*yamlv3.Node, error) {
	want := c.Expect.Output
	values := make(map[string]any, len(got))
	for _, output := range got {
		if _, listed := want[output.Name]; listed || !compare.lenient || len(want) == 0 {
			values[output.Name] = output.Value
		}
	}
	completeHealth(want, values)
	out := &yamlv3.Node{Kind: yamlv3.MappingNode}
	for _, name := range order {
		value, answered := values[name]
		key, node := manifest.Child(old, name)
		if key == nil {
			if answered && (value != nil || name == order[0]) {
				out.Content = append(out.Content, textNode(name), valueNode(value))
			}
			continue
		}
		if fields, ok := asMap(node); ok && isDerived(fields) && !compare.holds(manifest.Path{name}, want[name], value) {
			return nil, errors.New("output." + name + " is made from a base: change it by hand")
		}
		if !answered {
			if want[name] == excluded {
				out.Content = append(out.Content, key, node)
			}
			continue
		}
		out.Content = append(out.Content, key, compare.updated(manifest.Path{name}, node, want[name], value))
	}
	if len(out.Content) == 0 {
		out.Style = yamlv3.FlowStyle
	}
	return out, nil
}

func asMap(node *yamlv3.Node) (map[string]any, bool) {
	var fields map[string]any
	if node == nil || node.Kind != yamlv3.MappingNode || node.Decode(&fields) != nil {
		return nil, false
	}
	return fields, true
}

// holds tells whether got is as wanted.
func (c *comparison) holds(field manifest.Path, want, got any) bool {
	inner := comparison{lenient: c.lenient, matchers: c.matchers, partial: c.partial}
	if nameOf := namedElements(field); nameOf != nil {
		inner.elements(field, want, got, nameOf)
	} else {
		inner.value(field, want, got)
	}
	return len(inner.diffs) == 0
}

// namedElements returns how the elements of the list at a field are told apart, or nil when their order means something.
func namedElements(field manifest.Path) func(any) string {
	if len(field) != 1 {
		return nil
	}
	switch field[0] {
	case "components":
		return componentName
	case "dependencies":
		return referenceName
	}
	return nil
}

// updated returns node, whose value is want, changed as little as it takes to have the value got.
func (c *comparison) updated(field manifest.Path, node *yamlv3.Node, want, got any) *yamlv3.Node {
	if c.holds(field, want, got) {
		return node
	}
	if node.Kind == yamlv3.AliasNode || node.Anchor != "" {
		return withComments(valueNode(got), node)
	}
	_, _, isMatcher := matcherOf(want)
	wantMap, _ := want.(map[string]any)
	gotMap, gotIsMap := got.(map[string]any)
	if node.Kind == yamlv3.MappingNode && gotIsMap && (!isMatcher || !c.matchers) {
		return c.updatedMap(field, node, wantMap, gotMap)
	}
	wantList, wantIsList := want.([]any)
	gotList, gotIsList := got.([]any)
	if node.Kind == yamlv3.SequenceNode && wantIsList && gotIsList && len(wantList) == len(node.Content) {
		return c.updatedList(field, node, wantList, gotList)
	}
	return withComments(valueNode(got), node)
}

func (c *comparison) updatedMap(field manifest.Path, node *yamlv3.Node, want, got map[string]any) *yamlv3.Node {
	out := *node
	out.Content = nil
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		w, ok := want[key.Value]
		if !ok {
			continue // a merge key or a duplicate: what it stands for is written out below
		}
		seen[key.Value] = true
		g, answered := got[key.Value]
		switch {
		case answered:
			out.Content = append(out.Content, key, c.updated(field.With(key.Value), value, w, g))
		case c.holds(field.With(key.Value), w, Absent{}):
			out.Content = append(out.Content, key, value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if !seen[key] && !c.holds(field.With(key), Absent{}, got[key]) {
			out.Content = append(out.Content, textNode(key), valueNode(got[key]))
		}
	}
	return &out
}

func (c *comparison) updatedList(field manifest.Path, node *yamlv3.Node, want, got []any) *yamlv3.Node {
	out := *node
	out.Content = nil
	nameOf := namedElements(field)
	if nameOf == nil {
		for i, g := range got {
			if i < len(want) {
				out.Content = append(out.Content, c.updated(field.With(i), node.Content[i], want[i], g))
				continue
			}
			out.Content = append(out.Content, valueNode(g))
		}
		return &out
	}
	// What is still there keeps its place; what is new comes last.
	used := make([]bool, len(got))
	for i, w := range want {
		j := slices.IndexFunc(got, func(g any) bool { return nameOf(g) == nameOf(w) })
		if j >= 0 && !used[j] {
			used[j] = true
			out.Content = append(out.Content, c.updated(field.With(i), node.Content[i], w, got[j]))
		}
	}
	for j, g := range got {
		if !used[j] {
			out.Content = append(out.Content, valueNode(g))
		}
	}
	return &out
}

func textNode(text string) *yamlv3.Node {
	var node yamlv3.Node
	node.SetString(text)
	return &node
}

// valueNode returns the node of a plain value.
func valueNode(value any) *yamlv3.Node {
	var node yamlv3.Node
	if err := node.Encode(value); err != nil {
		panic(err) // plain values always encode
	}
	return &node
}

// withComments returns node with the comments of old.
func withComments(node, old *yamlv3.Node) *yamlv3.Node {
	node.HeadComment, node.LineComment, node.FootComment = old.HeadComment, old.LineComment, old.FootComment
	return node
}
