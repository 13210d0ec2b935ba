package crds

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// All returns this project's definitions, sorted by group and plural name. The caller owns them.
func All() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	definitions := make([]*apiextensionsv1.CustomResourceDefinition, len(names))
	for i, name := range names {
		definitions[i] = &apiextensionsv1.CustomResourceDefinition{}
		if err := read(name, definitions[i]); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// Objects returns this project's definitions as they are installed, sorted by group and plural name. Unlike All, they
// have no fields of status for server-side apply to claim. The caller owns them.
func Objects() ([]*unstructured.Unstructured, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	objects := make([]*unstructured.Unstructured, len(names))
	for i, name := range names {
		objects[i] = &unstructured.Unstructured{}
		if err := read(name, &objects[i].Object); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// Get returns the definition of that name, "plural.group". The caller owns it. An error that is fs.ErrNotExist means
// that this project has no such definition.
func Get(name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	plural, group, _ := strings.Cut(name, ".")
	var definition apiextensionsv1.CustomResourceDefinition
	if err := read(group+"_"+plural+".yaml", &definition); err != nil {
		return nil, err
	}
	return &definition, nil
}

// read decodes a file, strictly.
func read(name string, into any) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
