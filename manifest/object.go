package manifest

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is one Kubernetes object of a file.
type Object struct {
	*unstructured.Unstructured
	// Document is the document that holds the object; Path is where in it: empty, or an item of a list.
	Document *Document
	Path     Path
}

// LineOf returns the line of the file on which the field of the object at path, or the nearest one above it, stands.
func (o *Object) LineOf(path Path) int {
	return o.Document.LineOf(append(slices.Clip(o.Path), path...))
}

// Place returns the line and the column of the object's field at path, as Document.Place does.
func (o *Object) Place(path Path) (line, column int) {
	return o.Document.Place(append(slices.Clip(o.Path), path...))
}

// Errorf returns an *Error with the line of the object's field at path. What it says names the field.
func (o *Object) Errorf(path Path, format string, args ...any) error {
	return o.Document.Errorf(append(slices.Clip(o.Path), path...), format, args...)
}

// Objects returns the objects of the document: one, or the items of a List. Every object has an apiVersion and a kind, and
// its metadata, name and namespace are what they must be if they are there. The error joins an *Error for each that is
// wrong, and comes with the objects that are right.
func (d *Document) Objects() ([]Object, error) {
	value, err := d.Decode()
	if err != nil {
		return nil, err
	}
	return d.objects(nil, value)
}

func (d *Document) objects(path Path, value any) ([]Object, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, d.Errorf(path, "want an object with apiVersion and kind, got %s", Describe(value))
	}
	var errs []error
	for _, key := range []string{"apiVersion", "kind"} {
		if text, ok := fields[key].(string); !ok || text == "" {
			errs = append(errs, d.Errorf(path.With(key), "%s: want one, got %s", path.With(key), Describe(fields[key])))
		}
	}
	metadata, ok := fields["metadata"].(map[string]any)
	if !ok && fields["metadata"] != nil {
		errs = append(errs, d.Errorf(path.With("metadata"), "%s: want an object, got %s", path.With("metadata"), Describe(fields["metadata"])))
	}
	for _, key := range []string{"namespace", "name"} {
		if _, ok := metadata[key].(string); !ok && metadata[key] != nil {
			at := path.With("metadata").With(key)
			errs = append(errs, d.Errorf(at, "%s: want a string, got %s%s", at, Describe(metadata[key]), inQuotes("a string", metadata[key])))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	object := &unstructured.Unstructured{Object: fields}
	items, isList := fields["items"].([]any)
	if !isList || !strings.HasSuffix(object.GetKind(), "List") {
		return []Object{{Unstructured: object, Document: d, Path: path}}, nil
	}
	var found []Object
	for i, item := range items {
		objects, err := d.objects(path.With("items").With(i), item)
		if err != nil {
			errs = append(errs, err)
		}
		found = append(found, objects...)
	}
	return found, errors.Join(errs...)
}

// Objects returns the objects in the data of a file, as Document.Objects does.
func Objects(file string, data []byte) ([]Object, error) {
	var found []Object
	var errs []error
	for _, d := range Split(file, data) {
		objects, err := d.Objects()
		if err != nil {
			errs = append(errs, err)
		}
		found = append(found, objects...)
	}
	return found, errors.Join(errs...)
}
