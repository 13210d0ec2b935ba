package scaffold

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/interpreter"
)

// componentRule says what an object with several kinds of pods is made of.
func (k *Kind) componentRule() *rule {
	if !k.hasComponents() {
		return nil
	}
	var b strings.Builder
	b.WriteString("local kube = require(\"kube\")\n\nfunction GetComponents(obj)\n  local components = {}\n")
	for i := range k.templates {
		b.WriteString(indented(k.templates[i].componentLines(), "  "))
	}
	b.WriteString("  return components\nend\n")
	var components []any
	for i := range k.templates {
		components = append(components, map[string]any{
			"name":     k.templates[i].sampleName(k),
			"replicas": k.templates[i].sampleCount(),
			"replicaRequirements": map[string]any{
				"resourceRequest": sampleRequests(),
			},
		})
	}
	return &rule{
		operation: interpreter.InterpretComponent,
		comment: "The pod templates of an object: a name for each, how many pods it has, and what each of them needs.\n" +
			"This takes a script: a component for each element of a list is a loop.\n" +
			"CHANGE how many there are when that is not a field beside the template.\n",
		script: b.String(), isLua: true,
		cases: []testCase{{
			name: "components", reason: "a scheduler needs room for all of them", object: "plain",
			output: map[string]any{"components": components},
		}},
	}
}

// componentLines adds the template's components to the table components.
func (t *template) componentLines() string {
	if t.collection == nil {
		replicas := product("obj", t.counts)
		return fmt.Sprintf("\n-- %s\nlocal %s = %s\nif %s ~= nil then\n  table.insert(components, kube.component(%q, %s, %s))\nend\n",
			t, t.local(), luaGet("obj", t.path, ""), t.local(), t.component, replicas, t.pods(t.local()))
	}
	return fmt.Sprintf(`
-- %s
for key, element in %s do
%s  local count = %s
  table.insert(components, kube.component(name, count, %s))
end
`, t, t.each(), indented(t.nameLines(), "  "), product("element", t.counts), t.pods(luaGet("element", t.path, "{}")))
}

// nameLines sets name to that of an element's component.
func (t *template) nameLines() string {
	numbered := fmt.Sprintf("%q .. key", t.component+"-")
	switch {
	case t.isList && t.name == "", !t.isList && t.shared:
		return "local name = " + numbered + "\n"
	case !t.isList:
		return "local name = key\n"
	}
	lines := fmt.Sprintf("local name = %s\nif name == \"\" then\n  name = %s\n", luaGet("element", []string{t.name}, `""`), numbered)
	if t.shared {
		lines += fmt.Sprintf("else\n  name = %q .. name\n", t.component+"-")
	}
	return lines + "end\n"
}

// each returns the iterator over the elements that hold the template.
func (t *template) each() string {
	iterator := "pairs"
	if t.isList {
		iterator = "ipairs"
	}
	return iterator + "(" + luaGet("obj", t.collection, "{}") + ")"
}

// local returns a name for the template in a script.
func (t *template) local() string {
	var b strings.Builder
	for _, r := range t.component {
		if r == '_' || '0' <= r && r <= '9' && b.Len() > 0 || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			b.WriteRune(r)
		}
	}
	return b.String() + "Pods"
}

// pods returns the pod template that an expression is: itself, or one around it.
func (t *template) pods(expression string) string {
	if t.bare {
		return "{spec = " + expression + "}"
	}
	return expression
}

func product(object string, counts []count) string {
	var factors []string
	for _, c := range counts {
		factors = append(factors, luaGet(object, c.path, fmt.Sprint(c.otherwise)))
	}
	if len(factors) == 0 {
		return "1"
	}
	return strings.Join(factors, " * ")
}

func luaGet(object string, path []string, otherwise string) string {
	if otherwise == "" {
		return fmt.Sprintf("kube.get(%s, %q)", object, strings.Join(path, "."))
	}
	return fmt.Sprintf("kube.get(%s, %q, %s)", object, strings.Join(path, "."), otherwise)
}

// isRepeated tells whether a template is in the elements of a list or map.
func (k *Kind) isRepeated() bool {
	for i := range k.templates {
		if k.templates[i].collection != nil {
			return true
		}
	}
	return false
}

// dependencyScript collects the templates and asks for what they refer to.
func (k *Kind) dependencyScript() string {
	var b strings.Builder
	b.WriteString("local kube = require(\"kube\")\n\nfunction GetDependencies(obj)\n  local templates = {}\n")
	for i := range k.templates {
		t := &k.templates[i]
		if t.collection != nil {
			fmt.Fprintf(&b, "  for _, element in %s do\n    table.insert(templates, %s)\n  end\n", t.each(), t.pods(luaGet("element", t.path, "{}")))
			continue
		}
		fmt.Fprintf(&b, "  table.insert(templates, %s)\n", t.pods(luaGet("obj", t.path, "{}")))
	}
	b.WriteString("  return kube.podDependencies(templates, kube.get(obj, \"metadata.namespace\"))\nend\n")
	return b.String()
}
