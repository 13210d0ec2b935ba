package customizations

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/manifest"
)

// Kind is the kind of the objects that hold customizations.
const Kind = "ResourceInterpreterCustomization"

// Decode reads the customizations in data, YAML with any number of documents or JSON; a List of customizations counts as
// its items. file names the data in errors and positions.
//
// Decoding is strict: a field that the type does not have, a key that appears twice, a document of another kind, a rule
// with both scripts or none, a target that is no target and a name that appears twice are errors. The error joins a
// *manifest.Error for each of them; the customizations are then nil.
func Decode(file string, data []byte) ([]Customization, error) {
	objects, err := manifest.Objects(file, data)
	errs := []error{err}
	var out []Customization
	for i := range objects {
		c, err := FromObject(&objects[i])
		errs = append(errs, err)
		out = append(out, c)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := Distinct(out); err != nil {
		return nil, err
	}
	return out, nil
}

// FromObject reads the customization that o is, as Decode does.
func FromObject(o *manifest.Object) (Customization, error) {
	d := decoder{object: o}
	c := d.customization()
	return c, errors.Join(d.errs...)
}

// decoder reads one customization and collects what is wrong with it.
type decoder struct {
	object *manifest.Object
	errs   []error
}

func (d *decoder) fail(path manifest.Path, err error) {
	line, column := d.object.Place(path)
	d.errs = append(d.errs, &manifest.Error{File: d.object.Document.File, Line: line, Column: column, Field: path.String(), Err: err})
}

func (d *decoder) customization() Customization {
	o := d.object
	if o.GetAPIVersion() != configv1alpha1.GroupVersion.String() || o.GetKind() != Kind {
		d.fail(nil, fmt.Errorf("want a %s of %s, got a %s of %s", Kind, configv1alpha1.GroupVersion, o.GetKind(), o.GetAPIVersion()))
		return Customization{}
	}
	object := &configv1alpha1.ResourceInterpreterCustomization{}
	for _, misfit := range manifest.Misfits(o.Object, reflect.TypeOf(object)) {
		d.fail(misfit.Path, misfit.Err)
	}
	if len(d.errs) > 0 {
		return Customization{}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, object); err != nil {
		d.fail(nil, err)
		return Customization{}
	}
	c := Customization{Object: object, File: o.Document.File, Line: o.LineOf(nil), Lines: map[interpreter.Operation]int{}}
	if object.Name == "" {
		d.fail(manifest.Path{"metadata", "name"}, errors.New("want a name, got none"))
	}
	if _, err := ParseTarget(object.Spec.Target); err != nil {
		for _, err := range unjoin(err) {
			field, rest, _ := strings.Cut(err.Error(), ": ")
			d.fail(manifest.Path{"spec", "target", strings.TrimPrefix(field, "spec.target.")}, errors.New(rest))
		}
	}
	for i := range operations {
		d.rule(&operations[i], &c)
	}
	return c
}

// rule checks the rule for one operation and notes where its script stands.
func (d *decoder) rule(info *interpreter.OperationInfo, c *Customization) {
	rule := *info.Script(&c.Object.Spec.Customizations)
	if rule == nil {
		return
	}
	path := manifest.Path{"spec", "customizations", info.Field}
	fields, _ := value.MapAt(d.object.Object, "spec", "customizations", info.Field)
	_, hasLua := fields["luaScript"]
	_, hasCEL := fields["celExpression"]
	switch {
	case !hasLua && !hasCEL:
		d.fail(path, errors.New("exactly one of luaScript and celExpression must be set, got neither"))
	case rule.LuaScript != "" && rule.CELExpression != "":
		d.fail(path, errBoth)
	case rule.LuaScript != "":
		c.locate(info.Operation, d.object.TextLines(path.With("luaScript")))
	case rule.CELExpression != "":
		c.locate(info.Operation, d.object.TextLines(path.With("celExpression")))
	}
}

// locate notes the lines of the file on which those of a script stand.
func (c *Customization) locate(op interpreter.Operation, lines []int) {
	if len(lines) == 0 {
		return
	}
	c.Lines[op] = lines[0]
	if lines[len(lines)-1] != lines[0]+len(lines)-1 {
		if c.Folded == nil {
			c.Folded = map[interpreter.Operation][]int{}
		}
		c.Folded[op] = lines
	}
}

// Distinct tells which names appear more than once in cs, with a *manifest.Error for each: in a Set the last would silently
// take the place of the others.
func Distinct(cs []Customization) error {
	var errs []error
	first := make(map[string]Customization, len(cs))
	for _, c := range cs {
		name := c.Object.Name
		if other, ok := first[name]; ok && name != "" {
			errs = append(errs, &manifest.Error{
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
