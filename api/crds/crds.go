package crds

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
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
		if definitions[i], err = read(name); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// Get returns the definition of that name, "plural.group". The caller owns it. An error that is fs.ErrNotExist means
// that this project has no such definition.
func Get(name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	plural, group, _ := strings.Cut(name, ".")
	return read(group + "_" + plural + ".yaml")
}

func read(name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &definition); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &definition, nil
}
