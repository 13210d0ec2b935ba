package customizations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Kind is the kind of the objects that hold customizations.
const Kind = "ResourceInterpreterCustomization"

// FileError is something wrong at a place in a file of customizations.
type FileError struct {
	// File is the file's name; Line and Column are the place, from 1, or 0 where it is not known.
	File         string
	Line, Column int
	// Field is the path of the field that is wrong; empty when it is the file or the document.
	Field string
	// Err says what is wrong.
	Err error
}

// Error returns, for example, `rules.yaml:12:7: spec.customizations.retension: unknown field, did you mean "retention"?`.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Decode reads the customizations in data, YAML with any number of documents or JSON; a List of customizations counts as
// its items. file names the data in errors and positions.
//
// Decoding is strict: a field that the type does not have, a key that appears twice, a document of another kind, a rule
// with both scripts or none, a target that is no target and a name that appears twice are errors. The error joins a
// *FileError for each of them; the customizations are then nil.
func Decode(file string, data []byte) ([]Customization, error) {
	d := decoder{file: file}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			d.errs = append(d.errs, syntaxError(file, err))
			break
		}
		var plain any
		if err := document.Decode(&plain); err != nil { // an anchor inside itself, too many aliases
			d.errs = append(d.errs, syntaxError(file, err))
			continue
		}
		d.document(document.Content[0])
	}
	d.distinct()
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	return d.out, nil
}

// syntaxError takes the line out of a YAML error's text.
func syntaxError(file string, err error) error {
	out := &FileError{File: file, Err: err}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, scanErr := fmt.Sscanf(text, "line %d:", &line); n == 1 && scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
		out.Line = line
	}
	out.Err = errors.New("not YAML: " + text)
	return out
}

type decoder struct {
	file string
	out  []Customization
	errs []error
}

func (d *decoder) fail(at *yaml.Node, field string, err error) {
	d.errs = append(d.errs, &FileError{File: d.file, Line: at.Line, Column: at.Column, Field: field, Err: err})
}

// document reads one document: a customization or a List.
func (d *decoder) document(node *yaml.Node) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null":
		return
	case node.Kind != yaml.MappingNode:
		d.fail(node, "", fmt.Errorf("want a %s, got %s", Kind, nodeKind(node)))
		return
	}
	apiVersion, kind := text(value(node, "apiVersion")), text(value(node, "kind"))
	isList := apiVersion == "v1" && kind == "List" ||
		apiVersion == configv1alpha1.GroupVersion.String() && kind == Kind+"List"
	if items := value(node, "items"); isList && items != nil && items.Kind == yaml.SequenceNode {
		for _, item := range items.Content {
			d.document(item)
		}
		return
	}
	if apiVersion != configv1alpha1.GroupVersion.String() || kind != Kind {
		d.fail(node, "", fmt.Errorf("want a %s of %s, got %s", Kind, configv1alpha1.GroupVersion, named(apiVersion, kind)))
		return
	}
	d.customization(node)
}

func named(apiVersion, kind string) string {
	switch {
	case kind == "" && apiVersion == "":
		return "an object without apiVersion and kind"
	case kind == "":
		return "an object without kind"
	case apiVersion == "":
		return "a " + kind + " without apiVersion"
	default:
		return "a " + kind + " of " + apiVersion
	}
}

func (d *decoder) customization(node *yaml.Node) {
	before := len(d.errs)
	d.check(node, reflect.TypeFor[configv1alpha1.ResourceInterpreterCustomization](), "")
	if len(d.errs) > before {
		return
	}
	object := &configv1alpha1.ResourceInterpreterCustomization{}
	if err := decodeNode(node, object); err != nil {
		d.fail(node, "", err)
		return
	}
	c := Customization{Object: object, File: d.file, Line: node.Line, Lines: map[interpreter.Operation]int{}}
	if object.Name == "" {
		d.fail(orElse(value(node, "metadata"), node), "metadata.name", errors.New("want a name, got none"))
	}
	if _, err := ParseTarget(object.Spec.Target); err != nil {
		target := value(value(node, "spec"), "target")
		for _, err := range unjoin(err) {
			field, rest, _ := strings.Cut(err.Error(), ": ")
			leaf := value(target, field[strings.LastIndex(field, ".")+1:])
			d.fail(orElse(leaf, orElse(target, node)), field, errors.New(rest))
		}
	}
	rules := value(value(node, "spec"), "customizations")
	for i := range operations {
		d.rule(rules, &operations[i], &c)
	}
	d.out = append(d.out, c)
}

// rule checks the rule for one operation and notes where its script stands.
func (d *decoder) rule(rules *yaml.Node, info *interpreter.OperationInfo, c *Customization) {
	node := value(rules, info.Field)
	if node == nil || node.ShortTag() == "!!null" {
		return
	}
	lua, cel := value(node, "luaScript"), value(node, "celExpression")
	field := "spec.customizations." + info.Field
	switch {
	case lua == nil && cel == nil:
		d.fail(node, field, errors.New("exactly one of luaScript and celExpression must be set, got neither"))
	case text(lua) != "" && text(cel) != "":
		d.fail(node, field, errBoth)
	case text(lua) != "":
		c.Lines[info.Operation] = firstLine(lua)
	case text(cel) != "":
		c.Lines[info.Operation] = firstLine(cel)
	}
}

// firstLine returns the line on which the text of a scalar begins: behind the header of a block, otherwise its own.
func firstLine(scalar *yaml.Node) int {
	scalar = resolve(scalar)
	if scalar.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return scalar.Line + 1
	}
	return scalar.Line
}

// distinct reports names that appear twice.
func (d *decoder) distinct() {
	if err := Distinct(d.out); err != nil {
		d.errs = append(d.errs, unjoin(err)...)
	}
}

// Distinct tells which names appear more than once in cs, with a *FileError for each: in a Set the last would silently
// take the place of the others.
func Distinct(cs []Customization) error {
	var errs []error
	first := make(map[string]Customization, len(cs))
	for _, c := range cs {
		name := c.Object.Name
		if other, ok := first[name]; ok && name != "" {
			errs = append(errs, &FileError{
				File: c.File, Line: c.Line, Field: "metadata.name",
				Err: fmt.Errorf("%q appears twice, first at %s:%d: want one customization of each name", name, other.File, other.Line),
			})
			continue
		}
		first[name] = c
	}
	return errors.Join(errs...)
}

func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// decodeNode decodes a node that was checked into a type that knows JSON.
func decodeNode(node *yaml.Node, into any) error {
	var plain any
	if err := node.Decode(&plain); err != nil {
		return err
	}
	data, err := json.Marshal(plain)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
