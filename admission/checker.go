package admission

import (
	"context"
	"fmt"
	"slices"
	"strings"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// Checker finds problems. It keeps nothing between calls and is safe for concurrent use.
type Checker struct {
	// Engines compile the scripts of their languages; a script in another one is an error.
	Engines map[script.Language]script.Engine
	// Portable makes everything an error that Karmada's own API and interpreter do not have.
	Portable bool
	// Schemas are what rules are checked against, where there is one of their kind. It may be nil.
	Schemas Schemas
}

// File is the data of a file and its name.
type File struct {
	Name string
	Data []byte
	// Found tells that nobody has named the file: it was found in a folder. What it holds of other things is passed over,
	// such as test suites beside the rules.
	Found bool
}

// Report is what was looked at and what is wrong.
type Report struct {
	// Customizations, Webhooks and Objects are how many of each were looked at: customizations, webhook configurations, and
	// objects of kinds with pitfalls of their own.
	Customizations, Webhooks, Objects int
	// Problems are sorted by place.
	Problems []Problem
	// Skipped are the names of the files that were found and hold nothing to check, in their order.
	Skipped []string
	// Unchecked are the targets, such as "example.com/v1 Widget", of customizations whose kind is not among the Checker's
	// Schemas; sorted, nil when it has no Schemas at all.
	Unchecked []string
}

// Files checks every object in files: customizations, each by itself and against the others; webhook configurations; and
// objects of kinds that people are known to get wrong (FlinkDeployment). Any other object is an error, except in files that
// were found; but it is an error when those hold nothing else.
func (c Checker) Files(ctx context.Context, files ...File) Report {
	var r Report
	var found []customizations.Customization
	var objects []*manifest.Object // of the customizations
	for _, f := range files {
		documents := manifest.Split(f.Name, f.Data)
		if f.Found {
			if documents = slices.DeleteFunc(documents, isOther); len(documents) == 0 {
				r.Skipped = append(r.Skipped, f.Name)
			}
		} else if len(documents) == 0 {
			r.add(Problem{Severity: script.Error, File: f.Name, Message: "want a " + customizations.Kind + ", got an empty file"})
		}
		for _, d := range documents {
			for _, o := range c.document(ctx, d, &r) {
				decoded, err := customizations.FromObject(o)
				if err != nil {
					r.add(fileProblems(err)...)
					continue
				}
				found, objects = append(found, decoded), append(objects, o)
			}
		}
	}
	if len(r.Skipped) > 0 && len(r.Skipped) == len(files) {
		r.add(Problem{Severity: script.Error, File: files[0].Name, Message: nothingFound(len(files))})
	}
	r.Customizations = len(found)
	if err := customizations.Distinct(found); err != nil {
		r.add(fileProblems(err)...)
	}
	for i := range found {
		problems := append(c.Customization(found[i]), Conflicts(found[i], found[:i])...)
		locate(problems, objects[i])
		r.add(problems...)
		if target, err := customizations.ParseTarget(found[i].Object.Spec.Target); c.Schemas != nil && err == nil && len(c.Schemas.of(target)) == 0 {
			r.Unchecked = append(r.Unchecked, found[i].Object.Spec.Target.APIVersion+" "+found[i].Object.Spec.Target.Kind)
		}
	}
	slices.Sort(r.Unchecked)
	r.Unchecked = slices.Compact(r.Unchecked)
	for _, f := range files {
		columns(r.Problems, f)
	}
	r.Problems = sorted(r.Problems)
	return r
}

// columns turns the columns of problems, which count from where a line of the script begins, into columns of the file.
func columns(problems []Problem, f File) {
	var lines []string
	for i := range problems {
		p := &problems[i]
		text, _, ok := strings.Cut(strings.TrimPrefix(p.Snippet, " | "), "\n")
		if !ok || p.File != f.Name || p.Line == 0 || p.Column == 0 {
			continue
		}
		if lines == nil {
			lines = strings.Split(string(f.Data), "\n")
		}
		if p.Line <= len(lines) {
			p.Column += max(strings.Index(lines[p.Line-1], text), 0)
		}
	}
}

// locate gives problems that are known to be somewhere in o the line of their field.
func locate(problems []Problem, o *manifest.Object) {
	begin := o.LineOf(nil)
	for i := range problems {
		path, err := manifest.ParsePath(problems[i].Field)
		if problems[i].Line == begin && err == nil {
			problems[i].Line = o.LineOf(path)
		}
	}
}

func (r *Report) add(problems ...Problem) { r.Problems = append(r.Problems, problems...) }

// document checks what is not a customization, and returns the objects that are.
func (c Checker) document(ctx context.Context, d *manifest.Document, r *Report) []*manifest.Object {
	objects, err := d.Objects()
	if err != nil {
		r.add(fileProblems(err)...)
	}
	var found []*manifest.Object
	for i := range objects {
		if isCustomization(&objects[i]) {
			found = append(found, &objects[i])
		} else {
			c.object(ctx, &objects[i], r)
		}
	}
	return found
}

func isCustomization(o *manifest.Object) bool {
	return o.GetKind() == customizations.Kind && o.GroupVersionKind().Group == configv1alpha1.GroupVersion.Group
}

func nothingFound(files int) string {
	message := fmt.Sprintf("want a %s or %s, found none in this file", customizations.Kind, webhookKind)
	if others := files - 1; others > 0 {
		message += fmt.Sprintf(" and %d more", others)
	}
	return message
}

// isOther tells whether a document holds nothing that is checked: cases, or objects of other kinds. One that cannot be read
// may be a rule.
func isOther(d *manifest.Document) bool {
	value, err := d.Decode()
	return err == nil && !holds(value, func(group string, kind any) bool {
		return group == configv1alpha1.GroupVersion.Group || kind == customizations.Kind || kind == webhookKind || kind == flinkKind && group == flinkGroup
	})
}

// holds tells whether a document's value is an object of a wanted group and kind, or a list of objects with such a one.
func holds(value any, wanted func(group string, kind any) bool) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if items, ok := object["items"].([]any); ok {
		return slices.ContainsFunc(items, func(item any) bool { return holds(item, wanted) })
	}
	apiVersion, _ := object["apiVersion"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	return wanted(group, object["kind"])
}

func (c Checker) object(ctx context.Context, o *manifest.Object, r *Report) {
	gvk := o.GroupVersionKind()
	switch {
	case gvk.Group == configv1alpha1.GroupVersion.Group && gvk.Kind == webhookKind:
		r.Webhooks++
		r.add(c.webhookConfiguration(ctx, o)...)
	case gvk.Group == flinkGroup && gvk.Kind == flinkKind:
		r.Objects++
		r.add(flinkMemory(o)...)
	default:
		r.add(Problem{
			Severity: script.Error, File: o.Document.File, Line: o.LineOf(nil),
			Message: fmt.Sprintf("want a %s or %s, got a %s of %s", customizations.Kind, webhookKind, gvk.Kind, gvk.GroupVersion()),
		})
	}
}
