package scaffold

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// template is a field that holds a pod template.
type template struct {
	// collection is the path to the list or map whose elements hold the template; nil when the object itself does.
	collection []string
	isList     bool
	// path is the path to the template, from the object or from an element of collection.
	path []string
	// bare tells that the field holds the spec of pods, without metadata around it.
	bare bool
	// counts are the numbers of pods, from the same place as path: they are multiplied.
	counts []count
	// name is the field of an element that names it; empty when there is none.
	name string
	// component is the name of its component, or of those of its elements when nothing else names them.
	component string
	// shared tells that elements of other templates may have the same names.
	shared bool
}

// count is a field that says how many.
type count struct {
	path      []string
	otherwise int64
}

// maxDepth bounds how deeply templates are looked for.
const maxDepth = 12

// findTemplates returns the pod templates in a schema, in the order of their paths. Templates in lists of lists are left
// out: nobody could tell their components apart.
func findTemplates(root *apiextensionsv1.JSONSchemaProps) []template {
	spec, ok := root.Properties["spec"]
	if !ok {
		return nil
	}
	f := finder{}
	f.object(&spec, template{path: []string{"spec"}}, 0)
	f.label()
	return f.found
}

// label names the components so that no two have one name.
func (f *finder) label() {
	seen := map[string]int{}
	repeated := 0
	for i := range f.found {
		t := &f.found[i]
		t.component = t.lastWord()
		seen[t.component]++
		if t.collection != nil {
			repeated++
		}
	}
	for i := range f.found {
		t := &f.found[i]
		t.shared = t.collection != nil && repeated > 1
		if seen[t.component] > 1 {
			t.component = strings.Join(slices.Concat(t.collection, t.path), "-")
		}
	}
}

type finder struct{ found []template }

// object looks at the fields of node, which is at here.
func (f *finder) object(node *apiextensionsv1.JSONSchemaProps, here template, depth int) {
	if depth > maxDepth {
		return
	}
	here.counts = here.withCount(node)
	for _, name := range names(node.Properties) {
		child := node.Properties[name]
		below := here
		below.path = append(slices.Clip(here.path), name)
		switch {
		case isTemplate(&child), isUntyped(name, &child, node):
			f.found = append(f.found, below)
		case isPodSpec(&child):
			below.bare = true
			f.found = append(f.found, below)
		case child.Items != nil && child.Items.Schema != nil:
			f.element(child.Items.Schema, below, true, depth)
		case child.AdditionalProperties != nil && child.AdditionalProperties.Schema != nil:
			f.element(child.AdditionalProperties.Schema, below, false, depth)
		default:
			f.object(&child, below, depth+1)
		}
	}
}

// element looks at the elements of the list or map at here.
func (f *finder) element(node *apiextensionsv1.JSONSchemaProps, here template, isList bool, depth int) {
	if here.collection != nil {
		return
	}
	inside := template{collection: here.path, isList: isList, path: []string{}}
	for _, name := range names(node.Properties) {
		field := node.Properties[name]
		if isList && field.Type == "string" && (name == "name" || inside.name == "" && strings.HasSuffix(name, "Name")) {
			inside.name = name
		}
	}
	f.object(node, inside, depth+1)
}

// countNames are the names of fields that say how many pods there are.
var countNames = []string{"replicas", "parallelism", "instances", "size"}

// withCount returns the counts of what lies in node. The object itself has only those beside its template.
func (t *template) withCount(node *apiextensionsv1.JSONSchemaProps) []count {
	counts := t.counts
	if t.collection == nil {
		counts = nil
	}
	for _, name := range countNames {
		if field, ok := node.Properties[name]; ok && field.Type == "integer" {
			return append(slices.Clip(counts), count{append(slices.Clip(t.path), name), defaultOf(&field)})
		}
	}
	return counts
}

// isTemplate tells whether node is an object with the spec of pods.
func isTemplate(node *apiextensionsv1.JSONSchemaProps) bool {
	spec, ok := node.Properties["spec"]
	return ok && isPodSpec(&spec)
}

// isPodSpec tells whether node has containers, and what pods have besides.
func isPodSpec(node *apiextensionsv1.JSONSchemaProps) bool {
	containers, ok := node.Properties["containers"]
	return ok && containers.Items != nil && slices.ContainsFunc([]string{"nodeSelector", "tolerations", "serviceAccountName"}, func(name string) bool {
		_, ok := node.Properties[name]
		return ok
	})
}

// isUntyped tells whether a field is a pod template of which the schema only says the name.
func isUntyped(name string, field, parent *apiextensionsv1.JSONSchemaProps) bool {
	if name != "template" && name != "podTemplate" || len(field.Properties) > 0 || field.XPreserveUnknownFields == nil || !*field.XPreserveUnknownFields {
		return false
	}
	return slices.ContainsFunc(append(countNames, "selector"), func(name string) bool {
		_, ok := parent.Properties[name]
		return ok
	})
}

// lastWord returns the last word of the path that says something.
func (t *template) lastWord() string {
	for _, name := range slices.Backward(slices.Concat(t.collection, t.path)) {
		for _, suffix := range []string{"Template", "Spec", "Specs"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if !slices.Contains([]string{"template", "spec", "pod", ""}, name) {
			return name
		}
	}
	return "main"
}

// String returns the path as people write it.
func (t *template) String() string {
	if t.collection == nil {
		return strings.Join(t.path, ".")
	}
	return strings.Join(t.collection, ".") + "[]." + strings.Join(t.path, ".")
}
