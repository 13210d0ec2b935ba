package admission

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// Schemas are the schemas of kinds, by group, version and kind. They are not changed by use.
type Schemas map[schema.GroupVersionKind]*script.Schema

// ReadSchemas returns the schemas in CustomResourceDefinitions (apiextensions.k8s.io/v1). Any other object is an error,
// except in files that were found, and so is a definition without a schema.
func ReadSchemas(files ...File) (Schemas, error) {
	schemas := Schemas{}
	var errs []error
	for _, f := range files {
		objects, err := f.definitions()
		if err != nil {
			errs = append(errs, err)
		}
		for i := range objects {
			if err := schemas.add(&objects[i]); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if len(errs) == 0 && len(schemas) == 0 {
		errs = append(errs, errors.New("want a CustomResourceDefinition, got none"))
	}
	return schemas, errors.Join(errs...)
}

const definitionKind = "CustomResourceDefinition"

// definitions returns the objects of a file that should be definitions: of one that was found, those that are.
func (f File) definitions() ([]manifest.Object, error) {
	if !f.Found {
		return manifest.Objects(f.Name, f.Data)
	}
	var found []manifest.Object
	var errs []error
	for _, d := range manifest.Split(f.Name, f.Data) {
		value, err := d.Decode()
		if err == nil && !holds(value, func(_ string, kind any) bool { return kind == definitionKind }) {
			continue
		}
		objects, err := d.Objects()
		errs = append(errs, err)
		found = append(found, objects...)
	}
	return found, errors.Join(errs...)
}

func (s Schemas) add(o *manifest.Object) error {
	if gvk := o.GroupVersionKind(); gvk.Group != "apiextensions.k8s.io" || gvk.Version != "v1" || gvk.Kind != definitionKind {
		return o.Errorf(nil, "want a CustomResourceDefinition of apiextensions.k8s.io/v1, got a %s of %s", gvk.Kind, gvk.GroupVersion())
	}
	spec, _ := o.Object["spec"].(map[string]any)
	group, _ := spec["group"].(string)
	names, _ := spec["names"].(map[string]any)
	kind, _ := names["kind"].(string)
	versions, _ := spec["versions"].([]any)
	if group == "" || kind == "" || len(versions) == 0 {
		return o.Errorf(manifest.Path{"spec"}, "spec: want group, names.kind and versions")
	}
	for i, value := range versions {
		version, _ := value.(map[string]any)
		name, _ := version["name"].(string)
		validation, _ := version["schema"].(map[string]any)
		openAPI, ok := validation["openAPIV3Schema"].(map[string]any)
		if name == "" || !ok {
			return o.Errorf(manifest.Path{"spec", "versions", i}, "spec.versions[%d]: want name and schema.openAPIV3Schema", i)
		}
		s[schema.GroupVersionKind{Group: group, Version: name, Kind: kind}] = script.NewSchema(openAPI, nil)
	}
	return nil
}

// of returns the schemas of the kinds that a target means; more than one when it means several versions.
func (s Schemas) of(target customizations.Target) []*script.Schema {
	if found := s[target.Kind]; found != nil {
		return []*script.Schema{found}
	}
	var versions []string
	for gvk := range s {
		if target.Kind.Version == "*" && gvk.Group == target.Kind.Group && gvk.Kind == target.Kind.Kind {
			versions = append(versions, gvk.Version)
		}
	}
	slices.Sort(versions)
	found := make([]*script.Schema, len(versions))
	for i, version := range versions {
		found[i] = s[schema.GroupVersionKind{Group: target.Kind.Group, Version: version, Kind: target.Kind.Kind}]
	}
	return found
}

// misspelt returns a problem when there is no kind like that of the target, and one whose name is nearly the same.
func (c Checker) misspelt(custom customizations.Customization) []Problem {
	target, err := customizations.ParseTarget(custom.Object.Spec.Target)
	if err != nil || len(c.Schemas.of(target)) > 0 {
		return nil
	}
	var kinds []string
	for gvk := range c.Schemas {
		if gvk.Group == target.Kind.Group && (gvk.Version == target.Kind.Version || target.Kind.Version == "*") {
			kinds = append(kinds, gvk.Kind)
		}
	}
	slices.Sort(kinds)
	meant := script.Nearest(target.Kind.Kind, kinds)
	if meant == "" {
		return nil
	}
	apiVersion := custom.Object.Spec.Target.APIVersion
	return []Problem{customizationProblem(custom, "", script.Warning, "spec.target.kind",
		fmt.Sprintf("%s has no kind %s: did you mean %s?", apiVersion, target.Kind.Kind, meant))}
}

// program is a rule that can be checked against a schema.
type program interface {
	Check(object *script.Schema) script.Problems
}

// load returns the program of src; nil when it has none, which is said elsewhere.
func (c Checker) load(src *script.Source) program {
	switch engine := c.Engines[src.Language].(type) {
	case *cel.Engine:
		if p, _, err := engine.Program(src); err == nil {
			return p
		}
	case *lua.Engine:
		if p, _, err := engine.Load(src); err == nil {
			return p
		}
	}
	return nil
}

// schemaProblems returns what in the rules of a customization cannot be right for objects of their schema. Without one
// there is what every object has.
func (c Checker) schemaProblems(custom customizations.Customization) []Problem {
	target, err := customizations.ParseTarget(custom.Object.Spec.Target)
	if err != nil {
		return nil // said elsewhere
	}
	schemas := c.Schemas.of(target)
	var problems []Problem
	for _, rule := range custom.Sources(link) {
		of := schemas
		if len(of) == 0 && rule.Language == script.Lua { // Compiling CEL tells the same.
			of = []*script.Schema{script.AnyObject}
		}
		p := c.load(rule)
		if p == nil {
			continue
		}
		for _, found := range checkVersions(p, of) {
			if len(schemas) == 0 {
				found.Severity = script.Warning // as for CEL
			}
			if problem := scriptProblem(found); !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// checkVersions returns what cannot be right in some version of a kind. A field that is read as one that may be absent is
// right when some version has it; otherwise it is reported once, in the words for the last version.
func checkVersions(p program, versions []*script.Schema) script.Problems {
	type place struct{ line, column int }
	absent := map[place]int{}
	var found script.Problems
	for i, version := range versions {
		for _, problem := range p.Check(version) {
			if !errors.Is(problem, script.ErrOptional) {
				found = append(found, problem)
				continue
			}
			at := place{problem.Line, problem.Column}
			if absent[at]++; absent[at] == len(versions) && i == len(versions)-1 {
				found = append(found, problem)
			}
		}
	}
	return found
}
