package admission

import (
	"bytes"
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
	documentOf := map[string]*manifest.Document{} // by the place of the customization
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
			decoded := c.document(ctx, d, &r)
			if len(decoded) == 1 {
				documentOf[place(decoded[0])] = d
			}
			found = append(found, decoded...)
		}
	}
	if len(r.Skipped) > 0 && len(r.Skipped) == len(files) {
		r.add(Problem{Severity: script.Error, File: files[0].Name, Message: nothingFound(len(files))})
	}
	r.Customizations = len(found)
	if err := customizations.Distinct(found); err != nil {
		r.add(fileProblems("", err)...)
	}
	for i := range found {
		problems := append(c.Customization(found[i]), Conflicts(found[i], found[:i])...)
		if d := documentOf[place(found[i])]; d != nil {
			locate(problems, found[i].Line, d)
		}
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

func place(c customizations.Customization) string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

// locate gives problems that are known to be somewhere in the object at line the line of their field in d.
func locate(problems []Problem, line int, d *manifest.Document) {
	for i := range problems {
		path, err := manifest.ParsePath(problems[i].Field)
		if problems[i].Line == line && err == nil {
			problems[i].Line = d.LineOf(path)
		}
	}
}

func (r *Report) add(problems ...Problem) { r.Problems = append(r.Problems, problems...) }

// document checks what is not a customization, and returns the customizations.
func (c Checker) document(ctx context.Context, d *manifest.Document, r *Report) []customizations.Customization {
	objects, err := d.Objects()
	if err != nil && len(objects) == 0 {
		r.add(documentProblem(d, err))
		return nil
	}
	var others []manifest.Object
	for _, o := range objects {
		if !isCustomization(&o) {
			others = append(others, o)
		}
	}
	if len(others) == 0 {
		return c.decode(d, r)
	}
	for i := range others {
		c.object(ctx, &others[i], r)
	}
	if len(others) < len(objects) {
		r.add(Problem{
			Severity: script.Error, File: d.File, Line: d.Line(),
			Message: "want a list of customizations only, or each object in a document of its own",
		})
	}
	return nil
}

// documentProblem returns the problem of a document that is no object. The error's text begins with the place.
func documentProblem(d *manifest.Document, err error) Problem {
	text := err.Error()
	var line int
	if n, scanErr := fmt.Sscanf(text, d.File+":%d:", &line); n != 1 || scanErr != nil {
		return Problem{Severity: script.Error, File: d.File, Line: d.Line(), Message: text}
	}
	return Problem{Severity: script.Error, File: d.File, Line: line, Message: text[len(fmt.Sprintf("%s:%d: ", d.File, line)):]}
}

func isCustomization(o *manifest.Object) bool {
	return o.GetKind() == customizations.Kind && o.GroupVersionKind().Group == configv1alpha1.GroupVersion.Group
}

// decode reads the customizations of a document. It is decoded behind as many empty lines as stand before it in its file,
// so that places come out right.
func (c Checker) decode(d *manifest.Document, r *Report) []customizations.Customization {
	data := slices.Concat(bytes.Repeat([]byte("\n"), d.Start-1), d.Text)
	found, err := customizations.Decode(d.File, data)
	if err != nil {
		r.add(fileProblems(d.File, err)...)
		return nil
	}
	return found
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
