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

// Errorf returns an error that begins with the place of the object's field at path.
func (o *Object) Errorf(path Path, format string, args ...any) error {
	return o.Document.Errorf(append(slices.Clip(o.Path), path...), format, args...)
}

// Objects returns the objects of the document: one, or the items of a List. Every object has an apiVersion and a kind;
// the error joins what is wrong, and comes with the objects that are right.
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
