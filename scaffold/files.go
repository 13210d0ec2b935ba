package scaffold

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
)

// File is a file of the scaffold.
type File struct {
	Name string
	Data []byte
}

// Files returns customizations.yaml, cases.yaml and a Makefile, whose rules check the customization against the definition
// in the file crd, as seen from where they will be; empty leaves the schema out.
func (k *Kind) Files(crd string) ([]File, error) {
	rules := k.rules()
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s: the schema says nothing about replicas, pod templates or a status: there is nothing to begin with", k.GVK)
	}
	suite, err := k.suite(rules)
	if err != nil {
		return nil, err
	}
	return []File{
		{"customizations.yaml", k.customization(rules)},
		{"cases.yaml", suite},
		{"Makefile", makefile(crd)},
	}, nil
}

// Name returns the customization's name, which is that of the definition.
func (k *Kind) Name() string { return k.Plural + "." + k.GVK.Group }

func (k *Kind) customization(rules []*rule) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What %s objects mean to a federation, as far as their schema gives it away.
# Read the comments, change what is not so, and test: make.
apiVersion: %s
kind: %s
metadata:
  name: %s
spec:
  target:
`, k.GVK.Kind, configv1alpha1.GroupVersion, customizations.Kind, k.Name())
	if len(k.Versions) > 1 {
		fmt.Fprintf(&b, "    # Versions: %s. %s/* means all of them.\n", strings.Join(k.Versions, ", "), k.GVK.Group)
	}
	fmt.Fprintf(&b, "    apiVersion: %s\n    kind: %s\n  customizations:\n", k.GVK.GroupVersion(), k.GVK.Kind)
	answered := map[interpreter.Operation]bool{}
	for _, r := range rules {
		info := r.operation.Info()
		answered[r.operation] = true
		language := "celExpression"
		if r.isLua {
			language = "luaScript"
		}
		b.WriteString(indented(r.comment, "    # "))
		fmt.Fprintf(&b, "    %s:\n      %s: |\n%s\n", info.Field, language, indented(strings.TrimSuffix(r.script, "\n"), "        "))
	}
	if answered[interpreter.InterpretComponent] {
		answered[interpreter.InterpretReplica] = true // one or the other
	} else if answered[interpreter.InterpretReplica] && len(k.templates) < 2 {
		answered[interpreter.InterpretComponent] = true
	}
	var missing strings.Builder
	if n := len(k.templates); n > 1 && !answered[interpreter.InterpretComponent] {
		missing.WriteString(wrapped("This kind has several pod templates: "+k.templateList()+".") + "\n")
	}
	for _, info := range interpreter.Operations() {
		if note := notes[info.Operation]; note != "" && !answered[info.Operation] {
			fmt.Fprintf(&missing, "%s: %s\n", info.Field, note)
		}
	}
	b.WriteString("\n    # Not here, since the schema does not say:\n" + indented(missing.String(), "    #   "))
	return b.Bytes()
}

// notes say of operations without a rule what it would be for.
var notes = map[interpreter.Operation]string{
	interpreter.InterpretReplica:    "for a kind that runs pods, how many there are.",
	interpreter.InterpretComponent:  "for a kind with several sorts of pods, in place of replicaResource.",
	interpreter.Retain:              "for fields that a member changes itself: kube.retain(object, observed, ['spec.field']).",
	interpreter.InterpretStatus:     "without it the whole status is collected.",
	interpreter.AggregateStatus:     "without it the template has no status.",
	interpreter.InterpretHealth:     "without it an object is as healthy as its generation and conditions say.",
	interpreter.InterpretDependency: "for other objects that it refers to by name, see docs/kube.md.",
}

func makefile(crd string) []byte {
	check := "dragoman check"
	if crd != "" {
		check += " --crd " + quoted(crd)
	}
	return []byte(`# make finds what is wrong with the rules, and runs their cases.
.PHONY: test
test:
	` + check + ` customizations.yaml
	dragoman test .
`)
}

// quoted returns a word as make and the shell take it.
func quoted(word string) string {
	word = strings.ReplaceAll(word, "$", "$$")
	if strings.ContainsAny(word, " '\"\\()&;|<>*?[]{}#~`!$") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// testCase is a case of the suite.
type testCase struct {
	name, reason string
	// object is the base that the case is about, and patch what is changed of it.
	object   string
	patch    map[string]any
	replicas int64
	items    []any
	output   map[string]any
}

func (k *Kind) suite(rules []*rule) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Cases for the rules in customizations.yaml: change what you change there, and add what must not break.
# dragoman test . --update writes what the rules answer now.
apiVersion: dragoman.io/v1alpha1
kind: InterpreterTestSuite
metadata:
  name: %s
`, k.Name())
	b.WriteString("# Objects that cases share. A case changes them with {base: plain, patch: {spec: {...}}, remove: [spec.field]}.\n")
	bases := map[string]any{"plain": k.sampleObject()}
	if status := k.sampleStatus(1); len(status) > 0 {
		bases["running"] = patched("plain", map[string]any{"status": status})
	}
	out := writer{to: &b}
	out.field("", "bases", bases)
	b.WriteString("cases:\n")
	for _, r := range rules {
		for _, c := range r.cases {
			out.testCase(r, c)
		}
	}
	return b.Bytes(), out.err
}

// writer writes YAML with its fields in a given order.
type writer struct {
	to  *bytes.Buffer
	err error
}

func (w *writer) field(indent, name string, value any) {
	data, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		w.err = err
	}
	w.to.WriteString(indented(string(data), indent))
}

func (w *writer) testCase(r *rule, c testCase) {
	start := w.to.Len()
	w.field("  ", "name", c.name)
	w.field("  ", "reason", c.reason)
	w.field("  ", "operation", string(r.operation))
	w.to.Bytes()[start] = '-'
	object := map[string]any{"base": c.object}
	if c.patch != nil {
		object["patch"] = c.patch
	}
	if r.operation.Info().Observed {
		w.field("  ", "observedObj", object)
	} else {
		w.field("  ", "desiredObj", object)
	}
	if c.replicas > 0 {
		w.field("  ", "inputReplicas", c.replicas)
	}
	if c.items != nil {
		w.field("  ", "statusItems", c.items)
	}
	w.field("  ", "output", c.output)
}
