package render

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// Chart renders the chart in a folder as `helm template NAME --namespace NAMESPACE` does, with values over its own, and returns its
// manifests, in the order of the template files, and the names of the files in its crds folder.
func Chart(dir, name, namespace string, values map[string]any) (manifests []byte, definitions []string, err error) {
	c, err := loader.LoadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("load chart %s: %w", dir, err)
	}
	release := chartutil.ReleaseOptions{Name: name, Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(c, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, nil, fmt.Errorf("values of chart %s: %w", c.Name(), err)
	}
	rendered, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		return nil, nil, fmt.Errorf("render chart %s: %w", c.Name(), err)
	}
	var documents []string
	for _, file := range slices.Sorted(maps.Keys(rendered)) {
		if path.Ext(file) == ".yaml" && strings.TrimSpace(rendered[file]) != "" {
			documents = append(documents, strings.TrimSpace(rendered[file])+"\n")
		}
	}
	for _, definition := range c.CRDObjects() {
		definitions = append(definitions, path.Base(definition.Filename))
	}
	return []byte(strings.Join(documents, "---\n")), definitions, nil
}
