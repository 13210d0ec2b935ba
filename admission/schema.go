package admission

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// Schemas are the schemas of kinds, by group, version and kind. They are not changed by use.
type Schemas map[schema.GroupVersionKind]*cel.Schema

// ReadSchemas returns the schemas in CustomResourceDefinitions (apiextensions.k8s.io/v1). Any other object is an error, and
// so is a definition without a schema.
func ReadSchemas(files ...File) (Schemas, error) {
	schemas := Schemas{}
	var errs []error
	for _, f := range files {
		objects, err := manifest.Objects(f.Name, f.Data)
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

func (s Schemas) add(o *manifest.Object) error {
	if gvk := o.GroupVersionKind(); gvk.Group != "apiextensions.k8s.io" || gvk.Version != "v1" || gvk.Kind != "CustomResourceDefinition" {
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
		s[schema.GroupVersionKind{Group: group, Version: name, Kind: kind}] = cel.NewSchema(openAPI, nil)
	}
	return nil
}

// of returns the schemas of the kinds that a target means; more than one when it means several versions.
func (s Schemas) of(target customizations.Target) []*cel.Schema {
	if found := s[target.Kind]; found != nil {
		return []*cel.Schema{found}
	}
	var versions []string
	for gvk := range s {
		if target.Kind.Version == "*" && gvk.Group == target.Kind.Group && gvk.Kind == target.Kind.Kind {
			versions = append(versions, gvk.Version)
		}
	}
	slices.Sort(versions)
	found := make([]*cel.Schema, len(versions))
	for i, version := range versions {
		found[i] = s[schema.GroupVersionKind{Group: target.Kind.Group, Version: version, Kind: target.Kind.Kind}]
	}
	return found
}

// programs is an engine whose rules can be looked into.
type programs interface {
	Program(src *script.Source) (*cel.Program, script.Problems, error)
}

// schemaProblems returns what in the CEL rules of a customization cannot be right for objects of their schema.
func (c Checker) schemaProblems(custom customizations.Customization) []Problem {
	target, err := customizations.ParseTarget(custom.Object.Spec.Target)
	engine, ok := c.Engines[script.CEL].(programs)
	if err != nil || !ok {
		return nil // said elsewhere
	}
	schemas := c.Schemas.of(target)
	var problems []Problem
	for _, r := range rulesOf(custom) {
		if r.script != script.CEL {
			continue
		}
		program, _, err := engine.Program(&script.Source{
			Link: "customizations", Customization: custom.Object.Name, Operation: r.info.Operation, Language: script.CEL,
			Text: r.text, File: custom.File, Line: custom.Lines[r.info.Operation],
		})
		if err != nil {
			continue // said elsewhere
		}
		for _, p := range checkVersions(program, schemas) {
			if problem := scriptProblem(p); !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// checkVersions returns what cannot be right in some version of a kind. A field that is read as one that may be absent is
// right when some version has it; otherwise it is reported once, in the words for the last version.
func checkVersions(program *cel.Program, versions []*cel.Schema) script.Problems {
	type place struct{ line, column int }
	absent := map[place]int{}
	var found script.Problems
	for i, version := range versions {
		for _, p := range program.Check(version) {
			if !errors.Is(p, cel.ErrOptional) {
				found = append(found, p)
				continue
			}
			at := place{p.Line, p.Column}
			if absent[at]++; absent[at] == len(versions) && i == len(versions)-1 {
				found = append(found, p)
			}
		}
	}
	return found
}
